public import Aries
public import Determinism
import Dispatch

/// The store in a database of SQLite or PostgreSQL: one connection for writing, and one for reading.
public final class DatabaseStore: MediatorStore {
    /// The most messages that one step removes, so that other steps need not wait long.
    static let pruneStep = 200
    /// True when several instances may use the store.
    public let isShared: Bool

    let writer: TransactionQueue
    let reader: TransactionQueue
    let limits: StoreLimits
    private let usage: StoreUsage
    private let listener: StoreNotificationHandler
    private let atServing: @Sendable () throws(CloudAgentError) -> Void
    private let atClose: @Sendable () -> Void

    /// Makes a store on the connections of an engine, which `open` opens.
    ///
    /// - Parameters:
    ///   - isShared: whether several instances use it; then the engine itself announces mail, also to its own instance.
    ///   - thread: makes the thread on which the steps of a connection run.
    ///   - history: what is known of the steps of the store.
    ///   - readsApart: whether reads have a connection of their own; otherwise they queue behind writes.
    ///   - atServing: claims the store for a server.
    ///   - atClose: ends what the engine has beside its connections.
    init(
        limits: StoreLimits, isShared: Bool, listener: StoreNotificationHandler, history: StoreHistory = StoreHistory(),
        readsApart: Bool = true, thread: @escaping (_ label: String) -> StoreThread = DatabaseStore.thread,
        atServing: @escaping @Sendable () throws(CloudAgentError) -> Void = {},
        atClose: @escaping @Sendable () -> Void = {},
        open: @escaping @Sendable (_ isWriting: Bool) throws(CloudAgentError) -> any MediatorDatabaseConnection
    ) async throws(CloudAgentError) {
        self.isShared = isShared
        self.limits = limits
        let usage = StoreUsage(limit: limits.maximumBytes)
        self.usage = usage
        self.listener = listener
        self.atServing = atServing
        self.atClose = atClose
        let accept: TransactionQueue.Acceptance = { (database, mail) throws(CloudAgentError) in
            var acceptance = MailBatchWriter(database, limits: limits, usage: usage)
            return try acceptance.accept(mail)
        }
        let wentBack: @Sendable (StoreDataLoss) -> Void = { loss in
            usage.forget()
            listener.notify(.wentBack(loss))
        }
        writer = TransactionQueue(
            on: thread("symbolon.cloud.writer"), limits: limits, accept: accept, history: history,
            wentBack: wentBack
        ) {
            () throws(CloudAgentError) in
            try open(true)
        } notify: { notifications in
            guard !isShared else { return }
            for news in notifications { listener.notify(news) }
        }
        reader =
            readsApart
            ? TransactionQueue(
                on: thread("symbolon.cloud.reader"), isWriting: false, limits: limits, accept: accept,
                history: history, wentBack: wentBack
            ) {
                () throws(CloudAgentError) in try open(false)
            } : writer
        try await writer.start()
        if readsApart { try await reader.start() }
    }

    /// Makes a thread of the system, under a name, for the steps of one connection.
    static func thread(_ label: String) -> StoreThread {
        let queue = DispatchQueue(label: label)
        return { block in queue.async(execute: block) }
    }

    /// Runs a step that changes nothing.
    public func read<Value: Sendable>(
        _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value {
        try await perform(on: reader, step)
    }

    /// Runs a step that may change something.
    public func write<Value: Sendable>(
        adding bytes: Int?, _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value {
        try await perform(on: writer, adding: bytes, step)
    }

    private func perform<Value: Sendable>(
        on queue: TransactionQueue, adding: Int? = nil,
        _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value {
        let (limits, usage) = (limits, usage)
        return try await queue.perform(adding: adding) {
            (database) throws(CloudAgentError) in
            let transaction = StoreTransaction(database: database, limits: limits, usage: usage)
            do {
                return (try step(transaction), news: transaction.news.all)
            } catch let error as CloudAgentError {
                throw error
            } catch {
                throw CloudAgentError(.internal, "A step failed with an error of another module: \(error)")
            }
        }
    }

    /// Queues an envelope for its recipient.
    public func accept(_ mail: NewMail) async throws(CloudAgentError) -> ForwardHandler.ForwardStoreResult {
        do throws(CloudAgentError) {
            return try await writer.accept(HashedMail(mail))
        } catch {
            usage.forget()
            throw error
        }
    }

    /// The oldest of the selected messages.
    public func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int, claim: StoredClientRequest?
    ) async throws(CloudAgentError) -> StoredRequestOutcome<[QueuedMessage]> {
        guard let claim else {
            return .first(
                try await read { transaction in
                    try transaction.mail.fetch(selection, of: account, limit: limit, maximumBytes: maximumBytes)
                })
        }
        return try await write { transaction -> StoredRequestOutcome<[QueuedMessage]> in
            switch try transaction.requests.perform(.nothing, of: account, by: claim, answer: { _ in [] }) {
            case .first:
                .first(try transaction.mail.fetch(selection, of: account, limit: limit, maximumBytes: maximumBytes))
            case .repeated(let answer): .repeated(answer: answer)
            case .outdated: .outdated
            }
        }
    }

    /// Removes messages of an account.
    public func remove(
        _ ids: [String], of account: Int64, except exceptions: [UInt64]
    ) async throws(CloudAgentError) -> QueueStatus {
        let (status, bytes) = try await write { transaction in
            let bytes = try transaction.mail.remove(ids, of: account)
            return (try transaction.mail.status(of: account, key: nil, except: exceptions), bytes)
        }
        usage.add(-bytes)
        return status
    }

    /// Removes messages that came before `time`, a few in each step.
    public func prune(before time: WallTime, limit: Int) async throws(CloudAgentError) -> Int {
        var dropped = 0
        while dropped < limit {
            let room = min(Self.pruneStep, limit - dropped)
            let count = try await write { try $0.mail.prune(before: time, limit: room) }
            dropped += count
            if count > 0 { usage.forget() }
            if count < room { break }
        }
        return dropped
    }

    /// Sets the listener to messages and signals of any instance.
    public func listen(_ listener: @escaping @Sendable (StoreNotification) -> Void) {
        self.listener.listen(listener)
    }

    /// Claims the store for a server, as `MediatorStore` says.
    public func beginServing() async throws(CloudAgentError) { try atServing() }

    /// Closes both connections of the store after their waiting steps.
    public func close() async {
        await writer.close()
        await reader.close()
        atClose()
    }
}
