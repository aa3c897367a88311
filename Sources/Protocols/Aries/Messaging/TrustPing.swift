public import DIDComm
import JSON

/// Makes pings, which check that the other side is reachable, and their answers (RFC 0048).
public enum TrustPing {
    /// Makes a ping to the other side.
    public static func ping(id: String, wantsAnswer: Bool = true, comment: String? = nil) -> Message {
        Message(
            MessageType(.trustPing10, "ping"), id: id,
            body: JSONObject(present: [
                "response_requested": .bool(wantsAnswer), "comment": comment.map { .string($0) },
            ]))
    }

    /// Makes the answer to a ping.
    public static func answer(to ping: Message, id: String) -> Message {
        Message(MessageType(.trustPing10, "ping_response"), id: id, thread: MessageThread(id: ping.threadID))
    }

    /// Returns true when a ping requests a response, which it does unless `response_requested` is false.
    static func wantsAnswer(_ ping: Message) -> Bool { ping.object["response_requested"]?.bool ?? true }
}
