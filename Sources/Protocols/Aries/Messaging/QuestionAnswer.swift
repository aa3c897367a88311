public import DIDComm
public import Determinism
import JSON

/// A question with answers to choose from, RFC 0113.
public struct Question: Hashable, Sendable {
    /// The most answers to choose from.
    public static let maximumAnswers = 32

    /// The text of the question: untrusted.
    public let text: String

    /// The details of the question: untrusted text.
    public let detail: String?

    /// The answers to choose from: untrusted texts.
    public let answers: [String]

    /// True when the answer must be signed, which this module does not support.
    public let wantsSignature: Bool

    /// The time at which the question expires; nil for never.
    public let expires: WallTime?

    /// The thread that an answer belongs to.
    public let threadID: String

    /// Makes a question to ask; its thread begins with `message(id:)`.
    public init(_ text: String, detail: String? = nil, answers: [String], expires: WallTime? = nil, id: String) {
        self.text = text
        self.detail = detail
        self.answers = answers
        wantsSignature = false
        self.expires = expires
        threadID = id
    }

    /// The question as a message to send.
    public var message: Message {
        Message(
            MessageType(.questionAnswer10, "question"), id: threadID,
            body: JSONObject(present: [
                "question_text": .string(text), "question_detail": detail.map { .string($0) },
                "signature_required": false, "valid_responses": .array(answers.map { ["text": .string($0)] }),
                "~timing": expires.map { ["expires_time": .string($0.messageText)] },
            ]))
    }

    /// Returns true when a message is a question of the question-answer protocol (RFC 0113).
    public static func isQuestion(_ message: Message) -> Bool {
        message.type.isSame(as: MessageType(.questionAnswer10, "question"))
    }

    /// Reads a question whose message type was checked.
    ///
    /// Throws `aries.message.malformed`.
    public init(_ message: Message) throws(AriesError) {
        let reader = message.reader
        threadID = message.threadID
        expires = message.object["~timing"]?["expires_time"]?.string.flatMap { WallTime(message: $0) }
        (text, detail, wantsSignature) = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            (
                try reader.string("question_text"), try reader.optionalString("question_detail"),
                try reader.optionalBool("signature_required") ?? false
            )
        }
        answers = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            var texts: [String] = []
            for answer in try reader.elements("valid_responses") { texts.append(try answer.string("text")) }
            return texts
        }
        guard (1...Self.maximumAnswers).contains(answers.count) else {
            throw AriesError(.messageMalformed, "A question has no answers to choose from, or too many.")
        }
    }

    /// Makes the answer to send.
    ///
    /// Throws `aries.message.malformed` for an answer that the question does not offer, and
    /// `aries.message.unexpected` when its time is over.
    public func answer(_ choice: String, id: String, now: WallTime) throws(AriesError) -> Message {
        guard answers.contains(choice) else {
            throw AriesError(.messageMalformed, "The question does not offer that answer.")
        }
        if let expires, expires <= now { throw AriesError(.unexpected, "The time to answer the question is over.") }
        return Message(
            MessageType(.questionAnswer10, "answer"), id: id, thread: MessageThread(id: threadID),
            body: ["response": .string(choice)])
    }
}
