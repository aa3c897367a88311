import ByteCoding
import CryptoSuite
public import DIDComm
public import Determinism
import JSON
import Vault

/// A message of a connection as the store keeps it.
public struct ConnectionMessage: Hashable, Sendable {
    /// The side that sent a message.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        /// The other side sent the message.
        case received
        /// We sent the message.
        case sent
    }

    /// The identifier of the connection.
    public let connection: String

    /// The side that sent the message.
    public let direction: Direction

    /// The time at which the message arrived, or was queued.
    public let time: WallTime

    /// The message; texts of the other side in it are untrusted.
    public let message: Message

    /// The longest time before its arrival at which a message may claim to be written and be ordered by it; our choice.
    public static let longestDelay = Duration.seconds(30 * 86_400)

    /// The time at which the message was written, as its writer states it; nil where that is not known.
    public var written: WallTime? {
        direction == .sent ? time : message.object["sent_time"]?.string.flatMap { WallTime(message: $0) }
    }

    /// The time by which messages are put in order: that of writing where it can be true, else that of arrival.
    ///
    /// A time after the arrival, or more than `longestDelay` before it, does not count: no writer may move a line to a
    /// false place.
    public var order: WallTime {
        let earliest = time.millisecondsSinceEpoch - Int64(Self.longestDelay / .milliseconds(1))
        guard let written, written <= time, written.millisecondsSinceEpoch >= earliest else { return time }
        return written
    }

    init(connection: String, direction: Direction, time: WallTime, message: Message) {
        self.connection = connection
        self.direction = direction
        self.time = time
        self.message = message
    }

    init(_ record: StoredRecord) throws {
        do {
            let reader = JSONValueReader(try JSONValue(parsing: record.value, limits: Self.limits))
            guard let connection = record.tags.first(where: { $0.name == "connection" })?.value,
                let direction = Direction(rawValue: try reader.string("direction"))
            else { throw AgentError(.recordMalformed, "A message in the store belongs to no connection.") }
            self.connection = connection
            self.direction = direction
            time = WallTime(millisecondsSinceEpoch: Int64(try reader.int("time")))
            message = try Message(reader.object("message"))
        } catch let error as AgentError {
            throw error
        } catch {
            throw AgentError(.recordMalformed, "A message in the store cannot be read: \(error).")
        }
    }

    private static let limits = JSONLimits(
        maximumBytes: RecordLimits.valueBytes, maximumDepth: JSONLimits.standard.maximumDepth + 1)

    /// The name of a message's record, from its `@id` and its side, so that a message is stored once.
    static func name(of id: String, _ direction: Direction, on connection: String) -> String {
        connection + "/" + direction.rawValue + "/" + Hex.encode(SHA256.hash(Array(id.utf8)).prefix(16))
    }

    private var name: String { Self.name(of: message.id, direction, on: connection) }

    /// Stores the message; false when it was stored before.
    func insert(into store: any RecordWriting) throws -> Bool {
        guard try store.record(name, in: AgentCategories.messages) == nil else { return false }
        let value: JSONObject = [
            "direction": .string(direction.rawValue), "time": .int(Int(time.millisecondsSinceEpoch)),
            "message": .object(message.object),
        ]
        try store.insert(
            name, in: AgentCategories.messages, tags: [RecordTag("connection", connection)], value: value.encoded)
        return true
    }
}
