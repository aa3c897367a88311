import Aries
public import CryptoSuite
import DIDComm
public import Determinism
import JSON
public import Vault

/// An agent with connections: it processes envelopes and calls one after the other, stores the results, and only
/// then sends.
///
/// A driver without decisions: one task runs the jobs in their order, so that the effects of one event are stored
/// before the next is looked at; after each job, messages are sent and the timer is set. After a crash a new agent on
/// the same store goes on: handshakes are resumed and what waits is sent. An agent that cannot write into its store
/// stops, as if it had crashed.
public actor Agent {
    let context: AgentContext

    /// The name that the agent gives other agents, from its configuration.
    public nonisolated var label: String { context.configuration.label }
    let parts: AgentParts
    /// The resources that `open` opened and `close` closes; nil for an agent that was made of given parts.
    let resources = Lock<AgentResources?>(nil)
    /// Counts the received envelopes that no peer sends again and that are not processed yet.
    let arriving: UnprocessedEnvelopeCount
    private let transport: any MessageTransport
    private var isWorking = false
    private(set) var isRunning = false
    /// True when the agent is about to stop and fetches nothing more from the mediator.
    private(set) var isFinishing = false
    /// The number of DID documents that are being looked up.
    private var lookupCount = 0
    private var timer: DeadlineTimer
    /// Changes when a job or an attempt to send has ended.
    private let activity: ChangeSignal

    /// Makes an agent that does nothing before `start`.
    ///
    /// - Parameters:
    ///   - store: holds all state; one agent alone uses it.
    ///   - wallTime: the time of day, for signatures and for the expiry of invitations.
    public init(
        store: any RecordStore, transport: any MessageTransport, configuration: AgentConfiguration,
        clock: any MonotonicClock = SystemMonotonicClock(), random: any RandomSource = SystemRandom(),
        wallTime: @escaping @Sendable () -> WallTime
    ) {
        context = AgentContext(
            store: store, configuration: configuration, clock: clock, wallTime: wallTime,
            random: SharedRandomSource(random))
        self.transport = transport
        arriving = UnprocessedEnvelopeCount()
        parts = AgentParts(context, transport: transport, arriving: arriving)
        activity = ChangeSignal(clock: clock)
        timer = DeadlineTimer(clock: clock)
    }

    /// Resumes from the store: handshakes that are not complete, and messages that were not sent.
    ///
    /// - Throws: errors of the store, and `agent.record.malformed`.
    public func start() async throws {
        guard !isRunning else { return }
        isRunning = true
        isFinishing = false
        do {
            try await perform { agent in try await agent.parts.resume() }
        } catch {
            await stop()
            throw error
        }
    }

    /// Stops at once; unfinished work continues after the next start.
    public func stop() async {
        isRunning = false
        timer.cancel()
        parts.stop()
        activityChanged()
        await transport.close()
    }

    /// The events from now on; the oldest are dropped when the reader is slow.
    public func events() -> AsyncStream<AgentEvent> { parts.observers.events() }

    // Jobs.

    /// Runs `body` after all jobs that came before.
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

    /// Adds a job; it is dropped when the agent is stopped.
    func add(_ job: AgentJob) {
        parts.jobs.add(job)
        guard !isWorking else { return }
        isWorking = true
        Task { await drain() }
    }

    private func drain() async {
        while let job = parts.jobs.next() {
            let stops = parts.jobs.stopCount
            await run(job)
            if parts.jobs.stopCount != stops { parts.dropLate(isRunning: isRunning) }
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

    /// Sends the messages that the job queued, and sets the timer.
    private func jobEnded() {
        guard isRunning else { return }
        parts.delivery.dispatch { item, connection in Task { await deliver(item, on: connection) } }
        for (did, connection) in parts.handshakes.takeLookups() {
            lookupCount += 1
            Task { await look(for: did, of: connection) }
        }
        if let request = parts.mediator.takeSocketRequest() { open(request) }
        timer.arm(parts.nextDeadline) { [weak self] in await self?.timeReached($0) }
    }

    private func timeReached(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        add(.timeReached)
    }

    /// Looks for the document of a DID, outside of the queue of jobs.
    private func look(for did: DID, of connection: String) async {
        let answer = await context.lookup.answer(for: did)
        lookupCount -= 1
        add(.resolved(did, connection: connection, answer))
    }

    /// Stops when the store failed, because a change was not stored.
    private func noteFailure(_ error: any Error) {
        guard isRunning, !(error is AgentError), !(error is AriesError), !(error is DIDCommError) else { return }
        // Another process won the conflict again and again: the change is not made, and the store is sound.
        if let error = error as? VaultError, error.isConflict { return parts.observers.passedOver(error, on: nil) }
        isRunning = false
        timer.cancel()
        parts.observers.report(.stopped(reason: "\(error)"))
        parts.abort()
    }

    // Sending.

    private func deliver(_ item: Outbox.MessageToSend, on connection: String) async {
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

    /// Returns true when the WebSocket with this number is the present one of the mediator, and the agent runs.
    private func isCurrent(_ number: Int) -> Bool { isRunning && parts.mediator.isCurrent(number) }

    /// Queues one envelope of the mediator's WebSocket, and waits until it is processed before the next one is read.
    private func take(_ envelope: [UInt8], ofSocket number: Int) async {
        guard isCurrent(number) else { return }
        let isCounted = handsOverOnce
        if isCounted { arriving.begin() }
        await withCheckedContinuation { continuation in
            add(.socket(.envelope(envelope, isCounted: isCounted) { continuation.resume() }, number: number))
        }
    }

    /// The longest wait of `finish` for messages that are delivered at most once.
    package static let onceWait = Duration.seconds(30)

    /// True when no job and no attempt to send is under way; messages that wait for a retry do not count.
    var isIdle: Bool {
        !isWorking && parts.jobs.count == 0 && lookupCount == 0 && !parts.delivery.isSending && !arriving.isAny
    }

    private var isFetching: Bool { isFinishing && parts.mediator.current?.isFetching == true }

    private var isSettled: Bool { isIdle && !isFetching }

    /// True when stopping now would lose a message: it was received, or is under way, and no peer sends it again.
    private var isOwed: Bool { arriving.isAny || isFetching && handsOverOnce }

    /// True when the mediator's messages are delivered at most once, so that `finish` may wait for `onceWait`.
    package var handsOverOnce: Bool { parts.mediator.current?.handsOverOnce == true }

    /// Stops fetching from the mediator, waits until the agent is idle, and stops.
    ///
    /// Messages that the mediator delivers meanwhile are still processed. A message that is delivered at most once,
    /// because its sender has deleted it, is waited for up to 30 seconds, also where `duration` is shorter. A cancelled
    /// task waits all the same.
    /// - Returns: as `settled`; it is stopped in any case.
    @discardableResult
    public func finish(within duration: Duration) async -> Bool {
        isFinishing = true
        let now = context.now()
        add(.finishFetching)
        // An interrupted caller runs in a cancelled task, where every wait would end at once.
        let isSettled = await Task { (try? await settledAtLast(by: now + duration, now + Self.onceWait)) == true }.value
        await stop()
        return isSettled
    }

    /// Waits until the agent is idle, so that stopping then interrupts nothing.
    ///
    /// A message that waits for a retry does not count.
    /// - Returns: false when `duration` passed first.
    /// - Throws: `CancellationError`.
    public func settled(within duration: Duration) async throws -> Bool {
        try await wait(until: context.now() + duration) { $0.isSettled }
    }

    /// Waits until `end` for the agent to be settled, then until `last` for messages that stopping would lose.
    ///
    /// - Parameter last: until when what would be lost is waited for.
    private func settledAtLast(by end: MonotonicInstant, _ last: MonotonicInstant) async throws -> Bool {
        if try await wait(until: end, { $0.isSettled }) { return true }
        _ = try await wait(until: last) { !$0.isOwed }
        return isSettled
    }

    /// Checks `holds` after each job and each attempt to send, until it is true.
    ///
    /// - Returns: false when `end` came first.
    private func wait(until end: MonotonicInstant, _ holds: (isolated Agent) -> Bool) async throws -> Bool {
        for await _ in activity.changes(until: end) where holds(self) { return true }
        try Task.checkCancellation()
        return holds(self)
    }

    /// Wakes the tasks that wait until the agent is idle.
    func activityChanged() { activity.changed() }
}
