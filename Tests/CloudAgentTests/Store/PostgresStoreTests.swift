#if PostgreSQL
    import Aries
    import CloudAgentConformance
    import PostgresEngine
    import Testing

    @testable import CloudAgent

    @Suite(.enabled(if: PostgresServer.isInstalled, "postgresql-15 is not installed"))
    struct PostgresStoreTests {
        @Test func `a PostgreSQL store with two instances passes the conformance rules of stores`() async throws {
            try await PostgresServer.with { server in
                for rule in CloudAgentConformance.cases {
                    let address = try server.database().address
                    let store = try await DatabaseStore.postgres(at: address, limits: CloudAgentConformance.limits)
                    let other = try await DatabaseStore.postgres(at: address, limits: CloudAgentConformance.limits)
                    let bench = CloudAgentConformance.Bench(store: store, other: other, tellsAcross: true)
                    do { try await rule.run(on: bench) } catch { Issue.record(error, "\(rule)") }
                    await store.close()
                    await other.close()
                }
            }
        }

        @Test
        func `a message acknowledged before the database server died is there afterwards, and the store works on`()
            async throws
        {
            try await PostgresServer.with { server in
                let store = try await DatabaseStore.postgres(at: try server.database().address)
                let account = try await StoreSamples.open(1, in: store)
                _ = try await store.change([StoreSamples.change(1, of: 1)], of: account)
                for number in 0..<5 { _ = try await store.accept(StoreSamples.mail(to: 1, of: 1, [UInt8(number)])) }
                server.kill()
                await #expect(throws: CloudAgentError(.unavailable, "")) {
                    _ = try await store.accept(StoreSamples.mail(to: 1, of: 1, [9]))
                }
                try await server.start()
                #expect(try await store.accept(StoreSamples.mail(to: 1, of: 1, [5])) == .stored)
                _ = try? await store.read { try $0.inspection.totals() }
                let found = try await StoreSamples.all(of: account, in: store).map(\.envelope)
                #expect(found == (0..<6).map { [UInt8($0)] })
                await store.close()
            }
        }

        @Test func `a machine without libpq is a failure of the storage with a code of its own`() {
            let error = CloudAgentError(postgres: PostgresError(.noLibrary, "It cannot be opened."))
            #expect(error == CloudAgentError(.noLibrary, "") && error.reason == "It cannot be opened.")
        }

        @Test func `opening a database without tables for reading is refused and makes no tables`() async throws {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                let place = try StoreAddress(parsing: address)
                await #expect(throws: CloudAgentError(.missing, "")) { _ = try await place.open(makes: false) }
                #expect(!server.run("SELECT * FROM symbolon_agent.tables", in: name))
                await (try await place.open()).close()
                await (try await place.open(makes: false)).close()
            }
        }

        @Test func `tables of another version and unreachable database servers are refused`() async throws {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                let store = try await DatabaseStore.postgres(at: address)
                await store.close()
                #expect(
                    server.run("UPDATE symbolon_agent.tables SET version = \(PostgresSchema.version + 1)", in: name))
                await #expect(throws: CloudAgentError(.schema, "")) {
                    _ = try await DatabaseStore.postgres(at: address)
                }
                await #expect(throws: CloudAgentError(.unavailable, "")) {
                    _ = try await DatabaseStore.postgres(at: address + "&port=1")
                }
            }
        }
    }
#endif
