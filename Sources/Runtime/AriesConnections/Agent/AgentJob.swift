import Aries
import DIDComm
import Vault

/// One job of an agent, which runs them one after the other.
enum AgentJob: Sendable {
    /// A call of the application.
    case call(@Sendable (isolated Agent) async -> Void)
    /// The document of a DID was found for the handshake of a connection, or was not.
    case resolved(DID, connection: String, Result<DIDDocument, DIDCommError>)
    /// An attempt to send a message has ended.
    case delivered(Outbox.MessageToSend, connection: String, failure: (any Error)?)
    /// An envelope came in the answer to a message of a connection; counted in `UnprocessedEnvelopeCount`.
    case arrived([UInt8], from: String)
    /// The mediator delivered an envelope; one with an identifier is to be acknowledged, another is counted in
    /// `UnprocessedEnvelopeCount`.
    case fetched([UInt8], id: String?)
    /// An event of the WebSocket with that number.
    case socket(MediatorSocketEvent, number: Int)
    /// The key of the mediator now has an owner, and the records that depend on it are stored.
    case keyTaken(Verkey)
    /// Retry stored envelopes that wait for a free key.
    case resumeArrivals
    /// Stop fetching from the mediator.
    case finishFetching
    /// The caller of a question does not wait any more.
    case forgetQuestion(String)
    /// The next deadline of the agent has come.
    case timeReached

    /// Resumes the tasks that wait for the job: it is done or dropped.
    func end(_ arriving: UnprocessedEnvelopeCount) {
        switch self {
        case .arrived, .fetched(_, id: nil): arriving.end()
        case .socket(.envelope(_, let isCounted, let taken), _):
            if isCounted { arriving.end() }
            taken()
        case .call, .resolved, .delivered, .fetched, .socket, .keyTaken, .resumeArrivals, .finishFetching,
            .forgetQuestion, .timeReached:
            break
        }
    }
}

/// An event of a WebSocket to a mediator.
enum MediatorSocketEvent: Sendable {
    case opened(any PersistentTransport)
    case failed(any Error)
    case ended(TransportEndReason)
    /// An envelope came, counted in `UnprocessedEnvelopeCount` or not; nothing more is read before `taken` is called.
    case envelope([UInt8], isCounted: Bool, taken: @Sendable () -> Void)
}

/// The jobs that wait, oldest first.
final class AgentJobQueue {
    private var jobs: [AgentJob] = []
    /// The number of stops of the agent; a job in whose time it changes belongs to an earlier run.
    var stopCount = 0

    var count: Int { jobs.count }

    func add(_ job: AgentJob) { jobs.append(job) }

    func next() -> AgentJob? { jobs.isEmpty ? nil : jobs.removeFirst() }
}
