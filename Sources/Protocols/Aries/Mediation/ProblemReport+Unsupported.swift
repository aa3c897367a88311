import ByteCoding
import DIDComm

extension ProblemReport {
    /// The problem codes for an unsupported message type, in lower case with hyphens.
    ///
    /// They are the endings after the severity and `msg.`.
    private static let unsupportedCodes: Set<String> = [
        // ACA-Py, Credo and the mediator of this package, for a type without a handler.
        "message-parse-failure",
        // RFC 0003, for another major version.
        "version-not-supported",
        "not-supported", "unsupported",
        "message-type-not-supported", "message-type-unsupported", "unsupported-message-type", "unknown-message-type",
        "unrecognized-message-type",
        "protocol-not-supported", "protocol-unsupported", "unsupported-protocol", "unknown-protocol",
    ]

    /// Returns true when the report means that its sender does not support messages of a type.
    ///
    /// RFC 0035 defines no code for that, so that the codes in use are listed; `e.p.` or `e.m.`, and `msg.`, may stand
    /// before them. A report without a code, as from early agents, counts when its text names the type.
    /// - Parameter type: that of the message that the report is about.
    func saysUnsupported(_ type: MessageType) -> Bool {
        guard !code.isEmpty else { return explanation?.holds("\(type)") ?? false }
        var code = code.lowercased().substituting("_", by: "-")[...]
        if code.hasPrefix("e.p.") || code.hasPrefix("e.m.") { code = code.dropFirst(4) }
        if code.hasPrefix("msg.") { code = code.dropFirst(4) }
        return Self.unsupportedCodes.contains(String(code))
    }
}
