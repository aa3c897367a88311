import Aries
import Determinism

/// Reads the state of a running cloud agent, and caches it for a moment, so that many requests cost as much as one.
final class MediatorMonitor: Sendable {
    /// The longest wait for the answer of the store.
    static let patience = Duration.seconds(2)
    /// The time for which a cached answer is used.
    static let freshness = Duration.milliseconds(500)
    /// The most accounts whose queues are shown.
    static let shown = 20

    private struct CachedStatus {
        let time: MonotonicInstant
        let status: MediatorStatus
    }

    private let agent: CloudAgentServer
    private let clock: any MonotonicClock
    private let wallTime: @Sendable () -> WallTime
    private let start: MonotonicInstant
    private let last = Lock<CachedStatus?>(nil)
    private let history = Lock(MediatorStatusHistory())

    init(_ agent: CloudAgentServer, clock: any MonotonicClock, wallTime: @escaping @Sendable () -> WallTime) {
        self.agent = agent
        self.clock = clock
        self.wallTime = wallTime
        start = clock.now()
    }

    /// Returns the state of the agent: ready, or the reason why it is not.
    func state() async -> MediatorStatus.MediatorReadiness { await readiness().state }

    /// The readiness of the agent, and the cause for which its store refuses messages.
    ///
    /// The agent is ready when a small step that writes was committed for this very question. When the store has not
    /// answered in time, the cause is that of the present outage where it is known, else that the store stands still.
    func readiness() async -> (state: MediatorStatus.MediatorReadiness, cause: CloudAgentError?) {
        if agent.isStopping { return (.draining, nil) }
        let agent = agent
        // An outage that ends just when the wait does is still the cause of the wait.
        let before = agent.storeOutage?.cause
        let answer = await withinPatience { () async -> Result<Void, CloudAgentError> in
            do throws(CloudAgentError) {
                return .success(try await agent.probe())
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success: return (.ready, nil)
        case .failure(let error): return (.unready, error)
        case nil:
            let late = StoreHealth.stillness(of: agent.usesDatabase, "It has not answered for 2 s.")
            return (.unready, agent.storeOutage?.cause ?? before ?? late)
        }
    }

    /// The present status with all figures.
    func status() async -> MediatorStatus {
        let now = clock.now()
        if let kept = last.withLock({ $0 }), now - kept.time < Self.freshness,
            agent.isStopping == (kept.status.state == .draining)
        {
            return kept.status
        }
        let (state, cause) = await readiness()
        var status = MediatorStatus(
            state: state, uptime: now - start, counts: agent.counts, totals: nil, time: wallTime())
        status.durations = agent.durations
        status.process = .now()
        status.cause = cause
        status.replication = agent.storeReplication
        status.nextStep = cause.map { $0.code.nextStep(isDatabase: agent.usesDatabase) }
        if state == .unready { status.causeTime = agent.storeOutage.map { now - $0.begin } ?? .zero }
        // A full disk can still be read.
        if state == .ready || cause?.code == .full {
            let agent = agent
            status.totals = await withinPatience { () async throws(CloudAgentError) in try await agent.totals() }
            let queues = await withinPatience { () async throws(CloudAgentError) in
                try await agent.busiest(limit: Self.shown)
            }
            status.queues = queues ?? []
        }
        last.withLock { $0 = CachedStatus(time: clock.now(), status: status) }
        return status
    }

    /// Takes samples for the plots until it is cancelled.
    func sample() async {
        while !Task.isCancelled {
            let status = await status()
            let now = clock.now()
            history.withLock { $0.add(status, at: now) }
            do { try await clock.wait(until: now + MediatorStatusHistory.interval) } catch { return }
        }
    }

    /// The samples of a span, the oldest first, and the present instant.
    func samples(of span: MediatorStatusHistory.PlotSpan) -> (
        samples: [MediatorStatusHistory.Sample], now: MonotonicInstant
    ) {
        (history.withLock { $0.samples(of: span) }, clock.now())
    }

    /// Waits for an answer of the store for at most `patience`; nil when it fails or comes too late.
    private func withinPatience<Value: Sendable>(
        _ ask: @escaping @Sendable () async throws(CloudAgentError) -> Value
    ) async -> Value? {
        let (answers, continuation) = AsyncStream.makeStream(of: Value?.self, bufferingPolicy: .bufferingOldest(1))
        Task { continuation.yield(try? await ask()) }
        let clock = clock
        let alarm = Task {
            try await clock.wait(until: clock.now() + Self.patience)
            continuation.yield(nil)
        }
        defer { alarm.cancel() }
        for await answer in answers { return answer }
        return nil
    }
}
