#if PostgreSQL
    import Aries
    import CloudAgentConformance
    import Determinism
    import Dispatch
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

        @Test func `a machine without libpq gives a failure of the storage with a code of its own`() {
            let error = CloudAgentError(postgres: PostgresError(.noLibrary, "It cannot be opened."))
            #expect(error == CloudAgentError(.noLibrary, "") && error.reason == "It cannot be opened.")
        }

        @Test func `opening a PostgreSQL database without tables for reading is refused and makes none`() async throws {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                let place = try StoreAddress(parsing: address)
                await #expect(throws: CloudAgentError(.missing, "")) { _ = try await place.open(makes: false) }
                #expect(!server.run("SELECT * FROM symbolon_agent.tables", in: name))
                await (try await place.open()).close()
                await (try await place.open(makes: false)).close()
            }
        }

        @Test func `a PostgreSQL store with tables of another version and unreachable servers are refused`()
            async throws
        {
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

        @Test(.timeLimit(.minutes(3)))
        func `a PostgreSQL commit whose wait for its standby is cancelled is not reported as accepted`() async throws {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                let store = try await DatabaseStore.postgres(at: address)
                let account = try await StoreSamples.open(1, in: store)
                _ = try await store.change([StoreSamples.change(1, of: 1)], of: account)
                #expect(server.demandStandby("absent"))
                let taking = Task { try await store.accept(StoreSamples.mail(to: 1, of: 1, [1])) }
                let cancel =
                    "SELECT 1 / COUNT(*) FROM (SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep') AS w"
                #expect(try await eventually { server.run(cancel, in: name) })
                await #expect(throws: CloudAgentError(.unreplicated, "")) { _ = try await taking.value }
                #expect(server.demandStandby(""))
                #expect(try await store.accept(StoreSamples.mail(to: 1, of: 1, [2])) == .stored)
                await store.close()
            }
        }

        @Test(.timeLimit(.minutes(3)))
        func `a PostgreSQL commit without its standby fails as standby missing`() async throws {
            try await PostgresServer.with { server in
                var limits = StoreLimits()
                limits.silence = .seconds(6)
                let store = try await DatabaseStore.postgres(at: try server.database().address, limits: limits)
                let account = try await StoreSamples.open(1, in: store)
                _ = try await store.change([StoreSamples.change(1, of: 1)], of: account)
                let told = Lock<[CloudAgentError]>([])
                store.listen { news in if case .failed(let error) = news { told.withLock { $0.append(error) } } }
                #expect(server.demandStandby("absent"))
                for _ in 0..<2 {
                    await #expect(throws: CloudAgentError(.standbyMissing, "")) {
                        _ = try await store.accept(StoreSamples.mail(to: 1, of: 1, [1]))
                    }
                }
                #expect(told.withLock { $0 }.contains(CloudAgentError(.standbyMissing, "")))
                #expect(server.demandStandby(""))
                #expect(
                    try await eventually { (try? await store.accept(StoreSamples.mail(to: 1, of: 1, [2]))) == .stored })
                await store.close()
            }
        }

        @Test func `a store that requires a synchronous standby accepts no mail without one, and still delivers`()
            async throws
        {
            try await PostgresServer.with { server in
                var limits = StoreLimits()
                let address = try server.database().address
                let before = try await DatabaseStore.postgres(at: address, limits: limits)
                let account = try await StoreSamples.open(1, in: before)
                await before.close()
                limits.requiresReplica = true
                let store = try await DatabaseStore.postgres(at: address, limits: limits)
                await #expect(throws: CloudAgentError(.unreplicated, "")) {
                    _ = try await store.accept(StoreSamples.mail(to: 1, of: 1, [1]))
                }
                #expect(try await StoreSamples.all(of: account, in: store).isEmpty)
                await store.close()
            }
        }

        @Test(.timeLimit(.minutes(3)))
        func `an instance that hangs within a PostgreSQL transaction blocks the others no longer than a step may take`()
            async throws
        {
            try await PostgresServer.with { server in
                let address = try server.database().address
                var limits = StoreLimits()
                limits.silence = .seconds(60)
                let other = try await DatabaseStore.postgres(at: address, limits: limits)
                limits.silence = .seconds(1)
                let still = try await DatabaseStore.postgres(at: address, limits: limits)
                let account = try await StoreSamples.open(1, in: other)
                _ = try await other.change([StoreSamples.change(1, of: 1)], of: account)
                let goesOn = DispatchSemaphore(value: 0)
                let (begun, begin) = AsyncStream.makeStream(of: [[StoreValue]].self)
                let step = Task {
                    try await still.write { step in
                        begin.yield(
                            try step.database.query(
                                "SELECT convert_to(current_setting('idle_in_transaction_session_timeout'), 'UTF8')", [])
                        )
                        goesOn.wait()
                    }
                }
                for await rows in begun {
                    #expect(rows == [[.blob(Array("1s".utf8))]])
                    break
                }
                #expect(try await other.accept(StoreSamples.mail(to: 1, of: 1, [1])) == .stored)
                goesOn.signal()
                await #expect(throws: CloudAgentError.self) { try await step.value }
                await other.close()
                await still.close()
            }
        }

        @Test(.timeLimit(.minutes(3)))
        func `the kind of PostgreSQL replication is shown, also to a role that may not see the standbys`() async throws
        {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                #expect(server.run("CREATE ROLE watcher LOGIN; GRANT CREATE ON DATABASE \(name) TO watcher"))
                for role in ["postgres", "watcher"] {
                    let (kinds, told) = AsyncStream.makeStream(of: StoreReplication.self)
                    let place = address.replacing("user=postgres", with: "user=\(role)")
                    let database = role == "postgres" ? place : place.replacing("/\(name)?", with: "/\(name)_2?")
                    if role != "postgres" {
                        #expect(server.run("CREATE DATABASE \(name)_2 OWNER watcher"))
                    }
                    let store = try await DatabaseStore.postgres(at: database)
                    store.listen { news in if case .replication(let kind) = news { told.yield(kind) } }
                    var seen = kinds.makeAsyncIterator()
                    while await seen.next() != .alone {}
                    #expect(server.demandStandby("absent"))
                    while await seen.next() != .synchronous {}
                    #expect(server.demandStandby(""))
                    while await seen.next() != .alone {}
                    await store.close()
                }
            }
        }

        @Test func `a PostgreSQL role that may not create a schema and one that may not log in have different errors`()
            async throws
        {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                #expect(
                    server.run(
                        "CREATE ROLE plain LOGIN; CREATE ROLE barred NOLOGIN; CREATE ROLE few LOGIN CONNECTION LIMIT 0")
                )
                let cases: [(role: String, code: CloudAgentError.Code)] = [
                    ("plain", .rights), ("barred", .login), ("few", .connections),
                ]
                for (role, code) in cases {
                    let place = address.replacing("user=postgres", with: "user=\(role)")
                    await #expect(throws: CloudAgentError(code, "")) { _ = try await DatabaseStore.postgres(at: place) }
                }
                #expect(server.run("GRANT CREATE ON DATABASE \(name) TO plain"))
                await (try await DatabaseStore.postgres(at: address.replacing("user=postgres", with: "user=plain")))
                    .close()
                #expect(server.run("ALTER ROLE plain SET default_transaction_read_only TO on"))
                await #expect(throws: CloudAgentError(.standby, "")) {
                    _ = try await DatabaseStore.postgres(at: address.replacing("user=postgres", with: "user=plain"))
                }
            }
        }

        /// The error with which a store cannot be opened; nil when it can.
        private static func refusal(_ address: String, makes: Bool = true) async -> CloudAgentError? {
            do throws(CloudAgentError) {
                await (try await DatabaseStore.postgres(at: address, makes: makes)).close()
                return nil
            } catch {
                return error
            }
        }

        @Test func `each right that a PostgreSQL role lacks is reported with the statement that grants it`()
            async throws
        {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                func place(_ role: String) -> String { address.replacing("user=postgres", with: "user=\(role)") }
                #expect(server.run("CREATE ROLE plain LOGIN; CREATE ROLE \"odd \"\"one\" LOGIN", in: name))
                // The right to connect, and that to make the schema.
                #expect(server.run("REVOKE CONNECT ON DATABASE \(name) FROM PUBLIC", in: name))
                #expect(server.run("REVOKE TEMP ON DATABASE \(name) FROM PUBLIC", in: name))
                for statement in ["CONNECT", "CREATE"] {
                    let error = await Self.refusal(place("plain"))
                    #expect(error?.code == .rights, "\(statement): \(error?.reason ?? "")")
                    let statement = try #require(error?.reason.firstMatch(of: /GRANT [^;]*;/)?.output)
                    #expect(server.run(String(statement), in: name), "\(statement)")
                }
                #expect(await Self.refusal(place("plain")) == nil)
                // The rights on tables that are there: of the schema, which hides them, and of each.
                #expect(server.run("GRANT CONNECT ON DATABASE \(name) TO \"odd \"\"one\"", in: name))
                let odd = place("odd%20%22one")
                for makes in [true, false] {
                    let hidden = await Self.refusal(odd, makes: makes)
                    #expect(
                        hidden?.code == .rights && hidden?.reason.contains("42P01") == false, "\(hidden?.reason ?? "")")
                }
                #expect(server.run("GRANT USAGE ON SCHEMA symbolon_agent TO \"odd \"\"one\"", in: name))
                #expect(server.run("GRANT SELECT ON ALL TABLES IN SCHEMA symbolon_agent TO \"odd \"\"one\"", in: name))
                let store = try await DatabaseStore.postgres(at: odd)
                let refused = await #expect(throws: CloudAgentError(.rights, "")) {
                    _ = try await store.write { try $0.settings.settle("a", [1]) }
                }
                let statements = try #require(refused?.reason.firstMatch(of: /GRANT .*;/)?.output)
                #expect(server.run(String(statements), in: name), "\(statements)")
                // The same instance of the agent writes again.
                #expect(try await store.write { try $0.settings.settle("a", [1]) } == [1])
                await store.close()
                // Tables of an earlier version can be changed by their owner alone.
                #expect(server.run("UPDATE symbolon_agent.tables SET version = 4", in: name))
                let older = await Self.refusal(odd)
                #expect(older?.code == .rights && older?.reason.contains("GRANT plain TO \"odd \"\"one\";") == true)
            }
        }

        @Test func `a PostgreSQL role that may not create a schema uses one that was made for it`() async throws {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                let place = address.replacing("user=postgres", with: "user=plain")
                #expect(server.run("CREATE ROLE plain LOGIN; CREATE SCHEMA symbolon_agent", in: name))
                let error = await Self.refusal(place)
                let statement = try #require(error?.reason.firstMatch(of: /GRANT [^;]*;/)?.output)
                #expect(error?.code == .rights && statement.contains("ON SCHEMA"))
                #expect(server.run(String(statement), in: name))
                #expect(await Self.refusal(place) == nil)
            }
        }

        @Test func `a missing PostgreSQL database is reported, and the command of the next step creates it`()
            async throws
        {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                let place = address.replacing("/\(name)?", with: "/absent?")
                let error = await Self.refusal(place)
                #expect(error?.code == .missing && error?.reason.contains("\"absent\" does not exist") == true)
                #expect(
                    CloudAgentError.Code.missing.nextStep(isDatabase: true).contains("createdb --owner=ROLE DATABASE"))
                #expect(server.run("CREATE DATABASE absent"))
                #expect(await Self.refusal(place) == nil)
            }
        }
    }
#endif
