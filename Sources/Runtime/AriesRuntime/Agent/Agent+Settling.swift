import Aries
import Determinism

/// Waiting for what is on its way.
extension Agent {
    /// How long the end waits at most for what comes only once.
    static let onceWait = Duration.seconds(30)

    /// Has nothing more fetched from the mediator, waits until nothing is on its way, and stops.
    ///
    /// What a mediator was asked for and hands over meanwhile is still taken. What comes only once, because whoever sent it has
    /// forgotten it, is waited for up to 30 seconds, also where `duration` is shorter. A task that was cancelled waits all the
    /// same.
    /// - Returns: as `settled`; it is stopped in any case.
    @discardableResult
    public func finish(within duration: Duration) async -> Bool {
        isFinishing = true
        let now = timekeeper.now()
        enqueue { agent in await agent.guarding { try await $0.finishFetching() } }
        // Whoever was interrupted ends in a task that is cancelled, where no wait lasts.
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
        try await wait(until: timekeeper.now() + duration) { $0.isSettled }
    }

    /// - Parameter last: until when what would be lost is waited for.
    private func settledAtLast(by end: MonotonicInstant, _ last: MonotonicInstant) async throws -> Bool {
        if try await wait(until: end, { $0.isSettled }) { return true }
        _ = try await wait(until: last) { !$0.isOwed }
        return isSettled
    }

    /// - Returns: false when `end` came first.
    private func wait(until end: MonotonicInstant, _ holds: (isolated Agent) -> Bool) async throws -> Bool {
        while !holds(self) {
            let now = timekeeper.now()
            guard now < end else { return false }
            try await timekeeper.wait(until: min(end, now + .milliseconds(10)))
        }
        return true
    }

    private var isFetching: Bool { isFinishing && mediator?.pickup?.isFinished == false }

    private var isSettled: Bool { isIdle && !isFetching }

    /// Whether something would be lost for good with this run: it has come, or is on its way, and nobody brings it again.
    private var isOwed: Bool { arriving.withLock { $0 } > 0 || isFetching && isMediatorForgetful }
}

/// What comes only once.
extension Agent {
    /// Whether the mediator forgets what it hands over, before we say that we have it.
    var isMediatorForgetful: Bool { mediator?.pickup.map { $0.flavour != .pickup2 } ?? false }

    /// Adds work about something that came; that it did was noted in `arriving`.
    func enqueueArrived(_ work: @escaping @Sendable (isolated Agent) async throws -> Void) {
        enqueue { agent in
            await agent.guarding(work)
            agent.arriving.withLock { $0 -= 1 }
        }
    }
}
