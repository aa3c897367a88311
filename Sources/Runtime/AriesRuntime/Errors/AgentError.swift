public import CodedErrors

/// Why an agent could not perform a call.
public struct AgentError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The agent was not started, was stopped, or stopped because its store failed.
        case stopped = "agent.stopped"
        /// The agent's job queue is full, or too many connections are being made.
        case busy = "agent.busy"
        /// There is no connection of that name.
        case connectionUnknown = "agent.connection.unknown"
        /// The connection is not complete, so nothing can be sent on it yet.
        case connectionIncomplete = "agent.connection.incomplete"
        /// The connection failed before it was complete, so nothing can be sent on it.
        case connectionAbandoned = "agent.connection.abandoned"
        /// The other side has ended the connection.
        case connectionEnded = "agent.connection.ended"
        /// The other side uses a key that it never announced, so that neither side takes the other's messages.
        case connectionBroken = "agent.connection.broken"
        /// There is no invitation of that name.
        case invitationUnknown = "agent.invitation.unknown"
        /// There is no such request, or it does not belong to a connection.
        case requestUnknown = "agent.request.unknown"
        /// No handler answers requests of this protocol.
        case requestUnhandled = "agent.request.unhandled"
        /// The store has no key to send with, or the connection was deleted.
        case keyMissing = "agent.key.missing"
        /// A record of the store cannot be read.
        case recordMalformed = "agent.record.malformed"
        /// The other side could not be reached; the message stays queued and is sent again.
        case deliveryFailed = "agent.delivery.failed"
        /// The message did not go out in the time allowed; it stays queued and is sent later.
        case deliveryLate = "agent.delivery.late"
        /// The other side did not answer in the time allowed.
        case answerMissing = "agent.answer.missing"
        /// The other side has no address and is not connected now; the message stays queued.
        case deliveryWaits = "agent.delivery.waits"
        /// The server at the other side's address answered with something else than a DIDComm message.
        case deliveryForeign = "agent.delivery.foreign"
        /// The other side has no address for the transports that this wallet sends by; the message stays queued.
        case deliveryTransport = "agent.delivery.transport"
        /// No mediator is in use.
        case mediatorUnknown = "agent.mediator.unknown"
        /// Another mediator is in use, or the one that is to be left is still needed.
        case mediatorInUse = "agent.mediator.in-use"
        /// Another program of this wallet has taken over the connection to the mediator.
        case mediatorReplaced = "agent.mediator.replaced"
        /// The mediator has closed the account of this wallet.
        case mediatorClosed = "agent.mediator.closed"
        /// The mediator could not be reached, or did not answer, in the time allowed.
        case mediatorUnreachable = "agent.mediator.unreachable"
        /// The mediator has confirmed no free key for a new connection yet.
        case mediatorKeyMissing = "agent.mediator.key-missing"
        /// A message from a mediator cannot be decrypted, and is quarantined.
        case mediatorQuarantine = "agent.mediator.quarantined"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    ///
    /// It holds no key and nothing of a message.
    public let reason: String

    /// The status of the other side's server, where it gave one.
    public let wireCode: Int?

    /// The wire code in decimal digits.
    public var wireCodeText: String? { wireCode.map(String.init) }

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String, wireCode: Int? = nil) {
        self.code = code
        self.reason = reason
        self.wireCode = wireCode
    }
}
