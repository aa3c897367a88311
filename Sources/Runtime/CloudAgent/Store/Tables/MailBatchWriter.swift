import Aries
import Determinism

/// A message to queue, with the checksum of its envelope.
struct HashedMail: Sendable {
    let mail: NewMail
    let digest: Int64

    /// Computes the checksum of a message's envelope.
    init(_ mail: NewMail) { (self.mail, digest) = (mail, EnvelopeChecksum.of(mail.envelope)) }
}

/// The two names of the queues that a message goes to.
struct MailQueueHashes: Hashable {
    let recipient: KeyHash
    let routing: KeyHash
}

/// The counts of the queue of a key or of an account, with what a transaction adds to them.
struct MailQueueCounts {
    let number: Int64
    private(set) var count: Int64
    private(set) var bytes: Int64
    private(set) var position: Int64
    private(set) var added = QueueCountChanges()

    /// The numbers that a transaction adds to the counts of a queue.
    struct QueueCountChanges {
        var count: Int64 = 0
        var bytes: Int64 = 0
        var positions: Int64 = 0
    }

    init(number: Int64, count: Int64, bytes: Int64, position: Int64) {
        self.number = number
        self.count = count
        self.bytes = bytes
        self.position = position
    }

    /// Counts one more message; returns whether a soft limit is exceeded then, or nil when the queue is full.
    mutating func occupy(_ size: Int64, _ quota: MailboxQuota) -> Bool? {
        guard count < quota.hard.count, bytes <= Int64(quota.hard.bytes) - size else { return nil }
        add(1, size)
        position += 1
        added.positions += 1
        return count > quota.soft.count || bytes > quota.soft.bytes
    }

    /// Takes the last message out of the counts; its position is not used again.
    mutating func release(_ size: Int64) { add(-1, -size) }

    private mutating func add(_ count: Int64, _ bytes: Int64) {
        self.count += count
        self.bytes += bytes
        added.count += count
        added.bytes += bytes
    }
}

/// The queues of a key and of its account.
struct KeyAndAccountQueueCounts {
    let key: MailQueueCounts
    let account: MailQueueCounts
}

/// The rows that a transaction writes for its messages.
struct MailTransactionRows {
    /// A row of a message.
    struct ChangedMessageRow {
        let account: Int64
        let position: Int64
        let key: Int64
        let hashed: HashedMail
    }

    /// The queues of keys and of accounts whose counts change, by their numbers.
    var keys: [MailQueueCounts]
    var accounts: [MailQueueCounts]
    /// The messages, in the order in which they were accepted.
    var messages: [ChangedMessageRow]
}

/// Queues the messages of one transaction together: it reads each queue once, decides in memory, and writes each queue
/// once.
///
/// A writing transaction excludes all others, so what it has read stays true until it ends.
struct MailBatchWriter {
    /// The divisor of the store's free room: one account may use a quarter of it, so that the others keep theirs.
    private static let shares = 4

    private let database: any MediatorDatabaseConnection
    private let limits: StoreLimits
    private let usage: StoreUsage
    /// The number of the queue of a key and of its account, of each address.
    private var found: [MailQueueHashes: (key: Int64, account: Int64)] = [:]
    private var keys: [Int64: MailQueueCounts] = [:]
    private var accounts: [Int64: MailQueueCounts] = [:]
    private var messages: [MailTransactionRows.ChangedMessageRow] = []
    /// The bytes of the messages that are accepted and not written yet.
    private var unwrittenBytes = 0

    init(_ database: any MediatorDatabaseConnection, limits: StoreLimits, usage: StoreUsage) {
        self.database = database
        self.limits = limits
        self.usage = usage
    }

    /// Queues each envelope for its recipient, if the routing key is the one that the recipient's owner registered it
    /// with, as if they came one after the other.
    ///
    /// - Returns: an outcome for each, and the news.
    mutating func accept(
        _ batch: [HashedMail]
    ) throws(CloudAgentError) -> (outcomes: [ForwardHandler.ForwardStoreResult], news: [StoreNotification]) {
        try find(batch)
        var outcomes: [ForwardHandler.ForwardStoreResult] = []
        outcomes.reserveCapacity(batch.count)
        for hashed in batch { outcomes.append(try accept(hashed)) }
        guard !messages.isEmpty || keys.values.contains(where: { $0.added.positions > 0 }) else {
            return (outcomes, [])
        }
        let changed = { (queues: [Int64: MailQueueCounts]) in
            queues.values.filter { $0.added.positions > 0 }.sorted { $0.number < $1.number }
        }
        try database.store(MailTransactionRows(keys: changed(keys), accounts: changed(accounts), messages: messages))
        return (outcomes, messages.map { .mail($0.account) })
    }

    private mutating func find(_ batch: [HashedMail]) throws(CloudAgentError) {
        var known: Set<MailQueueHashes> = []
        let addresses = batch.map { MailQueueHashes(recipient: $0.mail.recipient, routing: $0.mail.routing) }
            .filter { known.insert($0).inserted }
        for (address, queues) in zip(addresses, try database.queues(of: addresses)) {
            guard let queues else { continue }
            found[address] = (queues.key.number, queues.account.number)
            keys[queues.key.number] = queues.key
            accounts[queues.account.number] = queues.account
        }
    }

    private mutating func accept(_ hashed: HashedMail) throws(CloudAgentError) -> ForwardHandler.ForwardStoreResult {
        let (database, unwritten) = (database, unwrittenBytes)
        let used = try usage.read { () throws(CloudAgentError) in try database.messageBytes() + unwritten }
        let outcome = try accept(hashed, room: limits.maximumBytes - used)
        switch outcome {
        case .stored, .storedOverSoftLimit:
            usage.add(hashed.mail.envelope.count)
            unwrittenBytes += hashed.mail.envelope.count
        case .full: usage.refused()
        case .unknown, .isRoutingKey, .failed: break
        }
        return outcome
    }

    /// Queues one envelope for its recipient, if there is room for it.
    ///
    /// - Parameter room: the number of bytes by which the total of all messages may still grow.
    private mutating func accept(
        _ hashed: HashedMail, room: Int
    ) throws(CloudAgentError) -> ForwardHandler.ForwardStoreResult {
        let mail = hashed.mail
        let size = Int64(mail.envelope.count)
        guard let queue = found[MailQueueHashes(recipient: mail.recipient, routing: mail.routing)] else {
            let own = try MediatorKeyTable(database: database).key(mail.recipient)
            return own?.kind == .routing ? .isRoutingKey : .unknown
        }
        guard let isKeyOverSoftLimit = keys[queue.key]?.occupy(size, limits.key) else { return .full }
        // The fuller the store, the less may wait for each account, so that no account takes all the room.
        var quota = limits.account
        quota.hard.bytes = min(quota.hard.bytes, room / Self.shares)
        guard let isAccountOverSoftLimit = accounts[queue.account]?.occupy(size, quota),
            let position = accounts[queue.account]?.position
        else {
            keys[queue.key]?.release(size)
            return .full
        }
        messages.append(
            MailTransactionRows.ChangedMessageRow(
                account: queue.account, position: position, key: queue.key, hashed: hashed))
        return isKeyOverSoftLimit || isAccountOverSoftLimit ? .storedOverSoftLimit : .stored
    }
}

extension MediatorDatabaseConnection {
    /// The bytes of all messages.
    func messageBytes() throws(CloudAgentError) -> Int {
        try first("SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM accounts")?.count(0) ?? 0
    }

    func queues(of addresses: [MailQueueHashes]) throws(CloudAgentError) -> [KeyAndAccountQueueCounts?] {
        var found: [KeyAndAccountQueueCounts?] = []
        for address in addresses {
            let row = try first(
                "SELECT client_keys.number, client_keys.count, client_keys.bytes, client_keys.position, "
                    + "accounts.number, accounts.count, accounts.bytes, accounts.position "
                    + "FROM client_keys JOIN accounts ON accounts.number = client_keys.account "
                    + "WHERE client_keys.hash = $1 AND client_keys.routing = $2",
                [.blob(address.recipient.bytes), .blob(address.routing.bytes)])
            found.append(try row.map { (row) throws(CloudAgentError) in try KeyAndAccountQueueCounts(row, from: 0) })
        }
        return found
    }

    func store(_ changes: MailTransactionRows) throws(CloudAgentError) {
        try count(changes.keys, in: "client_keys")
        try count(changes.accounts, in: "accounts")
        for message in changes.messages {
            let mail = message.hashed.mail
            try run(
                "INSERT INTO messages (account, position, key, tag, arrived, size, envelope, digest) "
                    + "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                [
                    .integer(message.account), .integer(message.position), .integer(message.key),
                    .integer(Int64(mail.tag)), .integer(mail.arrival.millisecondsSinceEpoch),
                    .integer(Int64(mail.envelope.count)), .blob(mail.envelope), .integer(message.hashed.digest),
                ])
        }
    }

    private func count(_ queues: [MailQueueCounts], in table: String) throws(CloudAgentError) {
        for queue in queues {
            try run(
                "UPDATE \(table) SET count = count + $1, bytes = bytes + $2, position = position + $3 "
                    + "WHERE number = $4",
                [
                    .integer(queue.added.count), .integer(queue.added.bytes), .integer(queue.added.positions),
                    .integer(queue.number),
                ])
        }
    }
}

extension KeyAndAccountQueueCounts {
    /// Reads number, count, bytes and position of a key's queue, and then those of the account's.
    init(_ row: StoreRow, from column: Int) throws(CloudAgentError) {
        key = try MailQueueCounts(row, from: column)
        account = try MailQueueCounts(row, from: column + 4)
    }
}

extension MailQueueCounts {
    fileprivate init(_ row: StoreRow, from column: Int) throws(CloudAgentError) {
        self.init(
            number: try row.integer(column), count: try row.integer(column + 1), bytes: try row.integer(column + 2),
            position: try row.integer(column + 3))
    }
}
