import Aries
public import CryptoSuite
import DIDComm
public import Determinism
import JSON
public import Vault

/// An agent with connections: it takes envelopes and calls one after the other, keeps what follows in a store, and only
/// then sends.
///
/// A driver without decisions: one task does the jobs in their order, so that what one event led to is stored before the next
/// is looked at; after each job, messages are sent and the timer is set. After a crash a new agent on the same store goes on:
/// handshakes are resumed and what waits is sent. An agent that cannot write into its store stops, as if it had crashed.
public actor Agent {
    let context: AgentContext
    let parts: AgentParts
    /// The envelopes that came, that no peer sends again, and that are not dealt with yet.
    let arriving: ArrivalCount
    private let transport: any MessageTransport
    private var isWorking = false
    private(set) var isRunning = false
    /// Whether nothing more is fetched from the mediator, because the end is near.
    private(set) var isFinishing = false
    private var timer: DeadlineTimer
    /// Changes when a job or a message has ended.
    private let activity: ChangeSignal

    /// Makes an agent that does nothing before `start`.
    ///
    /// - Parameters:
    ///   - store: where everything is kept; one agent alone uses it.
    ///   - wallTime: the time of day, for signatures and for when invitations end.
    public init(
        store: any RecordStore, transport: any MessageTransport, configuration: AgentConfiguration,
        clock: any MonotonicClock = SystemClock(), random: any RandomSource = SystemRandom(),
        wallTime: @escaping @Sendable () -> WallTime
    ) {
        context = AgentContext(
            store: store, configuration: configuration, clock: clock, wallTime: wallTime,
            random: SharedRandom(random))
        self.transport = transport
        arriving = ArrivalCount()
        parts = AgentParts(context, transport: transport, arriving: arriving)
        activity = ChangeSignal(clock: clock)
        timer = DeadlineTimer(clock: clock)
    }

    /// Goes on with what the store holds: handshakes that are not done, and messages that were not sent.
    ///
    /// - Throws: errors of the store, and `agent.record.malformed`.
    public func start() async throws {
        guard !isRunning else { return }
        (isRunning, isFinishing) = (true, false)
        do {
            try await perform { agent in try await agent.parts.resume() }
        } catch {
            await stop()
            throw error
        }
    }

    /// Ends everything at once; what was not done is done after the next start.
    public func stop() async {
        isRunning = false
        timer.cancel()
        parts.stop()
        activityChanged()
        await transport.close()
    }

    /// What happens from now on; the oldest are dropped when the reader is slow.
    public func events() -> AsyncStream<AgentEvent> { parts.observers.events() }

    // Jobs.

    /// Runs `body` when everything that came before is done.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (isolated Agent) async throws -> Result
    ) async throws -> Result {
        let maximum = context.configuration.maximumWaiting
        guard parts.jobs.count < maximum else {
            throw AgentError(.busy, "More than \(maximum) things wait to be done.")
        }
        return try await withCheckedThrowingContinuation { continuation in
            add(
                .call { agent in
                    do {
                        guard agent.isRunning else { throw AgentError(.stopped, "The agent is not running.") }
                        continuation.resume(returning: try await body(agent))
                    } catch {
                        agent.noteFailure(error)
                        continuation.resume(throwing: error)
                    }
                })
        }
    }

    /// Adds a job, which is dropped when the agent is stopped.
    func add(_ job: AgentJob) {
        parts.jobs.add(job)
        guard !isWorking else { return }
        isWorking = true
        Task { await drain() }
    }

    private func drain() async {
        while let job = parts.jobs.next() {
            await run(job)
            jobEnded()
            activityChanged()
        }
        isWorking = false
        activityChanged()
    }

    private func run(_ job: AgentJob) async {
        if case .call(let body) = job { return await body(self) }
        defer { job.end(arriving) }
        guard isRunning else { return }
        do { try await parts.follow(job) } catch { noteFailure(error) }
    }

    /// Starts what the job led to, and sets the timer.
    private func jobEnded() {
        guard isRunning else { return }
        parts.delivery.dispatch { item, connection in Task { await deliver(item, on: connection) } }
        if let request = parts.mediator.takeSocketRequest() { open(request) }
        timer.arm(parts.nextDeadline) { [weak self] in await self?.timeReached() }
    }

    private func timeReached() {
        timer.fired()
        add(.timeReached)
    }

    /// Stops when the store failed, because what was to be kept was not.
    private func noteFailure(_ error: any Error) {
        guard isRunning, !(error is AgentError), !(error is AriesError), !(error is DIDCommError) else { return }
        // Another process was faster again and again: what was to be done is not, and the store is sound.
        if let error = error as? VaultError, error.isConflict { return parts.observers.passedOver(error, on: nil) }
        isRunning = false
        timer.cancel()
        parts.observers.tell(.stopped(reason: "\(error)"))
        parts.abort()
    }

    // Sending.

    private func deliver(_ item: Outbox.Item, on connection: String) async {
        var failure: (any Error)?
        do {
            let (outgoing, key) = try await parts.messages.outgoing(item)
            try await parts.delivery.carry(outgoing, with: key, on: connection) { [weak self, arriving] answer in
                guard let self else { return }
                arriving.begin()
                Task { await self.add(.arrived(answer, from: connection)) }
            }
        } catch {
            failure = error
        }
        if Task.isCancelled || !isRunning { return activityChanged() }
        add(.delivered(item, connection: connection, failure: failure))
    }

    // The WebSocket with the mediator.

    private func open(_ request: MediatorDriver.SocketRequest) {
        guard !isFinishing else { return }
        let number = request.number
        Task { [transport] in
            do {
                let socket = try await transport.connect(to: request.endpoint) { [weak self] envelope in
                    await self?.take(envelope, ofSocket: number)
                } ended: { [weak self] end in
                    guard let self else { return }
                    Task { await self.add(.socket(.ended(end), number: number)) }
                }
                guard isCurrent(number) else { return socket.close() }
                add(.socket(.opened(socket), number: number))
            } catch {
                add(.socket(.failed(error), number: number))
            }
        }
    }

    /// Whether a WebSocket is still the one that is wanted.
    private func isCurrent(_ number: Int) -> Bool { isRunning && parts.mediator.isCurrent(number) }

    /// Takes one envelope of the WebSocket; nothing more is read before it is dealt with.
    private func take(_ envelope: [UInt8], ofSocket number: Int) async {
        guard isCurrent(number) else { return }
        let isCounted = parts.mediator.current?.handsOverOnce ?? false
        if isCounted { arriving.begin() }
        await withCheckedContinuation { continuation in
            add(.socket(.envelope(envelope, isCounted: isCounted) { continuation.resume() }, number: number))
        }
    }

    // Waiting until nothing is on its way.

    /// How long the end waits at most for what comes only once.
    static let onceWait = Duration.seconds(30)

    /// Whether nothing is being done and nothing is on its way; what waits for a time does not count.
    var isIdle: Bool { !isWorking && parts.jobs.count == 0 && !parts.delivery.isSending && !arriving.isAny }

    private var isFetching: Bool { isFinishing && parts.mediator.current?.isFetching == true }

    private var isSettled: Bool { isIdle && !isFetching }

    /// Whether something would be lost with this run: it has come, or is on its way, and no peer sends it again.
    private var isOwed: Bool {
        arriving.isAny || isFetching && parts.mediator.current?.handsOverOnce == true
    }

    /// Has nothing more fetched from the mediator, waits until nothing is on its way, and stops.
    ///
    /// What a mediator was asked for and hands over meanwhile is still taken. What comes only once, because its sender has
    /// forgotten it, is waited for up to 30 seconds, also where `duration` is shorter. A task that was cancelled waits all the
    /// same.
    /// - Returns: as `settled`; it is stopped in any case.
    @discardableResult
    public func finish(within duration: Duration) async -> Bool {
        isFinishing = true
        let now = context.now()
        add(.finishFetching)
        // A caller that was interrupted ends in a task that is cancelled, where no wait lasts.
        let end = Task { (try? await settledAtLast(by: now + duration, now + Self.onceWait)) ?? false }
        let isSettled = await end.value
        await stop()
        return isSettled
    }

    /// Waits until nothing is being done and nothing is on its way, so that stopping then cuts nothing off.
    ///
    /// What waits for a time, such as a message that is to be sent again, does not count.
    /// - Returns: false when `duration` passed first.
    /// - Throws: `CancellationError`.
    public func settled(within duration: Duration) async throws -> Bool {
        try await wait(until: context.now() + duration) { $0.isSettled }
    }

    /// - Parameter last: until when what would be lost is waited for.
    private func settledAtLast(by end: MonotonicInstant, _ last: MonotonicInstant) async throws -> Bool {
        if try await wait(until: end, { $0.isSettled }) { return true }
        _ = try await wait(until: last) { !$0.isOwed }
        return isSettled
    }

    /// Looks after each job and each message that was sent, until `holds` is true.
    ///
    /// - Returns: false when `end` came first.
    private func wait(until end: MonotonicInstant, _ holds: (isolated Agent) -> Bool) async throws -> Bool {
        for await _ in activity.changes(until: end) where holds(self) { return true }
        try Task.checkCancellation()
        return holds(self)
    }

    /// Has those look again that wait until nothing is on its way.
    func activityChanged() { activity.changed() }
}
