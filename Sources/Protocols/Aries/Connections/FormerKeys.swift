import DIDComm
import Determinism
import JSON

/// The keys of both sides that a change of DID replaced and that are still valid on a connection.
///
/// A side that changes its DID goes on with its old key until it has read the acknowledgement, and a mediator keeps
/// messages of that time while the recipient is away. The other side's former keys therefore count until it uses its
/// newest document, and for `keptFor` from then on; our own former keys count for `keptFor` after the acknowledgement.
/// Of each side the newest `maximumCount` keys are kept. Source: RFC 0794, which has both sides keep the keys of
/// before for a time.
public struct FormerKeys: Hashable, Sendable {
    /// The time for which a former key stays valid after a change of DID: one week, which is our decision.
    public static let keptFor = Duration.seconds(7 * 86_400)

    /// The most former keys of each side that are kept.
    public static let maximumCount = 8

    fileprivate struct Entry: Hashable, Sendable {
        let key: Verkey
        /// The last instant at which the key is valid; nil as long as the change of DID is not complete.
        var until: WallTime?

        func counts(for key: Verkey, at now: WallTime) -> Bool {
            self.key == key && until.map { now <= $0 } ?? true
        }
    }

    private var theirs: [Entry] = []
    private var ours: [Entry] = []

    /// True when neither side has changed its DID.
    public var isEmpty: Bool { theirs.isEmpty && ours.isEmpty }

    /// True from a change of the other side's DID until a message comes by a key of the new document.
    var awaitsTheirNewKey: Bool { theirs.contains { $0.until == nil } }

    /// Returns true when the other side's former `key` is valid for a message that arrives at `now`.
    func countsTheirs(_ key: Verkey, at now: WallTime) -> Bool { theirs.contains { $0.counts(for: key, at: now) } }

    /// Returns true when this agent's former `key` is valid for a message that arrives at `now`.
    func countsOurs(_ key: Verkey, at now: WallTime) -> Bool { ours.contains { $0.counts(for: key, at: now) } }

    /// Adds the keys of the other side's document that `new` replaces.
    mutating func replaceTheirs(_ old: PeerDocument, by new: PeerDocument) {
        theirs.removeAll { new.owns($0.key) || old.owns($0.key) }
        theirs += old.verkeys.filter { !new.owns($0) }.map { Entry(key: $0) }
        theirs = theirs.suffix(Self.maximumCount)
    }

    /// Adds a key of this agent that was replaced at `now`.
    mutating func replaceOurs(_ key: Verkey, at now: WallTime) {
        ours.removeAll { $0.key == key }
        ours = (ours + [Entry(key: key, until: now.adding(Self.keptFor))]).suffix(Self.maximumCount)
    }

    /// Completes the changes of the other side's DID, because it used a key of its newest document at `now`.
    mutating func confirmTheirs(at now: WallTime) {
        for index in theirs.indices where theirs[index].until == nil {
            theirs[index].until = now.adding(Self.keptFor)
        }
    }

    /// The former keys as JSON for a store; nil when there are none.
    var json: JSONObject? {
        isEmpty ? nil : ["theirs": .array(theirs.map(\.json)), "ours": .array(ours.map(\.json))]
    }

    init() {}

    init(stored reader: JSONValueReader) throws {
        theirs = try reader.elements("theirs").suffix(Self.maximumCount).map { try Entry(stored: $0) }
        ours = try reader.elements("ours").suffix(Self.maximumCount).map { try Entry(stored: $0) }
    }
}

extension FormerKeys.Entry {
    fileprivate var json: JSONValue {
        .object(
            JSONObject(present: [
                "key": .string(key.base58), "until": until.map { .int(Int($0.millisecondsSinceEpoch)) },
            ]))
    }

    fileprivate init(stored reader: JSONValueReader) throws {
        key = try Verkey(parsing: reader.string("key"))
        until = try reader.optional("until").map { WallTime(millisecondsSinceEpoch: Int64(try $0.int())) }
    }
}

extension WallTime {
    /// Returns the time from `earlier` to this one; negative when this one is earlier.
    func since(_ earlier: WallTime) -> Duration {
        let (difference, overflows) = millisecondsSinceEpoch.subtractingReportingOverflow(
            earlier.millisecondsSinceEpoch)
        return .milliseconds(overflows ? (earlier < self ? .max : .min) : difference)
    }
}
