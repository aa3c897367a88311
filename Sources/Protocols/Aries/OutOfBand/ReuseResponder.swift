import DIDComm
public import Determinism

/// The inviter's side of connection reuse: answers the invitee's reuse message.
public enum ReuseResponder {
    /// Answers a message that asks to reuse a connection.
    ///
    /// - Parameter invitations: those of ours that still count; the question has to name one of them.
    /// - Returns: the message to send: the acceptance, or a report of a problem when the invitation has ended.
    ///
    /// Throws what `Connection.check` throws, `aries.message.unexpected` for another message, and
    /// `aries.request.invitation-unknown`; nothing is to be answered then.
    public static func answer(
        _ received: ReceivedMessage, on connection: Connection, invitations: [IssuedInvitation],
        random: inout some RandomSource
    ) throws(AriesError) -> OutgoingMessage {
        try connection.check(received)
        let question = received.message
        guard question.type.isSame(as: MessageType(.outOfBand11, "handshake-reuse")) else {
            throw .unexpected(question)
        }
        guard let issued = invitations.first(where: { $0.invitation.id == question.thread.parentID }) else {
            throw AriesError(.invitationUnknown, "The other side refers to an invitation that is not known here.")
        }
        let id = Message.makeID(from: &random)
        let `protocol` = question.type.protocol
        do throws(AriesError) {
            try issued.checkCounts(at: received.arrival)
        } catch {
            let report = ProblemReport(
                code: "expired-invitation", explanation: error.reason, threadID: question.threadID)
            let type = MessageType(`protocol`, "problem_report")
            return try connection.outgoing(report.message(type, id: id, parentID: issued.invitation.id))
        }
        return try connection.outgoing(
            Message(
                MessageType(`protocol`, "handshake-reuse-accepted"), id: id,
                thread: MessageThread(id: question.threadID, parentID: issued.invitation.id)))
    }
}
