public import DIDComm
public import Determinism
import JSON

/// A text message of the basic message protocol, RFC 0095.
public struct BasicMessage: Hashable, Sendable {
    /// The longest text, in bytes.
    public static let maximumBytes = 65_536

    /// The text of the message: untrusted.
    public let content: String

    /// The time that its sender states; nil when it cannot be read.
    public let sent: WallTime?

    /// Makes a basic message from its parts.
    public init(_ content: String, sent: WallTime?) {
        self.content = content
        self.sent = sent
    }

    /// Makes the basic message to send.
    public func message(id: String) -> Message {
        Message(
            MessageType(.basicMessage10, "message"), id: id,
            body: JSONObject(present: [
                "content": .string(content), "sent_time": sent.map { .string($0.messageText) },
                "~l10n": ["locale": "en"],
            ]))
    }

    /// Reads a basic message whose type was checked.
    ///
    /// Throws `aries.message.malformed`.
    init(_ message: Message) throws(AriesError) {
        let content = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.string("content")
        }
        guard content.utf8.count <= Self.maximumBytes else {
            throw AriesError(.messageMalformed, "A text has more than \(Self.maximumBytes) bytes.")
        }
        self.init(content, sent: message.object["sent_time"]?.string.flatMap { WallTime(message: $0) })
    }
}
