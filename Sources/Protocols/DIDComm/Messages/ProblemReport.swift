import ByteCoding
import JSON

/// A problem report, in any of the spellings that agents use.
///
/// Families of RFC 0160 and RFC 0023 write `problem-code` and `explain`, RFC 0035 and others `description` with `code`
/// and `en`; both are read, and both are written. It must not be trusted before sender and thread were compared.
public struct ProblemReport: Hashable, Sendable {
    /// The longest explanation that is kept, in characters.
    public static let maximumTextCharacters = 500

    /// The sender's problem code, such as `request_not_accepted`; empty when the report has none.
    public let code: String

    /// The sender's explanation: untrusted text, cut off at `maximumTextCharacters`.
    public let explanation: String?

    /// The identifier of the thread that the report is about: its own thread, or the parent of a new one (RFC 0035).
    public let threadID: String

    /// Makes a problem report for a thread.
    public init(code: String, explanation: String?, threadID: String) {
        self.code = code
        self.explanation = explanation
        self.threadID = threadID
    }

    /// Reads a problem report; nil for other messages.
    ///
    /// A report without a code or with unexpected members is read too.
    public init?(_ message: Message) {
        guard message.type.isProblemReport else { return nil }
        let description = message.object["description"]
        let code = message.object["problem-code"]?.string ?? description?["code"]?.string ?? ""
        let text =
            message.object["explain"]?.string ?? description?["en"]?.string ?? description?.string
            ?? message.object["explain_ltxt"]?.string
        self.code = code.start(scalars: Self.maximumTextCharacters)
        explanation = text.map { $0.start(scalars: Self.maximumTextCharacters) }
        threadID = message.thread.id ?? message.thread.parentID ?? message.id
    }

    /// True for a warning, which ends nothing: its code begins with `w.`.
    public var isWarning: Bool { code.hasPrefix("w.") }

    /// Makes the problem report as a message to send.
    ///
    /// - Parameter type: the family's report with its own spelling.
    public func message(_ type: MessageType, id: String, parentID: String? = nil) -> Message {
        let text = explanation.map { JSONValue.string($0) }
        return Message(
            type, id: id, thread: MessageThread(id: threadID, parentID: parentID),
            body: JSONObject(present: [
                "problem-code": .string(code), "explain": text,
                "description": .object(JSONObject(present: ["code": .string(code), "en": text])),
            ]))
    }
}
