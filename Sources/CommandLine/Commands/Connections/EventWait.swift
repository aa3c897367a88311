import AriesRuntime
import Determinism

/// Waiting for one of the things that an agent tells.
enum EventWait {
    /// The first value that `match` finds in `events`; nil when none came in time.
    static func first<Value: Sendable>(
        in events: AsyncStream<AgentEvent>, within duration: Duration, by timekeeper: any Timekeeper,
        _ match: @escaping @Sendable (AgentEvent) -> Value?
    ) async throws -> Value? {
        let end = timekeeper.now() + duration
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                for await event in events { if let value = match(event) { return value } }
                return nil
            }
            group.addTask {
                try await timekeeper.wait(until: end)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
