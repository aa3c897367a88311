import Aries
public import CryptoSuite
import DIDComm
public import Determinism
import JSON
public import Vault

/// An agent with connections: it takes envelopes and wishes one after the other, keeps what follows in a store, and only
/// then sends.
///
/// Everything passes through one line of work, so that what one event led to is stored before the next is looked at. After
/// a crash a new agent on the same store goes on: handshakes are resumed and what waits is sent. An agent that cannot
/// write into its store stops, as if it had crashed.
public actor Agent {
    typealias Work = @Sendable (isolated Agent) async -> Void

    let store: any RecordStore
    let wire: any MessageTransport
    let configuration: AgentConfiguration
    let timekeeper: any Timekeeper
    let wallTime: @Sendable () -> WallTime
    var random: any RandomSource
    var codec = EnvelopeCodec()
    /// Opens what came, also what a mediator wrapped once more.
    var opener = EnvelopeCodec(limits: .ofMediators)
    var keys = KeyRing()
    /// Handshakes that are under way, by connection.
    var runs: [String: ConnectionRecord] = [:]
    /// Questions under way whether a connection is used again, by their `@id`.
    var reuses: [String: ReuseRun] = [:]
    /// Why the last message of a connection could not be handed over, by connection.
    var deliveryFailures: [String: any Error] = [:]
    /// Questions of this process that wait for their answer, by their `@id`.
    var questions: [String: PendingQuestion] = [:]
    /// What waits to be sent, by connection.
    var lanes = Lanes()
    /// Ways back that the other side opened, by connection.
    var paths: [String: any ReturnPath] = [:]
    var watchers = Watchers()
    /// The mediator that takes messages for us.
    var mediator: MediatorRun?
    /// When the store was last looked at for changes of the mediator by another process.
    var mediatorComparedAt: MonotonicInstant?
    /// Which WebSocket with a mediator is the present one; whatever came of an older one is not listened to.
    var lineNumber = 0
    /// Those who wait for something of the mediator.
    var mediatorWatchers: [AsyncStream<Void>.Continuation] = []
    private var waiting: [Work] = []
    private var isWorking = false
    private(set) var isRunning = false
    /// Whether nothing more is fetched from the mediator, because the end is near.
    var isFinishing = false
    /// How many envelopes came that nobody brings again, and are not dealt with yet.
    let arriving = Lock(0)
    private var timer: DeadlineTimer

    /// Makes an agent that does nothing before `start`.
    ///
    /// - Parameters:
    ///   - store: where everything is kept; one agent alone uses it.
    ///   - wallTime: the time of day, for signatures and for when invitations end.
    public init(
        store: any RecordStore, wire: any MessageTransport, configuration: AgentConfiguration,
        timekeeper: any Timekeeper = SystemTimekeeper(), random: any RandomSource = SystemRandom(),
        wallTime: @escaping @Sendable () -> WallTime
    ) {
        self.store = store
        self.wire = wire
        self.configuration = configuration
        self.timekeeper = timekeeper
        self.random = random
        self.wallTime = wallTime
        timer = DeadlineTimer(timekeeper: timekeeper)
    }

    /// Goes on with what the store holds: handshakes that are not done, and messages that were not sent.
    ///
    /// - Throws: errors of the store, and `agent.record.malformed`.
    public func start() async throws {
        guard !isRunning else { return }
        (isRunning, isFinishing) = (true, false)
        do {
            try await perform { agent in try await agent.resumeAll() }
        } catch {
            await stop()
            throw error
        }
    }

    /// Ends everything at once; what was not done is done after the next start.
    public func stop() async {
        isRunning = false
        timer.cancel()
        lanes.cancelAll()
        runs = [:]
        paths = [:]
        questions = [:]
        deliveryFailures = [:]
        for id in reuses.keys.sorted() { reuses.removeValue(forKey: id)?.waiter?.finish() }
        watchers.finishAll()
        forgetMediatorRun()
        await wire.close()
    }

    /// What happens from now on; the oldest are dropped when nobody takes them.
    public func events() -> AsyncStream<AgentEvent> { watchers.events() }
}

// The line of work.
extension Agent {
    /// Runs `body` when everything that came before is done.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (isolated Agent) async throws -> Result
    ) async throws -> Result {
        guard waiting.count < configuration.maximumWaiting else {
            throw AgentError(.busy, "More than \(configuration.maximumWaiting) things wait to be done.")
        }
        return try await withCheckedThrowingContinuation { continuation in
            enqueue { agent in
                do {
                    guard agent.isRunning else { throw AgentError(.stopped, "The agent is not running.") }
                    continuation.resume(returning: try await body(agent))
                } catch {
                    agent.noteFailure(error)
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Whether nothing is being done and nothing is on its way; what waits for a time does not count.
    var isIdle: Bool {
        !isWorking && waiting.isEmpty && lanes.activeCount == 0 && arriving.withLock { $0 } == 0
    }

    /// Adds work that nobody waits for; dropped when the agent is stopped.
    func enqueue(_ work: @escaping Work) {
        waiting.append(work)
        guard !isWorking else { return }
        isWorking = true
        Task { await drain() }
    }

    private func drain() async {
        while !waiting.isEmpty {
            let work = waiting.removeFirst()
            await work(self)
            armTimer()
        }
        isWorking = false
    }

    /// Runs work whose failure can only be one of the store, and stops on it.
    func guarding(_ body: (isolated Agent) async throws -> Void) async {
        guard isRunning else { return }
        do { try await body(self) } catch { noteFailure(error) }
    }

    /// Stops when the store failed, because what was to be kept was not.
    private func noteFailure(_ error: any Error) {
        guard isRunning, !(error is AgentError), !(error is AriesError), !(error is DIDCommError) else { return }
        // Another process was faster again and again: what was to be done is not, and the store is sound.
        if let error = error as? VaultError, error.isConflict { return tellPassedOver(error, on: nil) }
        isRunning = false
        timer.cancel()
        lanes.cancelAll()
        for id in reuses.keys.sorted() { reuses.removeValue(forKey: id)?.waiter?.finish() }
        watchers.tell(.stopped(reason: "\(error)"))
        watchers.finishAll()
        forgetMediatorRun()
    }

    private func forgetMediatorRun() {
        endMediator()
        for watcher in mediatorWatchers { watcher.finish() }
        mediatorWatchers = []
    }

    private func armTimer() {
        guard isRunning else { return }
        let deadlines =
            runs.values.compactMap(\.handshake.nextDeadline) + reuses.values.compactMap(\.core.nextDeadline)
            + [lanes.nextDeadline, mediator?.nextDeadline].compactMap(\.self)
        timer.arm(deadlines.min()) { [weak self] in await self?.timeReached() }
    }

    private func timeReached() {
        timer.fired()
        enqueue { agent in await agent.guarding { agent in try await agent.wake() } }
    }

    private func wake() async throws {
        let now = timekeeper.now()
        for id in runs.keys.sorted() {
            guard let deadline = runs[id]?.handshake.nextDeadline, deadline <= now else { continue }
            try await step(id, .timeReached)
        }
        for id in reuses.keys.sorted() {
            guard let deadline = reuses[id]?.core.nextDeadline, deadline <= now else { continue }
            try await stepReuse(id, .timeReached)
        }
        try await wakeMediator(at: now)
        for id in lanes.due(at: now) { drive(id) }
    }
}
