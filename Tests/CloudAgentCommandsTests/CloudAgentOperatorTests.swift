import Aries
import CommandTestSupport
import Determinism
import Foundation
import Terminal
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent
@testable import CloudAgentCommands
@testable import CommandProgram

/// The commands for the operator of a cloud agent.
@Suite struct CloudAgentOperatorTests {
    private let folder: TemporaryFolder
    private let data: String

    init() throws {
        folder = try TemporaryFolder()
        data = "\(folder.path)/agent"
    }

    private func run(_ command: String..., variables: [String: String] = [:]) async -> CommandRun {
        var setup = CommandRun.Setup()
        setup.variables.merge(variables) { _, new in new }
        return await CommandRun.run(["agent"] + command + ["--data", data], setup)
    }

    /// A store in the folder, with its secret, and what `fill` puts there.
    private func makeStore(_ fill: (DatabaseStore) async throws -> Void = { _ in }) async throws {
        #expect(await run("run", "--listen", "127.0.0.1:0", "--for", "1ms").status == 0)
        let store = try await DatabaseStore.sqlite(at: "\(data)/agent.sqlite")
        try await fill(store)
        await store.close()
    }

    private static func hash(_ byte: UInt8) throws -> KeyHash {
        try #require(KeyHash([UInt8](repeating: byte, count: 32)))
    }

    /// An account with a message that came when the epoch began.
    private func fill(_ store: DatabaseStore) async throws {
        try await fill(store, arrival: WallTime(millisecondsSinceEpoch: 0))
    }

    private func fill(_ store: DatabaseStore, arrival: WallTime) async throws {
        let (routing, key) = (try Self.hash(1), try Self.hash(2))
        let number = try await store.write(adding: 1) {
            try $0.accounts.open(
                [9], keys: [MediatorKey(routing, .routing, account: nil, body: [8])],
                at: WallTime(millisecondsSinceEpoch: 0)
            )
        }
        try await store.write { try $0.accounts.update(number, body: nil, isServed: true, seen: nil) }
        let addition = StoredKeyChange(key, isAddition: true, routing: routing, body: [7])
        _ = try await store.change(.keys([addition]), of: number, by: nil) { _ in [] }
        _ = try await store.accept(
            NewMail(
                routing: routing, recipient: key, arrival: arrival, tag: 1,
                envelope: [1, 2, 3]))
    }

    @Test func `agent status shows accounts, keys and messages of the store, with and without a running agent`()
        async throws
    {
        try await makeStore(fill)
        let status = await run("status")
        #expect(status.status == 0, "\(status.talk)")
        for line in ["accounts        1", "keys            1", "messages        1", "bytes           3 B"] {
            #expect(status.lines.contains(line), "\(status.output)")
        }
        #expect(status.lines.contains { $0.hasPrefix("oldest message  ") })
    }

    @Test func `agent status shows a loss of the store until --seen clears it`() async throws {
        try await makeStore { store in
            try await store.write {
                try $0.losses.record(
                    StoreDataLoss(steps: 191, age: .zero, timelineBefore: 1, timelineAfter: 2), at: WallClock.now())
            }
        }
        let told = await run("status")
        #expect(told.lines.contains { $0.hasPrefix("lost            up to 191 transactions, ") }, "\(told.output)")
        for _ in 0..<2 {
            let seen = await run("status", "--seen")
            #expect(seen.status == 0 && !seen.lines.contains { $0.hasPrefix("lost ") }, "\(seen.output)")
        }
    }

    @Test func `agent status shows the cause of an unready agent with its reason and the next step`() async throws {
        let reason = "No server of the address can be used. " + String(repeating: "h: it is away. ", count: 100)
        let server = try await ScriptedServer { request, _ in
            let members =
                #""state":"unready","cause":"cloud.store.former-primary","reason":"\#(reason)","nextStep":"Stop it.\u001b","#
                + #""causeSeconds":12"#
            return request.target.path == "/status"
                ? HTTPResponse(200, "application/json", Array("{\(members)}".utf8)) : nil
        }
        let place = server.base.replacing("http://", with: "")
        // On a busy machine even this server can be late.
        func status(_ rest: String...) async -> CommandRun {
            while true {
                let run = await CommandRun.run(["agent", "status", "--admin-listen", place] + rest)
                if run.code != "web.deadline" { return run }
            }
        }
        let shown = await status()
        #expect(shown.lines.contains("cause           cloud.store.former-primary, for 12.0 s"), "\(shown.talk)")
        let words = shown.lines.first { $0.hasPrefix("reason          ") }
        #expect(words?.contains("another server is now. ") == true && words?.hasSuffix("h: it is away. ") == true)
        #expect(shown.lines.contains { $0.hasPrefix("next            Stop it.") && !$0.contains("\u{1B}") })
        let event = await status("--json").lines.compactMap { EventLine($0) }
            .first { $0["event"] as? String == "cloud-agent-status" }
        #expect(event?["reason"] as? String == reason && (event?["nextStep"] as? String)?.hasPrefix("Stop it.") == true)
        await server.stop()
    }

    #if PostgreSQL
        @Test func `agent status lists each database server of the store with its cause, and cuts none off`()
            async throws
        {
            let cause =
                "no pg_hba.conf entry for host \"10.20.30.40\", user \"symbolon\", database \"agent\", no encryption"
            let server = try ScriptedPostgres(refusingWith: ("28000", cause)) { _ in .done() }
            defer { server.stop() }
            let hosts = [String](repeating: "127.0.0.1:\(server.port)", count: 8)
            let refused = await CommandRun.run([
                "agent", "run", "--listen", "127.0.0.1:0", "--data", data, "--store",
                "postgres://role@\(hosts.joined(separator: ","))/agent?sslmode=disable&gssencmode=disable",
            ])
            try #require(refused.code != "cloud.store.library")
            let words = refused.talk.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(refused.code == "cloud.store.login", "\(refused.talk)")
            #expect(words.split(separator: "127.0.0.1:\(server.port): FATAL: 28000: \(cause).").count == 9, "\(words)")
        }

        @Test(
            arguments: [
                ("3D000", "cloud.store.missing", "createdb --owner=ROLE DATABASE"),
                ("28P01", "cloud.store.login", "password file"), ("28000", "cloud.store.login", "CREATE ROLE"),
                ("42501", "cloud.store.rights", #"GRANT CONNECT ON DATABASE "agent" TO "role";"#),
                ("53300", "cloud.store.connections", "CONNECTION LIMIT"),
                ("57P03", "cloud.store.unavailable", "wait while it starts"),
                ("55000", "cloud.store.unavailable", "Do what the cause asks for"),
            ])
        func `agent run reports a database server's refusal in its words, with the next step`(
            state: String, code: String, step: String
        ) async throws {
            let server = try ScriptedPostgres(refusingWith: (state, "It is refused")) { _ in .done() }
            defer { server.stop() }
            let refused = await CommandRun.run([
                "agent", "run", "--listen", "127.0.0.1:0", "--data", data, "--store", server.address,
            ])
            try #require(refused.code != "cloud.store.library")
            let words = refused.talk.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(refused.code == code && words.contains("\(state): It is refused"), "\(words)")
            #expect(words.contains(step), "\(words)")
        }

        @Test func `agent run warns of a database password that others can read, and does not show it`() async throws {
            let file = try folder.writeSecret(
                "agent.conf", "label = Ours\nstore = postgres://role:hidden@127.0.0.1:1/agent\nlisten = 127.0.0.1:0\n")
            let line = ["agent", "run", "--data", data, "--config", file]
            #expect(await !CommandRun.run(line).talk.contains("warning"))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let warned = await CommandRun.run(line)
            #expect(
                warned.talk.contains("warning \(file) line 2: ") && warned.talk.contains("?passfile=FILE"),
                "\(warned.talk)"
            )
            #expect(!warned.talk.contains("hidden"))
            let typed = await CommandRun.run([
                "agent", "run", "--data", data, "--listen", "127.0.0.1:0",
                "--store", "postgres://role:hidden@127.0.0.1:1/agent",
            ])
            let words = typed.talk.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("see it in the list of processes") && !words.contains("hidden"), "\(words)")
            _ = try folder.write("agent.conf", "store = postgres://role@127.0.0.1:1/agent\nlisten = 127.0.0.1:0\n")
            #expect(await !CommandRun.run(line).talk.contains("warning"))
        }
    #endif

    @Test func `agent accounts lists accounts by number, and --close removes one with its messages`() async throws {
        try await makeStore(fill)
        let list = await run("accounts")
        #expect(list.lines.count == 2 && list.lines.last?.hasSuffix("served") == true, "\(list.output)")
        #expect(await run("accounts", "--close", "1").code == "usage.missing-option", "it asks first")
        let unknown = await run("accounts", "--close", "2", "--yes")
        #expect(unknown.code == "cloud.account.unknown" && unknown.talk.contains("symbolon agent accounts"))
        #expect(await run("accounts", "--close", "1", "--yes").lines == ["account 1 closed"])
        #expect(await run("accounts").lines.count == 1)
        #expect(await run("status").lines.contains("messages        0"))
    }

    @Test func `an agent backup has all accounts and messages, and opens with the secret of its store alone`()
        async throws
    {
        try await makeStore(fill)
        let copy = "\(folder.path)/copy.sqlite"
        #expect(await run("backup", copy).status == 0)
        let again = await run("backup", copy)
        #expect(again.code == "cloud.copy.path" && again.status == 9, "nothing is written over")
        #expect(again.talk.contains("not there yet"), "\(again.talk)")
        #expect(await run("backup", "\(folder.path)/none/there").code == "cloud.copy.path")
        #expect(await run("verify", "--store", "sqlite:\(copy)").lines == ["0 findings"])
        #expect(await run("accounts", "--store", "sqlite:\(copy)").lines.count == 2)
        _ = await run(
            "run", "--listen", "127.0.0.1:0", "--for", "1ms", "--secret-file", "\(folder.path)/other", "--store",
            "sqlite:\(folder.path)/other.sqlite")
        let wrong = await run("verify", "--store", "sqlite:\(copy)", "--secret-file", "\(folder.path)/other")
        #expect(wrong.code == "cloud.secret.wrong")
        #expect(await run("backup", "x", "--store", "postgres://u:hidden@h/d").code == "cloud.store.unsupported")
    }

    @Test func `agent prune drops messages older than the configured age, or than --older-than`() async throws {
        try await makeStore { store in
            try await fill(store, arrival: WallClock.now())
        }
        #expect(await run("prune").lines == ["0 messages dropped"])
        #expect(await run("prune", "--older-than", "24h").lines == ["0 messages dropped"])
        // Older than now, which has gone on since.
        try await Task.sleep(for: .milliseconds(1100))
        let pruned = await run("prune", variables: ["SYMBOLON_AGENT_MESSAGE_AGE": "1s"])
        #expect(pruned.lines == ["1 messages dropped"], "\(pruned.talk)")
        #expect(await run("prune", "--older-than", "0s").lines == ["0 messages dropped"])
    }

    @Test func `agent commands on a missing store fail with cloud.store.missing and make none`() async throws {
        for command in ["status", "accounts", "verify", "prune"] {
            let told = await run(command)
            #expect(told.code == "cloud.store.missing" && told.talk.contains("symbolon agent run"), "\(command)")
        }
        #expect(await run("backup", "\(folder.path)/x").code == "cloud.store.missing")
        #expect(try folder.names().isEmpty)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        _ = try folder.writeSecret("agent/agent.sqlite", "something else that is longer than a header of SQLite is")
        #expect(["cloud.store.damaged", "cloud.store.schema"].contains(await run("verify").code))
    }

    @Test func `agent config show prints each setting with its source, and hides passwords`() async throws {
        let file = try folder.write("agent.conf", "label = Ours\n")
        let variables = ["SYMBOLON_AGENT_STORE": "postgres://u:hidden@h/d", "SYMBOLON_AGENT_CONFIG": file]
        let shown = await run("config", "show", "--closed", variables: variables)
        #expect(shown.status == 0 && shown.lines.count == CloudAgentSettings.table.count + 1, "\(shown.talk)")
        #expect(shown.lines.contains { $0.hasPrefix("label ") && $0.hasSuffix("\(file) line 1") })
        #expect(shown.lines.contains { $0.hasPrefix("store ") && $0.hasSuffix("SYMBOLON_AGENT_STORE") })
        #expect(shown.lines.contains { $0.hasPrefix("admission ") && $0.hasSuffix("--closed") })
        let json = await CommandRun.run(["agent", "config", "show", "--json"], .init(variables: variables))
        for wrong in ["postgre://u:hidden@h/d", "hidden"] {
            let refused = await run("config", "show", variables: ["SYMBOLON_AGENT_STORE": wrong])
            #expect(refused.code == "config.bad-value")
            let option = await run("config", "show", "--store", wrong)
            #expect(option.code == "config.bad-value" && option.status == 2)
            for run in [shown, json, refused, option] {
                #expect(!run.output.contains("hidden") && !run.talk.contains("hidden"))
            }
        }
        #expect(try folder.names() == ["agent.conf"], "nothing is made")
    }

    @Test func `agent config show prints the paths of store and secret even if no setting names them`() async throws {
        func values(_ arguments: [String] = [], _ variables: [String: String]) async throws -> [String: String] {
            let run = await CommandRun.run(
                ["agent", "config", "show", "--json"] + arguments, .init(variables: variables))
            #expect(run.status == 0, "\(run.talk)")
            let events = run.lines.compactMap { EventLine($0) }.filter { $0["event"] as? String == "setting" }
            return Dictionary(
                uniqueKeysWithValues: events.compactMap { event in
                    (event["name"] as? String).map { ($0, "\(event["value"] ?? "") \(event["source"] ?? "")") }
                })
        }
        let data = ["XDG_DATA_HOME": "/srv/x", "HOME": "/srv/anna"]
        var shown = try await values([], data)
        #expect(shown["data"] == "/srv/x/symbolon/agent default")
        #expect(shown["store"] == "sqlite:/srv/x/symbolon/agent/agent.sqlite default")
        #expect(shown["secret-file"] == "/srv/x/symbolon/agent/agent.secret default")
        shown = try await values(["--data", "/d"], data)
        #expect(shown["data"] == "/d option" && shown["store"] == "sqlite:/d/agent.sqlite default")
        shown = try await values(["--store", "postgres://u:hidden@h/d"], ["HOME": "/srv/anna"])
        #expect(shown["store"] == "postgres://… option")
        #expect(shown["secret-file"] == "/srv/anna/.local/share/symbolon/agent/agent.secret default")
        let text = await CommandRun.run(["agent", "config", "show"], .init(variables: data))
        #expect(text.lines.contains { $0.hasPrefix("store ") && $0.contains(" sqlite:/srv/x/") })
    }

    @Test func `a running agent serves the admin pages at the admin address alone`() async throws {
        let setup = CommandRun.Setup()
        let line = [
            "agent", "run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data", data, "--json",
        ]
        let running = Task { await CommandRun.run(line, setup) }
        let ready = try await setup.output.line(
            beginningWith: #"{"schema":"symbolon.events","version":1,"event":"cloud-agent","#)
        let admin = try #require(ready.split(separator: "\"admin\":\"http://").last?.split(separator: "/").first)
        let status = await run("status", "--admin-listen", String(admin))
        #expect(
            status.lines.first == "state           ready" && status.lines.contains("sockets         0"),
            "\(status.talk)")
        running.cancel()
        let ended = await running.value
        #expect(ended.status == 0 && ended.output.contains(#""event":"cloud-agent-stopping""#), "\(ended.talk)")
        #expect(await run("status", "--admin-listen", String(admin)).code == "web.connect.failed")
    }

    @Test func `the admin server answers while clients hold all of its connections without a request`() async throws {
        let setup = CommandRun.Setup()
        let line = [
            "agent", "run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data", data, "--json",
        ]
        let running = Task { await CommandRun.run(line, setup) }
        let ready = try await setup.output.line(
            beginningWith: #"{"schema":"symbolon.events","version":1,"event":"cloud-agent","#)
        let admin = try #require(ready.split(separator: "\"admin\":\"http://").last?.split(separator: "/").first)
        let port = try #require(admin.split(separator: ":").last.flatMap { UInt16($0) })
        var held: [Int32] = []
        defer { for descriptor in held { close(descriptor) } }
        for _ in 0..<120 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            held.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let status = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(status == 0)
        }
        let status = await run("status", "--admin-listen", String(admin))
        #expect(status.lines.first == "state           ready", "\(status.talk)")
        running.cancel()
        _ = await running.value
    }

    @Test func `without admin-listen the agent has no admin server`() async throws {
        let ended = await run("run", "--listen", "127.0.0.1:0", "--for", "1ms", "--json")
        #expect(ended.output.contains(#""admin":null"#))
    }
}
