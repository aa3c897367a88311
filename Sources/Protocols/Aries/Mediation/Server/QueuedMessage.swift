public import Determinism

/// An envelope in a mediator's queue for its recipient.
public struct QueuedMessage: Hashable, Sendable {
    /// The position in the account's queue; a later message has a greater one.
    public let position: UInt64

    /// The stable identifier of the queued message, the same in each delivery.
    public let id: String

    /// The time at which the mediator accepted the message.
    public let arrival: WallTime

    /// The envelope in the queue, byte for byte.
    public let envelope: [UInt8]

    /// Makes a queued message from its parts.
    public init(position: UInt64, id: String, arrival: WallTime, envelope: [UInt8]) {
        self.position = position
        self.id = id
        self.arrival = arrival
        self.envelope = envelope
    }
}

/// The number, size and age of the messages in a queue.
public struct QueueStatus: Hashable, Sendable {
    /// The status of an empty queue.
    public static let empty = QueueStatus(count: 0, bytes: 0)

    /// The number of messages in the queue.
    public var count: Int

    /// The bytes of all envelopes in the queue.
    public var bytes: Int

    /// The arrival time of the oldest queued message; nil when the queue is empty.
    public var oldest: WallTime?

    /// The arrival time of the newest queued message; nil when the queue is empty.
    public var newest: WallTime?

    /// The position of the newest queued message; 0 for an empty queue.
    public var newestPosition: UInt64

    /// Makes a queue status from its parts.
    public init(
        count: Int, bytes: Int, oldest: WallTime? = nil, newest: WallTime? = nil, newestPosition: UInt64 = 0
    ) {
        self.count = count
        self.bytes = bytes
        self.oldest = oldest
        self.newest = newest
        self.newestPosition = newestPosition
    }

    /// Returns the age of the oldest queued message in whole seconds; nil for an empty queue.
    func secondsWaited(at now: WallTime) -> Int? {
        oldest.map { Int(max(0, now.millisecondsSinceEpoch - $0.millisecondsSinceEpoch) / 1000) }
    }
}

/// The quota of one account, or of one of its keys.
public struct MailboxQuota: Hashable, Sendable {
    /// A number of messages with their number of bytes.
    public struct MailboxAmount: Hashable, Sendable {
        /// The largest number of messages.
        public var count: Int
        /// The largest number of bytes of the messages' envelopes.
        public var bytes: Int

        /// Makes an amount from its parts; both are at least 1.
        public init(count: Int, bytes: Int) {
            precondition(count >= 1 && bytes >= 1, "a quota has room for something")
            self.count = count
            self.bytes = bytes
        }
    }

    /// The result of checking one more message against a quota.
    public enum QuotaDecision: String, Hashable, Sendable, CaseIterable {
        /// The message fits into the quota.
        case fits
        /// There is room; the soft limit is exceeded, which the operator should know.
        case isOverSoftLimit
        /// There is no room; the message is refused.
        case isFull
    }

    /// The amount of queued mail above which the operator is warned.
    public var soft: MailboxAmount

    /// The hard limit, above which messages are refused.
    public var hard: MailboxAmount

    /// The age at which a message is dropped.
    public var age: Duration

    /// The default quota of an account: 1,000 messages, 64 MiB, seven days.
    public static let account = MailboxQuota(
        soft: MailboxAmount(count: 800, bytes: 48 << 20), hard: MailboxAmount(count: 1000, bytes: 64 << 20),
        age: .seconds(604_800))

    /// The default quota of one recipient key of an account: 400 messages, 16 MiB, seven days.
    public static let key = MailboxQuota(
        soft: MailboxAmount(count: 200, bytes: 8 << 20), hard: MailboxAmount(count: 400, bytes: 16 << 20),
        age: .seconds(604_800))

    /// Makes a quota; the soft limits are at most the hard ones, the age is positive.
    public init(soft: MailboxAmount, hard: MailboxAmount, age: Duration) {
        precondition(soft.count <= hard.count && soft.bytes <= hard.bytes && age > .zero, "soft limits come first")
        self.soft = soft
        self.hard = hard
        self.age = age
    }

    /// Checks one more message of `bytes` against the quota of a queue with `status`.
    public func verdict(adding bytes: Int, to status: QueueStatus) -> QuotaDecision {
        let (count, sum) = (status.count + 1, status.bytes + bytes)
        if count > hard.count || sum > hard.bytes { return .isFull }
        return count > soft.count || sum > soft.bytes ? .isOverSoftLimit : .fits
    }
}
