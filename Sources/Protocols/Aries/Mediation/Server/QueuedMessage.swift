public import Determinism

/// An envelope that waits at a mediator for its recipient.
public struct QueuedMessage: Hashable, Sendable {
    /// The place in the account's queue: later accepted, greater.
    public let position: UInt64

    /// The stable identifier, the same each time that the message is handed out.
    public let id: String

    /// When it was accepted.
    public let arrival: WallTime

    /// The envelope, byte for byte as it goes on.
    public let envelope: [UInt8]

    /// Describes a message.
    public init(position: UInt64, id: String, arrival: WallTime, envelope: [UInt8]) {
        self.position = position
        self.id = id
        self.arrival = arrival
        self.envelope = envelope
    }
}

/// What can be said of a queue without handing it out.
public struct QueueStatus: Hashable, Sendable {
    /// Nothing waits.
    public static let empty = QueueStatus(count: 0, bytes: 0)

    /// How many messages wait.
    public var count: Int

    /// The bytes of all their envelopes.
    public var bytes: Int

    /// When the oldest was accepted; nil when none waits.
    public var oldest: WallTime?

    /// When the newest was accepted; nil when none waits.
    public var newest: WallTime?

    /// The place of the newest; 0 when none waits.
    public var newestPosition: UInt64

    /// Describes a queue.
    public init(
        count: Int, bytes: Int, oldest: WallTime? = nil, newest: WallTime? = nil, newestPosition: UInt64 = 0
    ) {
        self.count = count
        self.bytes = bytes
        self.oldest = oldest
        self.newest = newest
        self.newestPosition = newestPosition
    }

    /// For how many whole seconds the oldest has waited; nil when none waits.
    func secondsWaited(at now: WallTime) -> Int? {
        oldest.map { Int(max(0, now.millisecondsSinceEpoch - $0.millisecondsSinceEpoch) / 1000) }
    }
}

/// How much may wait for one account, or for one of its keys.
public struct MailboxQuota: Hashable, Sendable {
    /// A number of messages and of bytes.
    public struct Amount: Hashable, Sendable {
        /// Messages.
        public var count: Int
        /// Bytes of their envelopes.
        public var bytes: Int

        /// Names an amount; both are at least 1.
        public init(count: Int, bytes: Int) {
            precondition(count >= 1 && bytes >= 1, "a quota has room for something")
            self.count = count
            self.bytes = bytes
        }
    }

    /// What one more message means.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// There is room.
        case fits
        /// There is room, and the operator should know how much is used.
        case isOverSoftLimit
        /// There is no room; nothing is taken.
        case isFull
    }

    /// From where on it is noted.
    public var soft: Amount

    /// From where on nothing more is taken.
    public var hard: Amount

    /// How long a message waits before it is dropped.
    public var age: Duration

    /// What an account may have by default: 1,000 messages, 64 MiB, seven days.
    public static let account = MailboxQuota(
        soft: Amount(count: 800, bytes: 48 << 20), hard: Amount(count: 1000, bytes: 64 << 20), age: .seconds(604_800))

    /// What one key of an account may have by default: 400 messages, 16 MiB, seven days.
    public static let key = MailboxQuota(
        soft: Amount(count: 200, bytes: 8 << 20), hard: Amount(count: 400, bytes: 16 << 20), age: .seconds(604_800))

    /// Makes a quota; the soft limits are at most the hard ones, the age is positive.
    public init(soft: Amount, hard: Amount, age: Duration) {
        precondition(soft.count <= hard.count && soft.bytes <= hard.bytes && age > .zero, "soft limits come first")
        self.soft = soft
        self.hard = hard
        self.age = age
    }

    /// Judges one more message of `bytes` beside those that wait.
    public func verdict(adding bytes: Int, to status: QueueStatus) -> Verdict {
        let (count, sum) = (status.count + 1, status.bytes + bytes)
        if count > hard.count || sum > hard.bytes { return .isFull }
        return count > soft.count || sum > soft.bytes ? .isOverSoftLimit : .fits
    }
}
