#if PostgreSQL
    import Determinism
    import Foundation
    import PostgresEngine
    import TestSupport
    import Testing

    @testable import CloudAgent

    @Suite(.enabled(if: PostgresServer.isInstalled, "skipped: PostgreSQL 15 is not installed"), .timeLimit(.minutes(3)))
    struct PostgresPrimarySelectorTests {
        private static let second = Duration.seconds(1)

        /// A server that answers the question who it is, and then as the script says.
        private func server(
            _ identity: ScriptedPostgres.Answer = ScriptedPostgres.primary(1),
            then answer: @escaping @Sendable (String) -> ScriptedPostgres.Answer = { _ in .done() }
        ) throws -> ScriptedPostgres {
            try ScriptedPostgres { sql in sql.contains("pg_is_in_recovery") ? identity : answer(sql) }
        }

        private func address(of servers: [ScriptedPostgres], _ rest: String = "") -> String {
            let hosts = servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
            return "postgres://role@\(hosts)/agent?sslmode=disable&gssencmode=disable\(rest)"
        }

        private func fault<Value>(of body: () throws -> Value) -> PostgresFault? {
            do { _ = try body() } catch { return (error as? PostgresError)?.fault }
            return nil
        }

        // Silence.

        @Test func `a server that takes the connection and then says nothing is silent`() throws {
            let mute = try server(.silence)
            defer { mute.stop() }
            let cluster = try PostgresPrimarySelector(mute.address, timeout: Self.second)
            #expect(fault { try cluster.connect() } == .silent)
        }

        @Test func `a statement without an answer is given up as silent, and its connection is not used again`() throws
        {
            let mute = try server { $0 == "COMMIT" ? .silence : .done() }
            defer { mute.stop() }
            let connection = try PostgresPrimarySelector(mute.address, timeout: Self.second).connect().connection
            try connection.run("BEGIN")
            #expect(fault { try connection.run("COMMIT") } == .silent)
            #expect(connection.isLost && fault { try connection.run("ROLLBACK") } == .unavailable)
            #expect(!mute.statements.contains("ROLLBACK"))
        }

        @Test func `a commit counts as made only when its whole answer came`() throws {
            let whole = ScriptedPostgres.end
            let length = Lock(0)
            let cutting = try server { $0 == "COMMIT" ? .cut(Array(whole.prefix(length.withLock { $0 }))) : .done() }
            defer { cutting.stop() }
            for count in 0...whole.count {
                length.withLock { $0 = count }
                let connection = try PostgresPrimarySelector(cutting.address, timeout: Self.second * 5).connect()
                    .connection
                let fault = fault { try connection.run("COMMIT") }
                #expect(fault == (count == whole.count ? nil : .unavailable), "\(count) bytes")
            }
        }

        @Test func `warnings are told by their states, and however many come, sixteen are kept`() throws {
            let many = [String](repeating: "01000", count: 30_000)
            let warning = try server {
                $0 == "MANY" ? .done(warnings: many) : $0 == "ONE" ? .done(warnings: ["57P01"]) : .done()
            }
            defer { warning.stop() }
            let connection = try PostgresPrimarySelector(warning.address, timeout: Self.second * 30).connect()
                .connection
            try connection.run("MANY")
            #expect(connection.warningStates == [String](repeating: "01000", count: 16))
            try connection.run("ONE")
            #expect(connection.warningStates == ["57P01"])
            try connection.run("NONE")
            #expect(connection.warningStates == [])
        }

        @Test func `a commit that waits for a former primary ends as soon as another server is seen to be the primary`()
            async throws
        {
            let isPromoted = Lock(false)
            let old = try server { $0 == "COMMIT" ? .silence : .done() }
            let new = try ScriptedPostgres { _ in
                isPromoted.withLock { $0 } ? ScriptedPostgres.primary(2) : ScriptedPostgres.standby
            }
            defer { for one in [old, new] { one.stop() } }
            // Far longer than the test may take.
            let cluster = try PostgresPrimarySelector(address(of: [old, new]), timeout: Self.second * 600)
            let (faults, told) = AsyncStream.makeStream(of: PostgresFault?.self)
            Thread.detachNewThread {
                told.yield(self.fault { try cluster.connect().connection.run("COMMIT") })
                told.finish()
            }
            while !old.statements.contains("COMMIT") { await Task.yield() }
            isPromoted.withLock { $0 = true }
            #expect(cluster.look()?.fault == .formerPrimary)
            for await fault in faults { #expect(fault == .formerPrimary) }
        }

        // Several servers.

        @Test func `of several servers the primary is used, wherever it stands in the address`() throws {
            let (primary, standby) = (try server(), try server(ScriptedPostgres.standby))
            defer { for one in [primary, standby] { one.stop() } }
            for servers in [[primary, standby], [standby, primary]] {
                let member = try PostgresPrimarySelector(address(of: servers), timeout: Self.second * 5).connect()
                #expect(member.server.isWritable && member.server.timeline == 1)
            }
            let alone = try PostgresPrimarySelector(standby.address, timeout: Self.second * 5)
            #expect(fault { try alone.connect() } == .standby)
        }

        @Test func `servers are tried side by side, so that many silent ones do not hold up the start`() throws {
            let (primary, mute) = (try server(), try server(.silence))
            defer { for one in [primary, mute] { one.stop() } }
            let servers = [ScriptedPostgres](repeating: mute, count: 29) + [primary]
            let cluster = try PostgresPrimarySelector(
                address(of: servers, "&connect_timeout=30"), timeout: Self.second * 30)
            #expect(try cluster.connect().server.isWritable)
        }

        @Test func `a standby that is promoted while a silent server is waited for is used at once`() async throws {
            let isPromoted = Lock(false)
            let mute = try server(.silence)
            let standby = try ScriptedPostgres { _ in
                isPromoted.withLock { $0 } ? ScriptedPostgres.primary(2) : ScriptedPostgres.standby
            }
            defer { for one in [mute, standby] { one.stop() } }
            // Far longer than the test may take.
            let cluster = try PostgresPrimarySelector(
                address(of: [mute, standby], "&connect_timeout=60"), timeout: Self.second * 60)
            let (timelines, found) = AsyncStream.makeStream(of: Int64?.self)
            Thread.detachNewThread {
                found.yield((try? cluster.connect())?.server.timeline)
                found.finish()
            }
            while standby.statements.isEmpty { await Task.yield() }
            isPromoted.withLock { $0 = true }
            for await timeline in timelines { #expect(timeline == 2) }
        }

        @Test func `each server that cannot be used is told with its reason, in the order of the address`() throws {
            let (standby, mute) = (try server(ScriptedPostgres.standby), try server(.silence))
            defer { standby.stop() }
            let cluster = try PostgresPrimarySelector(address(of: [mute, standby]), timeout: Self.second)
            let error = #expect(throws: PostgresError.self) { try cluster.connect() }
            let reason = try #require(error?.reason)
            let first = try #require(reason.range(of: "The server 127.0.0.1:\(mute.port) does not answer."))
            let second = try #require(reason.range(of: "The server 127.0.0.1:\(standby.port) is a standby"))
            #expect(first.lowerBound < second.lowerBound && error?.fault == .silent)
            mute.stop()
            // The port is closed now.
            let refused = #expect(throws: PostgresError.self) { try cluster.connect() }
            #expect(refused?.fault == .unavailable)
        }

        @Test func `the primary with the highest timeline is used, and one that was left is not believed any more`()
            throws
        {
            let timeline = Lock(1)
            let (old, new) = (
                try server(ScriptedPostgres.primary(1)),
                try ScriptedPostgres { _ in
                    let number = timeline.withLock { $0 }
                    return number == 1 ? ScriptedPostgres.standby : ScriptedPostgres.primary(number)
                }
            )
            defer { for one in [old, new] { one.stop() } }
            let cluster = try PostgresPrimarySelector(address(of: [old, new]), timeout: Self.second * 5)
            let member = try cluster.connect()
            #expect(member.server.timeline == 1 && cluster.look() == nil && cluster.isCurrent(member.use))
            timeline.withLock { $0 = 2 }
            #expect(cluster.look()?.fault == .formerPrimary && !cluster.isCurrent(member.use))
            let next = try cluster.connect()
            #expect(next.server.timeline == 2 && next.use > member.use && cluster.look() == nil)
            new.stop()
            timeline.withLock { $0 = 1 }
            let error = #expect(throws: PostgresError.self) { try cluster.connect() }
            #expect(error?.reason.contains("former primary") == true)
        }

        @Test func `a primary of another cluster does not end the use of ours`() throws {
            let (ours, others) = (try server(), try server(ScriptedPostgres.primary(9, system: "8002")))
            defer { for one in [ours, others] { one.stop() } }
            let alone = try PostgresPrimarySelector(
                address(of: [ours, try server(ScriptedPostgres.standby)]), timeout: Self.second * 5)
            let member = try alone.connect()
            #expect(alone.look() == nil && alone.isCurrent(member.use))
            let mixed = try PostgresPrimarySelector(address(of: [ours, others]), timeout: Self.second * 5)
            _ = try mixed.connect()
            #expect(mixed.look() == nil)
        }

        // Faults.

        @Test(
            arguments: [
                (.busy, .busy), (.full, .full), (.damaged, .damaged), (.schema, .schema), (.unavailable, .unavailable),
                (.silent, .silent), (.standby, .standby), (.formerPrimary, .formerPrimary), (.pooler, .pooler),
                (.rights, .rights), (.login, .login), (.connections, .connections), (.address, .path),
                (.noDatabase, .missing), (.noLibrary, .noLibrary), (.other, .internal),
            ] as [(PostgresFault, CloudAgentError.Code)])
        func `each fault of PostgreSQL has a code of the store`(fault: PostgresFault, code: CloudAgentError.Code) {
            #expect(CloudAgentError(postgres: PostgresError(fault, "It failed.")) == CloudAgentError(code, ""))
        }

        @Test(
            arguments: [
                ("42P05", .pooler), ("26000", .pooler), ("08P01", .pooler), ("42501", .rights), ("25006", .standby),
                ("28P01", .login), ("28000", .login), ("53300", .connections), ("53100", .full), ("55P03", .busy),
                ("57P03", .unavailable), ("57P01", .unavailable), ("42P01", .schema), ("XX001", .damaged),
                ("P0001", .other), ("3D000", .noDatabase), ("57P04", .noDatabase), ("25P03", .unavailable),
                ("53200", .unavailable), ("08006", .unavailable), ("0A000", .schema), ("55006", .busy),
                ("57014", .busy), ("58030", .damaged), ("3F000", .schema), ("23505", .damaged),
            ] as [(String, PostgresFault)])
        func `a state that a statement is refused with has one fault`(state: String, expected: PostgresFault) throws {
            let server = try server { _ in .refusal(state) }
            defer { server.stop() }
            let connection = try PostgresPrimarySelector(server.address, timeout: Self.second * 5).connect().connection
            #expect(fault { try connection.run("SELECT 1") } == expected)
        }

        @Test func `a right that the role lacks is told with the server's words`() throws {
            let server = try server { _ in .refusal("42501") }
            defer { server.stop() }
            let connection = try PostgresPrimarySelector(server.address, timeout: Self.second * 5).connect().connection
            #expect(throws: PostgresError(.rights, "The role lacks a right (42501): words.")) {
                try connection.run("SELECT 1")
            }
        }

        @Test(
            arguments: [
                ("FATAL:  28P01: password authentication failed for user \"role\"", .login),
                ("FATAL:  28000: role \"role\" does not exist", .login),
                ("FATAL:  53300: too many connections for role \"role\"", .connections),
                ("FATAL:  57P03: the database system is starting up", .unavailable),
                ("FATAL:  3D000: database \"agent\" does not exist", .noDatabase),
                ("FATAL:  42501: permission denied for database \"agent\"", .rights),
                ("FATAL:  55000: database \"agent\" is not currently accepting connections", .unavailable),
                ("FATAL:  08P01: no such database: agent", .noDatabase),
                ("FATAL:  08P01: no more connections allowed (max_client_conn)", .connections),
                ("FATAL:  08P01: SASL authentication failed", .login),
                ("FATAL:  08P01: server login has been failing, try again later", .unavailable),
                ("server certificate for \"127.0.0.8\" does not match host name \"127.0.0.2\"", .login),
                ("SSL error: certificate verify failed", .login), ("fe_sendauth: no password supplied", .login),
                ("server does not support SSL, but SSL was required", .login),
                ("SSL connection has been closed unexpectedly", .unavailable),
                ("root certificate file \"/none\" does not exist", .login), ("Connection refused", .unavailable),
            ] as [(String, PostgresFault)])
        func `a connection that is not made has the fault of the server's state, or of a certificate`(
            words: String, expected: PostgresFault
        ) {
            let line = "connection to server at \"127.0.0.2\", port 5432 failed: \(words)"
            #expect(PostgresError(refusal: line).fault == expected)
        }

        @Test func `of the addresses of one name the one that answers says why no connection is made`() {
            let error = PostgresError(
                refusal: """
                    connection to server at "localhost" (::1), port 5432 failed: Connection refused
                    \tIs the server running on that host and accepting TCP/IP connections?
                    connection to server at "localhost" (127.0.0.1), port 5432 failed: FATAL:  57P03: not accepting
                    DETAIL:  Hot standby mode is disabled.
                    LOCATION:  ProcessStartupPacket, postmaster.c:2321

                    """)
            let words =
                "PostgreSQL cannot be reached: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: FATAL:  "
                + "57P03: not accepting. Hot standby mode is disabled."
            #expect(error == PostgresError(.unavailable, words))
        }

        @Test func `each of several servers has its own cause, and of many the first eight have`() throws {
            let words = "FATAL:  28P01: " + String(repeating: "é", count: 400)
            let refusing = try ScriptedPostgres(refusingWith: ("28P01", words)) { _ in .done() }
            defer { refusing.stop() }
            let three = try PostgresPrimarySelector(
                address(of: [ScriptedPostgres](repeating: refusing, count: 3)), timeout: Self.second * 5)
            var error = #expect(throws: PostgresError.self) { try three.connect() }
            var reason = try #require(error?.reason)
            #expect(reason.split(separator: "127.0.0.1:\(refusing.port): FATAL:  28P01: ").count == 4, "\(reason)")
            #expect(error?.fault == .login && reason.utf8.count < 3 * 300)
            let many = try PostgresPrimarySelector(
                address(of: [ScriptedPostgres](repeating: refusing, count: 30)), timeout: Self.second * 5)
            error = #expect(throws: PostgresError.self) { try many.connect() }
            reason = try #require(error?.reason)
            #expect(
                reason.split(separator: "FATAL:  28P01: ").count == 9
                    && reason.hasSuffix(" 22 more cannot be used either."))
            #expect(reason.utf8.count < CloudAgentError.shownCharacters)
        }

        @Test func `a former primary is the cause as long as no server of its timeline or a later one takes writes`()
            throws
        {
            let timeline = Lock(2)
            let (old, new) = (
                try server(ScriptedPostgres.primary(1)),
                try ScriptedPostgres { _ in
                    let number = timeline.withLock { $0 }
                    return number == 0 ? ScriptedPostgres.standby : ScriptedPostgres.primary(number)
                }
            )
            let standby = try server(ScriptedPostgres.standby)
            defer { for one in [old, new, standby] { one.stop() } }
            let cluster = try PostgresPrimarySelector(address(of: [standby, old, new]), timeout: Self.second * 5)
            #expect(try cluster.connect().server.timeline == 2)
            timeline.withLock { $0 = 0 }
            for _ in 0..<2 {
                let error = #expect(throws: PostgresError.self) { try cluster.connect() }
                #expect(error?.fault == .formerPrimary && error?.reason.contains("its timeline is 1") == true)
            }
            // The same instance connects again as soon as a primary is there.
            for number in [2, 3] {
                timeline.withLock { $0 = number }
                #expect(try cluster.connect().server.timeline == Int64(number))
            }
            // Another instance, or this one after a restart, has seen no later timeline.
            timeline.withLock { $0 = 0 }
            let anew = try PostgresPrimarySelector(address(of: [standby, old, new]), timeout: Self.second * 5)
            #expect(try anew.connect().server.timeline == 1)
        }

        // Addresses.

        @Test func `what an operator writes into the address counts before the defaults`() throws {
            let server = try server()
            defer { server.stop() }
            _ = try PostgresPrimarySelector(server.address, timeout: Self.second * 5).connect()
            #expect(server.startups.last?.contains("application_name\nsymbolon") == true)
            _ = try PostgresPrimarySelector(server.address + "&application_name=mine", timeout: Self.second * 5)
                .connect()
            #expect(server.startups.last?.contains("application_name\nmine") == true)
        }

        @Test(
            arguments: [
                ("host=a,b", nil), ("host=a,b target_session_attrs=read-write", nil),
                ("host=a target_session_attrs=primary", nil),
                ("host=a,b target_session_attrs=any", .address),
                ("host=a,b target_session_attrs=prefer-standby", .address),
                ("host=a target_session_attrs=standby", .address), ("host=a,b,c port=1,2", .address),
                ("host=a,b port=1", nil),
                ("nonsense", .address), ("host=" + (0..<32).map { "h\($0)" }.joined(separator: ","), nil),
                ("host=" + (0..<33).map { "h\($0)" }.joined(separator: ","), .address),
            ] as [(String, PostgresFault?)])
        func `an address may name up to 32 servers, and none that may be a standby`(
            text: String, expected: PostgresFault?
        ) {
            #expect(fault { try PostgresPrimarySelector(text, timeout: Self.second) } == expected)
        }
    }
#endif
