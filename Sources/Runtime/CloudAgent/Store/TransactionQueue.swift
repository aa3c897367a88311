import Aries
import Determinism

/// Runs the blocks of one connection, each after the one before it has ended.
typealias StoreThread = @Sendable (@escaping @Sendable () -> Void) -> Void

/// Runs the steps of one connection on one thread, waiting ones together in one transaction, so that one
/// synchronisation of the disk serves all of them.
final class TransactionQueue: @unchecked Sendable {
    // Invariant: `database` is used on `thread` alone, which runs one block at a time; the rest is guarded or
    // immutable.

    /// A transaction that waits in the queue.
    struct Job: Sendable {
        /// The bytes that it holds in memory.
        let bytes: Int
        /// The bytes that it adds to the store; nil when it adds little or nothing, and runs on a full disk too.
        let adding: Int?
        let work: QueuedWork
        let fail: @Sendable (CloudAgentError) -> Void
    }

    /// The work of a transaction that waits.
    enum QueuedWork: Sendable {
        /// Runs a step; returns the news for other instances and the listener, and what to call once all is on the
        /// disk.
        case step(Step)
        /// A message to accept, together with the messages before and after it, and what to call with the outcome.
        case mail(HashedMail, finish: @Sendable (ForwardHandler.ForwardStoreResult) -> Void)

        var mail: (HashedMail, finish: @Sendable (ForwardHandler.ForwardStoreResult) -> Void)? {
            switch self {
            case .step: nil
            case .mail(let mail, let finish): (mail, finish)
            }
        }
    }

    typealias Step =
        @Sendable (any MediatorDatabaseConnection) throws(CloudAgentError) -> (
            news: [StoreNotification], finish: @Sendable () -> Void
        )

    /// Accepts messages; returns an outcome for each, and the news.
    typealias Acceptance =
        @Sendable (any MediatorDatabaseConnection, [HashedMail]) throws(CloudAgentError) -> (
            outcomes: [ForwardHandler.ForwardStoreResult], news: [StoreNotification]
        )

    /// The most steps of one transaction.
    static let batchCount = 512
    /// The most bytes of one transaction, unless a single step holds more.
    static let batchBytes = 8 << 20

    /// The overhead of an adding step: rows and indices of messages, keys and accounts.
    private static let stepBytes = 4096

    private struct GuardedState {
        var jobs: [Job] = []
        var bytes = 0
        var isDraining = false
        var isClosed = false
    }

    private let thread: StoreThread
    private let state = Lock(GuardedState())
    private let isWriting: Bool
    private let limits: StoreLimits
    private let accept: Acceptance
    private let open: @Sendable () throws(CloudAgentError) -> any MediatorDatabaseConnection
    private let notify: @Sendable ([StoreNotification]) -> Void
    private let history: StoreHistory
    private let wentBack: @Sendable (StoreDataLoss) -> Void
    private var database: (any MediatorDatabaseConnection)?

    /// Makes a queue whose connection is not open yet.
    ///
    /// - Parameters:
    ///   - thread: the thread of all steps.
    ///   - accept: accepts messages in a transaction.
    ///   - open: makes the connection, and makes it again after a loss.
    ///   - history: what is known of the steps of the store.
    ///   - wentBack: is told that the store went back.
    ///   - notify: takes the news of a transaction, after it is on the disk.
    init(
        on thread: @escaping StoreThread, isWriting: Bool = true, limits: StoreLimits, accept: @escaping Acceptance,
        history: StoreHistory, wentBack: @escaping @Sendable (StoreDataLoss) -> Void = { _ in },
        open: @escaping @Sendable () throws(CloudAgentError) -> any MediatorDatabaseConnection,
        notify: @escaping @Sendable ([StoreNotification]) -> Void = { _ in }
    ) {
        self.thread = thread
        self.isWriting = isWriting
        self.limits = limits
        self.accept = accept
        self.open = open
        self.notify = notify
        self.history = history
        self.wentBack = wentBack
    }

    /// Opens the connection, so that a fault shows at once.
    func start() async throws(CloudAgentError) {
        let result: Result<Void, CloudAgentError> = await withCheckedContinuation { continuation in
            thread {
                let made = Result { () throws(CloudAgentError) in self.database = try self.open() }
                continuation.resume(returning: made)
            }
        }
        try result.get()
    }

    /// Runs `body` in a step, with others or alone.
    func perform<Value: Sendable>(
        adding: Int? = nil,
        _ body:
            @escaping @Sendable (any MediatorDatabaseConnection) throws(CloudAgentError) -> (
                Value, news: [StoreNotification]
            )
    ) async throws(CloudAgentError) -> Value {
        let result: Result<Value, CloudAgentError> = await withCheckedContinuation { continuation in
            let step: Step = { (database) throws(CloudAgentError) in
                let (value, news) = try body(database)
                return (news, { continuation.resume(returning: .success(value)) })
            }
            submit(
                Job(bytes: 0, adding: adding, work: .step(step)) {
                    continuation.resume(returning: .failure($0))
                })
        }
        return try result.get()
    }

    /// Accepts a message, together with those that wait beside it.
    func accept(_ mail: HashedMail) async throws(CloudAgentError) -> ForwardHandler.ForwardStoreResult {
        let bytes = mail.mail.envelope.count
        let result: Result<ForwardHandler.ForwardStoreResult, CloudAgentError> = await withCheckedContinuation {
            continuation in
            let work = QueuedWork.mail(mail) { continuation.resume(returning: .success($0)) }
            submit(
                Job(bytes: bytes, adding: bytes, work: work) {
                    continuation.resume(returning: .failure($0))
                })
        }
        return try result.get()
    }

    private func submit(_ job: Job) {
        let (refusal, mustStart): (CloudAgentError?, Bool) = state.withLock { state in
            if state.isClosed { return (CloudAgentError(.closed, "The store is closed."), false) }
            guard state.jobs.count < limits.maximumWaitingSteps,
                state.bytes + job.bytes <= limits.maximumWaitingBytes || state.jobs.isEmpty
            else { return (CloudAgentError(.busy, "More waits for the store than it takes."), false) }
            state.jobs.append(job)
            state.bytes += job.bytes
            defer { state.isDraining = true }
            return (nil, !state.isDraining)
        }
        if let refusal { return job.fail(refusal) }
        if mustStart { thread { self.drain() } }
    }

    /// Closes after the waiting steps.
    func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            thread {
                self.database = nil
                continuation.resume()
            }
        }
    }

    private func drain() {
        while let jobs = take() { run(jobs) }
    }

    private func take() -> [Job]? {
        state.withLock { state in
            var count = 0
            var bytes = 0
            for job in state.jobs.prefix(Self.batchCount) {
                guard count == 0 || bytes + job.bytes <= Self.batchBytes else { break }
                count += 1
                bytes += job.bytes
            }
            guard count > 0 else {
                state.isDraining = false
                return nil
            }
            let jobs = Array(state.jobs.prefix(count))
            state.jobs.removeFirst(count)
            state.bytes -= bytes
            return jobs
        }
    }

    /// Runs steps as one transaction; on a full disk the adding ones are refused, so that the others can be made.
    private func run(_ jobs: [Job]) {
        var rest = jobs
        var releases = false
        while true {
            do throws(CloudAgentError) {
                return try transact(rest)
            } catch {
                let added = rest.filter { $0.adding != nil }
                guard error.code == .full, isWriting else { return fail(rest, error) }
                fail(added, error)
                rest.removeAll { $0.adding != nil }
                guard !rest.isEmpty else { return }
                // The log is checkpointed first, and the reserve is freed only if that does not suffice.
                if added.isEmpty {
                    guard database?.makeRoom(releases: releases) == true else { return fail(rest, error) }
                    releases = true
                }
            }
        }
    }

    private func fail(_ jobs: [Job], _ error: CloudAgentError) { for job in jobs { job.fail(error) } }

    /// Runs steps as one transaction; an error ends only the step that threw it, unless the store itself failed.
    private func transact(_ jobs: [Job]) throws(CloudAgentError) {
        var finished: [@Sendable () -> Void] = []
        var refused: [(Job, CloudAgentError)] = []
        var news: [StoreNotification] = []
        do throws(CloudAgentError) {
            let (database, step, floor) = try begun(jobs)
            var rest = jobs[...]
            while let job = rest.first {
                let mail = rest.prefix { $0.work.mail != nil }.compactMap(\.work.mail)
                rest = rest.dropFirst(max(1, mail.count))
                do throws(CloudAgentError) {
                    let (notifications, finish) =
                        if case .step(let step) = job.work {
                            try marked(step, database)
                        } else {
                            try accepted(mail, database)
                        }
                    news += notifications
                    finished.append(finish)
                } catch {
                    // The acceptance of messages fails only with the store.
                    guard mail.isEmpty, !error.code.isOfStorage, error.code != .internal, error.code != .busy else {
                        throw error
                    }
                    refused.append((job, error))
                }
            }
            var known: Set<StoreNotification> = []
            news = news.filter { known.insert($0).inserted }
            try database.announce(news)
            try database.commit()
            if isWriting { _ = history.saw(step, since: floor) }
        } catch {
            database?.rollback()
            if error.code.endsConnection { database = nil }
            throw error
        }
        for finish in finished { finish() }
        for (job, error) in refused { job.fail(error) }
        if !news.isEmpty { notify(news) }
    }

    /// Begins a transaction; reconnects when the idle connection turns out to be lost, because nothing was done on it.
    ///
    /// - Returns: the connection, the step, and what is known of the steps now that it has begun.
    private func begun(
        _ jobs: [Job]
    ) throws(CloudAgentError) -> (any MediatorDatabaseConnection, StoreRevision, StoreHistory.Baseline) {
        let isKept = database != nil
        do throws(CloudAgentError) {
            return try begun(jobs, on: connected())
        } catch {
            guard isKept, error.code == .unavailable || error.code == .formerPrimary else { throw error }
            database?.rollback()
            database = nil
            return try begun(jobs, on: connected())
        }
    }

    private func begun(
        _ jobs: [Job], on database: any MediatorDatabaseConnection
    ) throws(CloudAgentError) -> (any MediatorDatabaseConnection, StoreRevision, StoreHistory.Baseline) {
        let added = jobs.compactMap(\.adding)
        if !added.isEmpty { try database.admit(adding: added.reduce(0, +) + Self.stepBytes * added.count) }
        // Before the transaction: what another one commits meanwhile, this one need not see.
        let floor = history.floor
        let step = try database.begin(writing: isWriting)
        if let loss = history.saw(isWriting ? step.previous : step, since: floor) { wentBack(loss) }
        return (database, step, history.floor)
    }

    private func connected() throws(CloudAgentError) -> any MediatorDatabaseConnection {
        if let database { return database }
        let made = try open()
        database = made
        return made
    }

    private func accepted(
        _ mail: [(HashedMail, finish: @Sendable (ForwardHandler.ForwardStoreResult) -> Void)],
        _ database: any MediatorDatabaseConnection
    ) throws(CloudAgentError) -> (news: [StoreNotification], finish: @Sendable () -> Void) {
        let (outcomes, news) = try accept(database, mail.map(\.0))
        return (news, { for ((_, finish), outcome) in zip(mail, outcomes) { finish(outcome) } })
    }

    private func marked(
        _ step: Step, _ database: any MediatorDatabaseConnection
    ) throws(CloudAgentError) -> (news: [StoreNotification], finish: @Sendable () -> Void) {
        guard isWriting else { return try step(database) }
        try database.run("SAVEPOINT step")
        do throws(CloudAgentError) {
            let result = try step(database)
            try database.run("RELEASE SAVEPOINT step")
            return result
        } catch {
            if !error.code.isOfStorage {
                try database.run("ROLLBACK TO SAVEPOINT step")
                try database.run("RELEASE SAVEPOINT step")
            }
            throw error
        }
    }
}
