public import Aries
import ByteCoding
public import Determinism

/// The keyed hash of a key, or of another value that is only compared.
public struct KeyHash: Hashable, Sendable, Comparable {
    /// The length of the hash in bytes.
    public static let byteCount = 32

    /// The 32 bytes of the keyed hash.
    public let bytes: [UInt8]

    /// Takes 32 bytes; nil for any other number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Orders hashes by their bytes.
    public static func < (left: KeyHash, right: KeyHash) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// The limits of a store; an operator changes those that depend on its disk, its users and its database.
public struct StoreLimits: Hashable, Sendable {
    /// The quota of one account; its age holds for all messages.
    public var account = MailboxQuota.account
    /// The quota of one key; its age is not used.
    public var key = MailboxQuota.key
    /// The most bytes of the messages of all accounts together; an account may have a quarter of what is free.
    public var maximumBytes = 10 << 30
    /// The most keys of one account.
    public var maximumKeys = 10_000
    /// The most accounts in the store.
    public var maximumAccounts = 100_000
    /// The number of the last requests for messages that are remembered for each account.
    ///
    /// They take over delivery, or fetch messages without an acknowledgement.
    package var rememberedClaims = 1024
    /// The number of the last changing requests that are remembered for each account.
    ///
    /// It is the number it takes to register and to remove as many keys as an account may have, one at a time.
    package var rememberedChanges = 20_000
    /// The number of the last signs of an active client that are remembered for each account.
    ///
    /// Such a sign is a message that shows the client as active, and states no sending time.
    static let rememberedSigns = 256
    /// The number of invitations of each account that are served at short links; one more replaces the oldest.
    static let shortLinks = 16
    /// The number of connections of closed accounts that are remembered.
    ///
    /// The request that opened one of them then opens no other.
    package var rememberedConnections = 100_000
    /// The most steps that may wait; one more is `cloud.store.busy`.
    package var maximumWaitingSteps = 8192
    /// The most bytes of waiting steps.
    package var maximumWaitingBytes = 128 << 20
    /// The time that a database may take for a step, before the step is given up as `cloud.store.silent`.
    public var silence = Duration.seconds(10)
    /// True when nothing is taken while a database has no synchronous standby.
    public var requiresReplica = false

    /// Makes store limits with the default values.
    public init() {}
}

/// One client of the agent, as stored.
public struct AccountEntry: Hashable, Sendable {
    /// The account's number in the store, never used again.
    public let number: Int64
    /// The time at which the account was opened.
    public let created: WallTime
    /// The time of the client's last message.
    public var seen: WallTime
    /// True once mediation was granted.
    public var isServed: Bool
    /// The rest of the record, sealed.
    public var body: [UInt8]
    /// The state of the account's message queue.
    public let queue: QueueStatus
    /// The number of keys that the account has registered.
    public let keyCount: Int
}

/// A key of the agent itself.
public struct MediatorKey: Hashable, Sendable {
    /// The purpose of a key.
    public enum StoredKeyPurpose: Int64, Hashable, Sendable, CaseIterable {
        /// The key receives requests that follow an invitation.
        case invitation = 1
        /// The key is that of the connection with an account.
        case connection = 2
        /// The key receives forwards to the keys of an account that share it, or to the only one that it serves.
        case routing = 3
        /// The entry is no key, but a name of the operator's list under which an account was opened.
        case name = 4
    }

    /// The keyed hash that identifies the key.
    public let hash: KeyHash
    /// The purpose of the key.
    public let kind: StoredKeyPurpose
    /// The account that owns the key; nil for keys of the mediator.
    public let account: Int64?
    /// The private half, sealed.
    public let body: [UInt8]

    /// Makes an own key from its parts.
    public init(_ hash: KeyHash, _ kind: StoredKeyPurpose, account: Int64?, body: [UInt8]) {
        self.hash = hash
        self.kind = kind
        self.account = account
        self.body = body
    }
}

/// A change in the list of a client's keys.
public struct StoredKeyChange: Hashable, Sendable {
    /// The hash that identifies the key.
    public let hash: KeyHash
    /// True when the key is added, false when it is removed.
    public let isAddition: Bool
    /// The routing key of messages to the recipient key.
    public let routing: KeyHash
    /// The recipient key, encrypted.
    public let body: [UInt8]

    /// Makes a stored key change from its parts.
    public init(_ hash: KeyHash, isAddition: Bool, routing: KeyHash, body: [UInt8]) {
        self.hash = hash
        self.isAddition = isAddition
        self.routing = routing
        self.body = body
    }
}

/// An envelope to queue for its recipient.
public struct NewMail: Hashable, Sendable {
    /// The routing key that it came through.
    public let routing: KeyHash
    /// The hash of the recipient key.
    public let recipient: KeyHash
    /// The time at which the message arrived.
    public let arrival: WallTime
    /// A random, unguessable part of its identifier.
    public let tag: UInt32
    /// The envelope to store.
    public let envelope: [UInt8]

    /// Makes a new message from its parts.
    public init(routing: KeyHash, recipient: KeyHash, arrival: WallTime, tag: UInt32, envelope: [UInt8]) {
        self.routing = routing
        self.recipient = recipient
        self.arrival = arrival
        self.tag = tag
        self.envelope = envelope
    }
}

/// A selection of an account's messages.
public enum MailSelection: Hashable, Sendable {
    /// Messages behind a position, of one key or of all keys, without those at the positions `except`.
    case after(UInt64, key: KeyHash?, except: [UInt64] = [])
    /// Messages with these identifiers.
    case ids([String])
}

/// The counts of a store.
public struct StoreTotals: Hashable, Sendable {
    /// The number of accounts.
    public var accounts = 0
    /// The number of clients' recipient keys.
    public var keys = 0
    /// The number of queued messages.
    public var messages = 0
    /// The bytes of the envelopes of all queued messages.
    public var bytes = 0
    /// The bytes that the database takes; 0 where its engine does not say.
    public var databaseBytes = 0
    /// The arrival time of the oldest queued message; nil when none is queued.
    public var oldest: WallTime?
    /// The loss when the store went back to an earlier state; nil when there was none, or an operator has seen it.
    public var loss: RecordedStoreDataLoss?
}

/// A notification between the instances of an agent.
public enum StoreNotification: Hashable, Sendable {
    /// A message has come for an account.
    case mail(Int64)
    /// Messages may have come for any account.
    case anyMail
    /// There are new signals.
    case signals
    /// The store is in an earlier state than before.
    case wentBack(StoreDataLoss)
    /// The database is replicated in this way now; told again and again.
    case replication(StoreReplication)
    /// The database is not as it should be, which no step of this instance need have met.
    case failed(CloudAgentError)
}

/// The part that is gone of a store that went back to an earlier state.
public struct StoreDataLoss: Hashable, Sendable {
    /// The answered steps that are gone at most; nil when it is another store altogether.
    public let steps: Int64?
    /// The time since the newest step of before was last seen.
    public let age: Duration
    /// The timeline of the database's server before; nil where it is not known.
    public let timelineBefore: Int64?
    /// Its timeline now.
    public let timelineAfter: Int64?

    package init(steps: Int64?, age: Duration, timelineBefore: Int64?, timelineAfter: Int64?) {
        self.steps = steps
        self.age = age
        self.timelineBefore = timelineBefore
        self.timelineAfter = timelineAfter
    }
}

/// A signal to every instance, kept in the store.
public struct StoreSignal: Hashable, Sendable {
    /// The event of an account.
    public enum Kind: Int64, Hashable, Sendable, CaseIterable {
        /// The account was closed.
        case closed = 1
        /// An instance has its live client from now on.
        case live = 2
    }

    /// The position of the signal among all signals.
    public let number: Int64
    /// The event that the signal reports.
    public let kind: Kind
    /// The account that the signal is about.
    public let account: Int64
    /// The instance that caused it; 0 for a command, which is no instance.
    public let instance: Int64
}

/// The tasks for an account that only one instance at a time has.
public enum ExclusiveAccountTask: Int64, Hashable, Sendable, CaseIterable {
    /// The instance has the account's live client; the newest hold counts.
    case live = 1
    /// The instance delivers messages to the client's address.
    case delivery = 2
    /// The instance posts to the client's webhook.
    case wake = 3
}

/// The webhook of an account's client, and up to which position it was woken.
public struct WebhookEntry: Hashable, Sendable {
    /// The webhook, encrypted.
    public let body: [UInt8]
    /// The position in the queue up to which no wake-up is needed any more.
    public let settled: UInt64
    /// The time of the last webhook call; nil for never.
    public let woken: WallTime?
    /// The position of the newest message that ever came.
    public let newest: UInt64
    /// The number of messages that wait.
    public let count: Int
}

/// The identifier of a message: its position in the queue of its account, and an unguessable part.
enum StoredMessageID {
    static func text(position: UInt64, tag: UInt32) -> String { "\(position)-\(tag)" }

    /// Reads an identifier of a message in its text form; nil for a text that was never issued.
    static func read(_ text: String) -> (position: Int64, tag: Int64)? {
        let parts = text.parts(at: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 2, let position = Int64(parts[0]), let tag = UInt32(parts[1]), position > 0 else {
            return nil
        }
        return (position, Int64(tag))
    }
}
