@_exported public import CodedErrors

/// Why an agent could not perform a call.
public typealias AgentError = CodedFailure<AgentErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum AgentErrorCode: String, CaseIterable, Sendable {
    /// The status of the other side's server.
    public typealias Detail = Int

    case stopped = "agent.stopped"
    case busy = "agent.busy"
    case connectionUnknown = "agent.connection.unknown"
    case connectionIncomplete = "agent.connection.incomplete"
    case connectionAbandoned = "agent.connection.abandoned"
    case connectionEnded = "agent.connection.ended"
    case connectionBroken = "agent.connection.broken"
    case invitationUnknown = "agent.invitation.unknown"
    case requestUnknown = "agent.request.unknown"
    case requestUnhandled = "agent.request.unhandled"
    case keyMissing = "agent.key.missing"
    case recordMalformed = "agent.record.malformed"
    case deliveryFailed = "agent.delivery.failed"
    case deliveryLate = "agent.delivery.late"
    case answerMissing = "agent.answer.missing"
    case deliveryWaits = "agent.delivery.waits"
    case deliveryForeign = "agent.delivery.foreign"
    case deliveryTransport = "agent.delivery.transport"
    case mediatorUnknown = "agent.mediator.unknown"
    case mediatorInUse = "agent.mediator.in-use"
    case mediatorReplaced = "agent.mediator.replaced"
    case mediatorClosed = "agent.mediator.closed"
    case mediatorUnreachable = "agent.mediator.unreachable"
    case mediatorKeyMissing = "agent.mediator.key-missing"
    case mediatorQuarantine = "agent.mediator.quarantined"
}

extension AgentErrorCode {
    /// The status in decimal digits.
    public static func wireCodeText(of detail: Int) -> String? { "\(detail)" }
}

extension AgentError {
    /// The status of the other side's server, where it gave one.
    public var wireCode: Int? { detail }

    /// Makes an error with its code, a sentence, and the status of the other side's server.
    public init(_ code: Code, _ reason: String, wireCode: Int?) { self.init(code, reason, detail: wireCode) }
}
