#if PostgreSQL
    import Determinism
    import Dispatch
    import PostgresEngine

    /// The time that the writing step under way has taken, and whether it waits for a standby.
    final class CommitWaitMonitor: Sendable {
        /// After how long a step under way is looked into, and how often then: before the store counts as one that
        /// stands still (`StoreStallDetector.patience`), so that the first cause that is told is the right one.
        static let (patience, period) = (Duration.milliseconds(1500), DispatchTimeInterval.milliseconds(250))

        private struct GuardedState {
            var began: ContinuousClock.Instant?
            var waitsForStandby = false
        }

        private let state = Lock(GuardedState())

        /// Records that a writing step begins.
        func begin() { state.withLock { $0 = GuardedState(began: .now) } }

        /// Records that the writing step has ended.
        func end() { state.withLock { $0 = GuardedState() } }

        /// True when the step under way has taken long.
        var areLong: Bool {
            state.withLock { $0.began.map { ContinuousClock.now - $0 > Self.patience } ?? false }
        }

        /// True when the step under way was seen to wait for a standby.
        var waitForStandby: Bool { state.withLock { $0.waitsForStandby } }

        /// Records that the step under way waits for a standby; false when that is known already.
        func noteStandby() -> Bool {
            state.withLock { state in
                defer { state.waitsForStandby = state.began != nil }
                return !state.waitsForStandby
            }
        }

        /// True when any commit in the database waits for a standby, as far as the role may see it.
        static func areThere(in connection: PostgresConnection) throws(PostgresError) -> Bool {
            let found = try connection.run(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep' "
                    + "AND state_change < now() - interval '1 second' LIMIT 1")
            return !found.isEmpty
        }

        static var standbyMissing: CloudAgentError {
            CloudAgentError(.standbyMissing, "A commit has waited for more than a second.")
        }
    }
#endif
