import Aries
import Determinism

/// Waiting for what is on its way.
extension Agent {
    /// Has nothing more fetched from the mediator, waits until nothing is on its way, and stops.
    ///
    /// What a mediator was asked for and hands over meanwhile is still taken; some forget it at once.
    /// - Returns: as `settled`; it is stopped in any case.
    @discardableResult
    public func finish(within duration: Duration) async -> Bool {
        isFinishing = true
        enqueue { agent in await agent.guarding { try await $0.finishFetching() } }
        let isSettled = (try? await settled(within: duration)) ?? false
        await stop()
        return isSettled
    }

    /// Waits until nothing is being done and nothing is on its way, so that stopping then cuts nothing off.
    ///
    /// What waits for a time, such as a message that is to be sent again, does not count.
    /// - Returns: false when `duration` passed first.
    /// - Throws: `CancellationError`.
    public func settled(within duration: Duration) async throws -> Bool {
        let end = timekeeper.now() + duration
        while !isIdle || mediator?.pickup?.isFinished == false && isFinishing {
            let now = timekeeper.now()
            guard now < end else { return false }
            try await timekeeper.wait(until: min(end, now + .milliseconds(10)))
        }
        return true
    }
}
