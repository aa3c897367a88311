public import Aries
public import Determinism
import Dispatch

/// A store in a database: one connection that writes, one that reads, and the same steps in every engine.
public final class DatabaseStore: AgentStore {
    /// How many messages one step of the upkeep drops at most, so that others need not wait long.
    static let pruneStep = 200
    /// How many envelopes are read and compared in one step.
    private static let compareStep = 16

    /// Whether several instances may use it.
    public let isShared: Bool

    let writer: StoreLane
    let reader: StoreLane
    let limits: StoreLimits
    private let usage: StoreUsage
    private let listener: StoreListener
    private let atServing: @Sendable () throws(CloudAgentError) -> Void
    private let atClose: @Sendable () -> Void

    /// - Parameters:
    ///   - isShared: whether several instances use it; then the engine itself tells of mail, its own instance included.
    ///   - thread: makes what the steps of a connection run on.
    ///   - readsApart: whether reading has a connection of its own; otherwise it waits its turn behind what is written.
    ///   - atServing: takes the store for a server.
    ///   - atClose: ends what the engine has beside its connections.
    init(
        limits: StoreLimits, isShared: Bool, listener: StoreListener,
        readsApart: Bool = true, thread: @escaping (_ label: String) -> StoreThread = DatabaseStore.thread,
        atServing: @escaping @Sendable () throws(CloudAgentError) -> Void = {},
        atClose: @escaping @Sendable () -> Void = {},
        open: @escaping @Sendable (_ isWriting: Bool) throws(CloudAgentError) -> any AgentDatabase
    ) async throws(CloudAgentError) {
        self.isShared = isShared
        self.limits = limits
        usage = StoreUsage(limit: limits.maximumBytes)
        self.listener = listener
        self.atServing = atServing
        self.atClose = atClose
        writer = StoreLane(on: thread("symbolon.cloud.writer"), isWriting: true, limits: limits) {
            () throws(CloudAgentError) in
            try open(true)
        } told: { told in
            guard !isShared else { return }
            for news in told { listener.tell(news) }
        }
        reader =
            readsApart
            ? StoreLane(on: thread("symbolon.cloud.reader"), isWriting: false, limits: limits) {
                () throws(CloudAgentError) in try open(false)
            } : writer
        try await writer.start()
        if readsApart { try await reader.start() }
    }

    /// A thread of the system for each name.
    static func thread(_ label: String) -> StoreThread {
        let queue = DispatchQueue(label: label)
        return { block in queue.async(execute: block) }
    }

    /// - Parameter adding: how many bytes the step adds at most; nil for one that adds nothing, or little.
    func write<Value: Sendable>(
        adding: Int? = nil, _ body: @escaping @Sendable (StoreSteps) throws(CloudAgentError) -> Value
    ) async throws(CloudAgentError) -> Value {
        let limits = limits
        return try await writer.perform(adding: adding) { (database) throws(CloudAgentError) in
            (try body(StoreSteps(database: database, limits: limits)), news: nil)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreSteps) throws(CloudAgentError) -> Value
    ) async throws(CloudAgentError) -> Value {
        let limits = limits
        return try await reader.perform { (database) throws(CloudAgentError) in
            (try body(StoreSteps(database: database, limits: limits)), news: nil)
        }
    }

    /// A step that others are told of.
    func tell<Value: Sendable>(
        _ body: @escaping @Sendable (StoreSteps) throws(CloudAgentError) -> (Value, news: StoreNews?)
    ) async throws(CloudAgentError) -> Value {
        let limits = limits
        return try await writer.perform { (database) throws(CloudAgentError) in
            try body(StoreSteps(database: database, limits: limits))
        }
    }

    /// Keeps an envelope for its recipient.
    public func accept(_ mail: NewMail) async throws(CloudAgentError) -> ForwardIntake.Outcome {
        let (limits, usage, digest) = (limits, usage, EnvelopeDigest.of(mail.envelope))
        do throws(CloudAgentError) {
            return try await writer.perform(
                bytes: mail.envelope.count, adding: mail.envelope.count, needsMark: false
            ) { (database) throws(CloudAgentError) in
                let steps = StoreSteps(database: database, limits: limits)
                let used = try usage.read { () throws(CloudAgentError) in try steps.messageBytes() }
                let (outcome, account) = try steps.accept(mail, digest: digest, room: limits.maximumBytes - used)
                if account != nil { usage.add(mail.envelope.count) }
                if outcome == .full { usage.refused() }
                return (outcome, news: account.map { .mail($0) })
            }
        } catch {
            usage.forget()
            throw error
        }
    }

    /// The oldest of the selected messages.
    public func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int, claim: StoredRequest?
    ) async throws(CloudAgentError) -> RequestOutcome<[QueuedMessage]> {
        guard let claim else {
            return .first(
                try await read { (steps) throws(CloudAgentError) in
                    try steps.fetch(selection, of: account, limit: limit, maximumBytes: maximumBytes)
                })
        }
        return try await write { (steps) throws(CloudAgentError) -> RequestOutcome<[QueuedMessage]> in
            switch try steps.perform(.nothing, of: account, by: claim, answer: { _ in [] }) {
            case .first:
                .first(try steps.fetch(selection, of: account, limit: limit, maximumBytes: maximumBytes))
            case .repeated(let answer): .repeated(answer: answer)
            case .outdated: .outdated
            }
        }
    }

    /// Makes a change of an account once for each request.
    public func change(
        _ change: AccountChange, of account: Int64, by request: StoredRequest?,
        answer: @escaping @Sendable (AccountChange.Result) -> [UInt8]
    ) async throws(CloudAgentError) -> RequestOutcome<AccountChange.Result> {
        try await write(adding: change.adds ? 0 : nil) { (steps) throws(CloudAgentError) in
            try steps.perform(change, of: account, by: request, answer: answer)
        }
    }

    /// How much waits.
    public func status(of account: Int64, key: KeyHash?) async throws(CloudAgentError) -> QueueStatus {
        try await read { (steps) throws(CloudAgentError) in try steps.status(of: account, key: key) }
    }

    /// Forgets messages.
    public func remove(_ ids: [String], of account: Int64) async throws(CloudAgentError) -> QueueStatus {
        let (status, bytes) = try await write { (steps) throws(CloudAgentError) in
            let bytes = try steps.remove(ids, of: account)
            return (try steps.status(of: account, key: nil), bytes)
        }
        usage.add(-bytes)
        return status
    }

    /// A part of an account's keys.
    public func keys(
        of account: Int64, offset: Int, limit: Int
    ) async throws(CloudAgentError) -> (bodies: [[UInt8]], total: Int) {
        try await read { (steps) throws(CloudAgentError) in
            try steps.keys(of: account, offset: offset, limit: limit)
        }
    }

    /// Opens an account.
    public func openAccount(
        _ body: [UInt8], keys: [OwnKey], at now: WallTime
    ) async throws(CloudAgentError) -> Int64 {
        try await write(adding: body.count) { (steps) throws(CloudAgentError) in
            try steps.openAccount(body, keys: keys, at: now)
        }
    }

    /// An account.
    public func account(_ number: Int64) async throws(CloudAgentError) -> AccountEntry? {
        try await read { (steps) throws(CloudAgentError) in try steps.account(number) }
    }

    /// Accounts in the order of their numbers.
    public func accounts(after number: Int64, limit: Int) async throws(CloudAgentError) -> [AccountEntry] {
        try await read { (steps) throws(CloudAgentError) in try steps.accounts(after: number, limit: limit) }
    }

    /// The oldest accounts that are not served.
    public func unserved(
        before time: WallTime, after last: AccountEntry?, limit: Int
    ) async throws(CloudAgentError) -> [AccountEntry] {
        try await read { (steps) throws(CloudAgentError) in
            try steps.unserved(before: time, after: last, limit: limit)
        }
    }

    /// The accounts whose clients were not heard.
    public func silent(
        since time: WallTime, heardWithin span: Duration?, limit: Int
    ) async throws(CloudAgentError) -> [AccountEntry] {
        try await read { (steps) throws(CloudAgentError) in
            try steps.silent(since: time, heardWithin: span, limit: limit)
        }
    }

    /// The accounts for which most messages wait.
    public func busiest(limit: Int) async throws(CloudAgentError) -> [AccountEntry] {
        try await read { (steps) throws(CloudAgentError) in try steps.busiest(limit: limit) }
    }

    /// Changes what is kept of an account.
    public func update(
        _ number: Int64, body: [UInt8]?, isServed: Bool?, seen: WallTime?
    ) async throws(CloudAgentError) {
        try await write { (steps) throws(CloudAgentError) in
            try steps.update(number, body: body, isServed: isServed, seen: seen)
        }
    }

    /// Forgets an account.
    public func closeAccount(_ number: Int64, allowsReopening: Bool) async throws(CloudAgentError) -> Bool {
        usage.forget()
        return try await tell { (steps) throws(CloudAgentError) in
            let isClosed = try steps.closeAccount(number, allowsReopening: allowsReopening)
            return (isClosed, news: isClosed ? .signals : nil)
        }
    }

    /// Adds keys of the agent.
    public func addOwnKeys(_ keys: [OwnKey]) async throws(CloudAgentError) {
        try await write(adding: 0) { (steps) throws(CloudAgentError) in
            for key in keys { try steps.add(key, account: key.account) }
        }
    }

    /// A key of the agent.
    public func ownKey(_ hash: KeyHash) async throws(CloudAgentError) -> OwnKey? {
        try await read { (steps) throws(CloudAgentError) in try steps.ownKey(hash) }
    }

    /// A value kept under a name.
    public func setting(_ name: String) async throws(CloudAgentError) -> [UInt8]? {
        try await read { (steps) throws(CloudAgentError) in try steps.setting(name) }
    }

    /// Keeps a value under a name unless there is one.
    public func settle(_ name: String, _ value: [UInt8]) async throws(CloudAgentError) -> [UInt8] {
        try await write(adding: value.count) { (steps) throws(CloudAgentError) in try steps.settle(name, value) }
    }

    /// Drops messages that came before `time`, a few in each step.
    public func prune(before time: WallTime, limit: Int) async throws(CloudAgentError) -> Int {
        var dropped = 0
        while dropped < limit {
            let room = min(Self.pruneStep, limit - dropped)
            let count = try await write { (steps) throws(CloudAgentError) in
                try steps.prune(before: time, limit: room)
            }
            dropped += count
            if count > 0 { usage.forget() }
            if count < room { break }
        }
        return dropped
    }

    /// How much there is.
    public func totals() async throws(CloudAgentError) -> StoreTotals {
        try await read { (steps) throws(CloudAgentError) in try steps.totals() }
    }

    /// Holds every part against the others.
    public func check() async throws(CloudAgentError) -> [String] {
        let findings = try await read { (steps) throws(CloudAgentError) in try steps.check() }
        let changed = try await compareEnvelopes().changed
        return changed == 0 ? findings : findings + ["A message has other bytes than were accepted (\(changed) times)."]
    }

    /// How many messages have no digest.
    public func uncheckedMessages() async throws(CloudAgentError) -> Int { try await compareEnvelopes().unknown }

    /// A few envelopes in each step, so that others need not wait long and the log can begin anew.
    private func compareEnvelopes() async throws(CloudAgentError) -> (changed: Int, unknown: Int) {
        var (sum, last): ((changed: Int, unknown: Int), Int64) = ((0, 0), 0)
        while true {
            let (from, step) = (last, Self.compareStep)
            let found = try await read { (steps) throws(CloudAgentError) in
                try steps.compareEnvelopes(after: from, limit: step)
            }
            sum = (sum.changed + found.changed, sum.unknown + found.unknown)
            guard let end = found.last, !Task.isCancelled else { return sum }
            last = end
        }
    }

    /// Tells what any instance did.
    public func listen(_ listener: @escaping @Sendable (StoreNews) -> Void) {
        self.listener.listen(listener)
    }

    /// Takes the store for a server.
    public func beginServing() async throws(CloudAgentError) { try atServing() }

    /// Ends the use of the store.
    public func close() async {
        await writer.close()
        await reader.close()
        atClose()
    }
}
