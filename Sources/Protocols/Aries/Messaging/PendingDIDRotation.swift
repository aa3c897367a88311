public import DIDComm
public import Determinism
import JSON

/// An announced change of this agent's DID that the other side has not acknowledged yet.
///
/// Until it does, we write by the old key, and both of our keys count; what comes to the new key is as good as an
/// acknowledgement. The announcement is posted once. It is posted again only when the transport has not taken it, when
/// `repeatedAfter` has passed since a post whose result is unknown, or when the user asks again after
/// `repeatedOnRequestAfter`: an agent may take a repeated announcement for another one. Source: RFC 0794.
public struct PendingDIDRotation: Hashable, Sendable {
    /// The wait before the announcement is posted again when it is unknown whether the last post arrived.
    public static let repeatedAfter = Duration.seconds(60)

    /// The wait before the user's request posts a delivered announcement again.
    public static let repeatedOnRequestAfter = Duration.seconds(600)

    /// The longest time that other messages wait for the acknowledgement after a post.
    ///
    /// The usual agent answers at once, and so gets them by the new key.
    public static let messagesWaitFor = Duration.seconds(10)

    /// The DID that replaces our present one on the connection.
    public let did: DID

    /// The key, mediators and endpoint that the new DID contains.
    public let address: AgentAddress

    /// The thread of the DID change.
    public let threadID: String

    /// The time at which the DID change began; nil when an older program began it.
    public let begun: WallTime?

    /// The time of the last post of the announcement; nil before the first, and after one that did not arrive.
    public private(set) var posted: WallTime?

    /// Returns the wait before the announcement may be posted; nil when it may be posted at once.
    public func waitBeforePost(at now: WallTime) -> Duration? { Self.rest(of: Self.repeatedAfter, since: posted, now) }

    /// Returns the wait before another message may be sent without the acknowledgement; nil for none.
    public func waitBeforeMessages(at now: WallTime) -> Duration? {
        Self.rest(of: Self.messagesWaitFor, since: posted, now)
    }

    /// Returns true when a request of the user at `now` posts the announcement again.
    public func isRepeatedOnRequest(at now: WallTime) -> Bool {
        Self.rest(of: Self.repeatedOnRequestAfter, since: posted, now) == nil
    }

    /// Records that the announcement is about to be posted.
    public mutating func notePost(at now: WallTime) { posted = now }

    /// Records that the last post certainly did not arrive, so that the next one need not wait.
    public mutating func notePostFailed() { posted = nil }

    /// Returns the rest of a wait since `start`; nil when it is over, or the clock was set back before `start`.
    private static func rest(of wait: Duration, since start: WallTime?, _ now: WallTime) -> Duration? {
        guard let start, start <= now else { return nil }
        let rest = wait - now.since(start)
        return rest > .zero ? rest : nil
    }

    /// The DID change as JSON for a store.
    var json: JSONObject {
        JSONObject(present: [
            "did": .string(did.text), "address": .object(address.json), "thread": .string(threadID),
            "begun": begun.map { .int(Int($0.millisecondsSinceEpoch)) },
            "posted": posted.map { .int(Int($0.millisecondsSinceEpoch)) },
        ])
    }

    init(did: DID, address: AgentAddress, threadID: String, begun: WallTime?) {
        self.did = did
        self.address = address
        self.threadID = threadID
        self.begun = begun
    }

    init(stored reader: JSONValueReader) throws {
        func time(_ name: String) throws -> WallTime? {
            try reader.optional(name).map { WallTime(millisecondsSinceEpoch: Int64(try $0.int())) }
        }
        self.init(
            did: try DID(parsing: reader.string("did")), address: try AgentAddress(stored: reader.member("address")),
            threadID: try reader.string("thread"), begun: try time("begun"))
        posted = try time("posted")
    }
}
