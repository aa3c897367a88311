/// The records that an agent keeps for its mediator: keys, envelopes to be retried, and answers for other processes.
struct MediatorStores {
    let keys: KeyStore
    let arrivals: UnprocessedEnvelopeStore
    let answers: CrossProcessAnswers
}
