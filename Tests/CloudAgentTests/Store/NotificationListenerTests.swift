#if PostgreSQL
    import Determinism
    import PostgresEngine
    import Testing

    @testable import CloudAgent

    @Suite(.enabled(if: PostgresServer.isInstalled, "skipped: PostgreSQL 15 is not installed"))
    struct NotificationListenerTests {
        @Test(.timeLimit(.minutes(2)))
        func `a notification listener whose session the server ends listens again, each time`() async throws {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                let connections = Lock(0)
                let cluster = try PostgresPrimarySelector(address, timeout: .seconds(10))
                let listener = NotificationListener(cluster, waits: CommitWaitMonitor()) { news in
                    if case .anyMail = news { connections.withLock { $0 += 1 } }
                }
                listener.start()
                for round in 1...8 {
                    #expect(try await eventually { connections.withLock { $0 } == round })
                    #expect(
                        server.run(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"))
                }
                listener.stop()
            }
        }
    }
#endif
