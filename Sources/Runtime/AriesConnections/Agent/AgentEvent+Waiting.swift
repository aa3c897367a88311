public import Determinism

extension AsyncStream<AgentEvent> {
    /// Waits for the first value that `match` finds in the events; nil when none came in time, or the agent stopped.
    ///
    /// - Throws: `CancellationError`.
    public func first<Value: Sendable>(
        within duration: Duration, by clock: any MonotonicClock,
        _ match: @escaping @Sendable (AgentEvent) -> Value?
    ) async throws -> Value? {
        let end = clock.now() + duration
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                for await event in self { if let value = match(event) { return value } }
                return nil
            }
            group.addTask {
                try await clock.wait(until: end)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Returns true when the transport took a message, false when it failed; nil when neither is reported in time.
    ///
    /// - Throws: `CancellationError`.
    public func delivery(
        of messageID: String, on connection: String, within duration: Duration, by clock: any MonotonicClock
    ) async throws -> Bool? {
        try await first(within: duration, by: clock) { event in
            switch event {
            case .sent(connection, messageID): true
            case .undelivered(connection, messageID): false
            default: nil
            }
        }
    }
}
