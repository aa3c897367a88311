import DIDComm
import Determinism

/// The client's message that a `MediatorSession` is answering.
struct MediatorRequestInProgress: Sendable {
    let message: Message
    let arrival: WallTime
    /// The answer identifiers derived from the request; nil where repeated requests get different answers.
    var answerIDs: AnswerMessageIdentifiers?

    init(_ received: ReceivedMessage) { (message, arrival) = (received.message, received.arrival) }

    /// The identity by which a repeated message is recognised.
    var request: ClientRequestIdentity { ClientRequestIdentity(message, arrival: arrival) }

    /// Derives the identifiers of all further answers from the request, so that a repeated request gets the same ones.
    ///
    /// - Parameter key: the key to which the request was encrypted.
    mutating func repeatAnswers(at key: Verkey) { answerIDs = AnswerMessageIdentifiers(to: message.id, at: key) }

    mutating func answer(_ reply: MediatorReply, random: inout any RandomSource) -> Message {
        let id = makeID(random: &random)
        return Message(reply.type, id: id, thread: MessageThread(id: message.threadID), body: reply.body)
    }

    mutating func refusal(_ code: String, _ explanation: String, random: inout any RandomSource) -> Message {
        let report = ProblemReport(code: code, explanation: explanation, threadID: message.threadID)
        return report.message(MessageType(.reportProblem10, "problem-report"), id: makeID(random: &random))
    }

    private mutating func makeID(random: inout any RandomSource) -> String {
        guard var identifiers = answerIDs else { return Message.makeID(from: &random) }
        defer { answerIDs = identifiers }
        return Message.makeID(from: &identifiers)
    }
}
