public import Aries
public import Determinism

/// The keyed hash of a key, or of another value that is only looked up.
public struct KeyHash: Hashable, Sendable, Comparable {
    /// The number of bytes.
    public static let byteCount = 32

    /// 32 bytes.
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

/// What a store allows.
public struct StoreLimits: Hashable, Sendable {
    /// How much may wait for one account; its age holds for all messages.
    public var account = MailboxQuota.account
    /// How much may wait for one key; its age is not looked at.
    public var key = MailboxQuota.key
    /// How many bytes the messages of all accounts may have together; an account may have a quarter of what is left.
    public var maximumBytes = 10 << 30
    /// The most keys of one account.
    public var maximumKeys = 10_000
    /// The most accounts.
    public var maximumAccounts = 100_000
    /// How many of the last requests that take over delivery, or hand messages out without an acknowledgement, are
    /// remembered for each account.
    public var rememberedClaims = 1024
    /// How many of the last requests that change something are remembered for each account: as many as it takes to
    /// register and to remove as many keys as an account may have, one at a time.
    public var rememberedChanges = 20_000
    /// How many of the last messages that counted as a sign that the client is there, and do not say when they were sent, are
    /// remembered for each account.
    public var rememberedSigns = 256
    /// How many connections of closed accounts are remembered, so that the request that opened one opens no other.
    public var rememberedConnections = 100_000
    /// How many steps may wait; one more is `cloud.store.busy`.
    public var maximumWaitingSteps = 8192
    /// The most bytes of the steps that wait.
    public var maximumWaitingBytes = 128 << 20

    /// The usual limits.
    public init() {}
}

/// One client of the agent, as the store holds it.
public struct AccountEntry: Hashable, Sendable {
    /// The store's number of it, never used again.
    public let number: Int64
    /// When it was opened.
    public let created: WallTime
    /// When its client was last heard.
    public var seen: WallTime
    /// Whether mediation was granted.
    public var isServed: Bool
    /// What else there is to know, sealed.
    public var body: [UInt8]
    /// How much waits.
    public let queue: QueueStatus
    /// How many keys it has registered.
    public let keyCount: Int
}

/// A key of the agent itself.
public struct OwnKey: Hashable, Sendable {
    /// What it is for.
    public enum Kind: Int64, Hashable, Sendable, CaseIterable {
        /// Requests that follow an invitation.
        case invitation = 1
        /// The connection with an account.
        case connection = 2
        /// Forwards to the keys of an account that share it, or to the one that has it for itself.
        case routing = 3
        /// No key, but a name of the operator's under which an account was opened.
        case name = 4
    }

    /// By which it is found.
    public let hash: KeyHash
    /// What it is for.
    public let kind: Kind
    /// Whose it is; nil for the agent's own.
    public let account: Int64?
    /// What it is made of, sealed.
    public let body: [UInt8]

    /// Describes a key.
    public init(_ hash: KeyHash, _ kind: Kind, account: Int64?, body: [UInt8]) {
        self.hash = hash
        self.kind = kind
        self.account = account
        self.body = body
    }
}

/// A change in the list of a client's keys.
public struct StoredKeyChange: Hashable, Sendable {
    /// By which the key is found.
    public let hash: KeyHash
    /// Whether it is to be added.
    public let isAddition: Bool
    /// The routing key through which messages to it come.
    public let routing: KeyHash
    /// The key, sealed.
    public let body: [UInt8]

    /// Describes a change.
    public init(_ hash: KeyHash, isAddition: Bool, routing: KeyHash, body: [UInt8]) {
        self.hash = hash
        self.isAddition = isAddition
        self.routing = routing
        self.body = body
    }
}

/// An envelope that is to wait for its recipient.
public struct NewMail: Hashable, Sendable {
    /// The routing key that it came through.
    public let routing: KeyHash
    /// The key that it is for.
    public let recipient: KeyHash
    /// When it came.
    public let arrival: WallTime
    /// A random part of its identifier, which cannot be guessed.
    public let tag: UInt32
    /// The envelope.
    public let envelope: [UInt8]

    /// Describes an envelope.
    public init(routing: KeyHash, recipient: KeyHash, arrival: WallTime, tag: UInt32, envelope: [UInt8]) {
        self.routing = routing
        self.recipient = recipient
        self.arrival = arrival
        self.tag = tag
        self.envelope = envelope
    }
}

/// Which messages of an account are meant.
public enum MailSelection: Hashable, Sendable {
    /// Those behind a position, of one key or of all.
    case after(UInt64, key: KeyHash?)
    /// Those with these identifiers.
    case ids([String])
}

/// How many things of a kind a store holds.
public struct StoreTotals: Hashable, Sendable {
    /// Accounts.
    public var accounts = 0
    /// Keys of clients.
    public var keys = 0
    /// Messages that wait.
    public var messages = 0
    /// The bytes of their envelopes.
    public var bytes = 0
    /// When the oldest of them came; nil when none waits.
    public var oldest: WallTime?
}

/// What the instances of an agent tell each other.
public enum StoreNews: Hashable, Sendable {
    /// A message has come for an account.
    case mail(Int64)
    /// Messages may have come for any account, without a notice of which.
    case anyMail
    /// There are new signals.
    case signals
}

/// Something that every instance is to know, kept in the store until it is known.
public struct StoreSignal: Hashable, Sendable {
    /// What happened to an account.
    public enum Kind: Int64, Hashable, Sendable, CaseIterable {
        /// It was closed.
        case closed = 1
        /// An instance has its client on a WebSocket and tells it of mail from now on.
        case live = 2
    }

    /// Its position among all signals.
    public let number: Int64
    /// What happened.
    public let kind: Kind
    /// To which account.
    public let account: Int64
    /// Which instance did it; 0 for a command, which is no instance.
    public let instance: Int64
}

/// What one instance at a time does for an account.
public enum StoreHold: Int64, Hashable, Sendable, CaseIterable {
    /// It tells the client of mail on a WebSocket; the newest one counts.
    case live = 1
    /// It brings mail to the client's address.
    case delivery = 2
    /// It wakes the client.
    case wake = 3
}

/// How the client of an account is woken, and up to which position it was.
public struct WakeEntry: Hashable, Sendable {
    /// Where to, sealed.
    public let body: [UInt8]
    /// The position in the queue up to which the client needs no wake-up any more.
    public let settled: UInt64
    /// When it was woken last; nil for never.
    public let woken: WallTime?
    /// The position of the newest message that ever came.
    public let newest: UInt64
    /// How many messages wait.
    public let count: Int
}

/// The identifier of a message: its position in the queue of its account, and a part that cannot be guessed.
enum MessageID {
    static func text(position: UInt64, tag: UInt32) -> String { "\(position)-\(tag)" }

    /// Nil for a text that was never given out.
    static func read(_ text: String) -> (position: Int64, tag: Int64)? {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 2, let position = Int64(parts[0]), let tag = UInt32(parts[1]), position > 0 else {
            return nil
        }
        return (position, Int64(tag))
    }
}
