public import DIDComm
public import Determinism
public import JSON

/// A question that was sent on a connection and whose answer is pending.
///
/// A wallet may be used by several processes, and the answer may come to another one than the one that asked: it is
/// kept here, in the store that both share, until the asking process takes it. Only a message of the question's own
/// thread and of a type that answers its kind is taken, and only the first one.
public struct PendingQuery: Hashable, Sendable {
    /// The kind of question to the other side.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A ping that checks that the other side is reachable, RFC 0048.
        case ping
        /// A query for the protocols that the other side supports, RFC 0031 and RFC 0557.
        case features
        /// The announcement of our new DID, RFC 0794.
        case rotation
        /// A request to serve an invitation at a short link, RFC 0746.
        case shortLink = "short-link"
        /// A request to stop serving a short link.
        case shortLinkRemoval = "short-link-removal"
    }

    /// The time after expiry before a question is removed that its process did not remove, as after a crash.
    public static let keptAfterExpiry = Duration.seconds(3600)

    /// The `@id` of the question, which is the thread of its answer.
    public let id: String

    /// The identifier of the connection on which the question was sent.
    public let connection: String

    /// The kind of question to the other side.
    public let kind: Kind

    /// The time until which the asking process waits for the answer.
    public let expires: WallTime

    /// The message that answers the question; nil while none has come.
    public private(set) var answer: Message?

    /// Makes a question that has no answer yet.
    public init(_ kind: Kind, id: String, connection: String, expires: WallTime) {
        self.kind = kind
        self.id = id
        self.connection = connection
        self.expires = expires
    }

    /// Stores a message that the connection's inbox accepted if it answers the question; returns true if so.
    ///
    /// - Returns: true when it is the answer, which is to be stored; false for all others, and for a second answer.
    public mutating func take(_ message: Message, on connection: String) -> Bool {
        guard answer == nil, connection == self.connection, answers(message) else { return false }
        answer = message
        return true
    }

    /// The answer as an event of the connection's inbox; nil while there is none.
    ///
    /// For a rotation an acknowledgement is `acknowledged`: the changed connection stands in the store.
    public var event: ConnectionMessageHandler.Event? {
        guard let answer else { return nil }
        if let report = ProblemReport(answer) { return .problem(report) }
        switch kind {
        case .ping: return .pingAnswered(threadID: id)
        case .features: return FeatureList(answer).map { .features($0) }
        case .shortLink: return .other(answer)
        case .rotation, .shortLinkRemoval:
            return .acknowledged(threadID: id, status: answer.object["status"]?.string ?? "OK")
        }
    }

    /// Returns true when the question can be removed at `now`: it has expired, and its process has not removed it.
    public func isForgotten(at now: WallTime) -> Bool {
        let (seconds, attoseconds) = Self.keptAfterExpiry.components
        let kept = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return now.millisecondsSinceEpoch > expires.millisecondsSinceEpoch.addingReportingOverflow(kept).partialValue
    }

    private func answers(_ message: Message) -> Bool {
        guard message.answeredThreadID == id, message.id != id else { return false }
        if let report = ProblemReport(message) { return !report.isWarning }
        let known = ConnectionMessageHandler.UnderstoodMessage(message.type)
        return switch kind {
        case .ping: known == .pingResponse
        case .features: known == .disclose || known == .disclosures
        case .rotation: known == .rotateAck
        case .shortLink: message.type.isSame(as: MessageType(.shortenURL10, "shortened-url"))
        case .shortLinkRemoval: known == .ack
        }
    }

    /// The question as JSON for a store.
    public var state: JSONObject {
        JSONObject(present: [
            "version": .int(StoredStateReader.version), "kind": "question", "question": .string(kind.rawValue),
            "id": .string(id), "connection": .string(connection),
            "expires": .int(Int(expires.millisecondsSinceEpoch)), "answer": answer.map { .object($0.object) },
        ])
    }

    /// Reads a stored question that `state` wrote.
    ///
    /// Throws `aries.state.malformed`.
    public init(stored reader: JSONValueReader) throws(AriesError) {
        self = try StoredStateReader.reading {
            try StoredStateReader.check(reader, kind: "question")
            var question = PendingQuery(
                try StoredStateReader.choice(reader.member("question")), id: try reader.string("id"),
                connection: try reader.string("connection"),
                expires: WallTime(millisecondsSinceEpoch: Int64(try reader.int("expires"))))
            question.answer = try reader.optional("answer").map { try Message($0.object()) }
            return question
        }
    }
}

extension Message {
    /// The thread that the message answers; for a problem report it may be the parent thread.
    public var answeredThreadID: String { ProblemReport(self)?.threadID ?? threadID }
}
