import Aries
import AriesRuntime
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import Testing
import Vault

@testable import Commands

@Suite struct ConnectionCommandsTests {
    private let folder: TemporaryFolder
    private let vault: String
    private let key: [String]

    init() async throws {
        folder = try TemporaryFolder()
        vault = "\(folder.path)/vault"
        key = ["--key-file", "\(folder.path)/key"]
        let made = await CommandRun.run(["vault", "create", vault, "--new-key-file", "\(folder.path)/key"])
        #expect(made.status == 0, "\(made.talk)")
    }

    private func run(_ command: [String], _ rest: [String] = [], vault path: String? = nil) async -> CommandRun {
        await CommandRun.run(command + [path ?? vault] + rest + key)
    }

    private func create(_ rest: String...) async -> CommandRun {
        await run(
            ["invite", "create"], rest.contains("--endpoint") ? rest : rest + ["--endpoint", "http://127.0.0.1:9"])
    }

    private func value(_ name: String, of event: String, in lines: [String]) -> String? {
        for line in lines.reversed() {
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if object?["event"] as? String == event { return object?[name] as? String }
        }
        return nil
    }

    @Test func `an invitation is a link that can be explained`() async throws {
        let made = await create("--goal", "To see", "--multi-use", "--expires-in", "1h")
        #expect(made.status == 0, "\(made.talk)")
        #expect(made.lines.count == 1)
        let link = try #require(made.lines.first)
        #expect(link.hasPrefix("http://127.0.0.1:9?oob="))
        let explained = await CommandRun.run(["invite", "inspect", link])
        #expect(explained.status == 0 && explained.output.contains("To see"), "\(explained.talk)")
        let older = await create("--kind", "connections")
        #expect(older.lines.first?.hasPrefix("http://127.0.0.1:9?c_i=") == true)
    }

    @Test(arguments: ["inline", "did:peer:2", "did:peer:4"])
    func `every form of service is written, and events are as the manual says`(form: String) async throws {
        let manual = try EventsManual()
        let made = await create("--service", form, "--handshake", "connections/1.0", "--json")
        #expect(made.status == 0, "\(made.talk)")
        for line in made.lines { #expect(manual.complaints(about: line) == []) }
    }

    @Test func `the QR code goes into a file when asked to`() async throws {
        let made = await create("--qr-file", "\(folder.path)/code.svg")
        #expect(made.status == 0, "\(made.talk)")
        #expect(try folder.names().contains("code.svg"))
        #expect(await create("--qr-file", "\(folder.path)/code.txt").code == "usage.bad-value")
    }

    @Test func `what an invitation cannot say is refused`() async {
        #expect(await create("--kind", "connections", "--goal", "x").code == "aries.invitation.contradictory")
        #expect(await create("--kind", "connections", "--handshake", "didexchange/1.1").code == "usage.conflict")
        #expect(await create("--endpoint", "nowhere").code == "usage.bad-value")
    }

    @Test func `a connection that is not there is named as such`() async {
        for command in ["show", "delete"] {
            #expect(await run(["connections", command], ["none"]).code == "agent.connection.unknown")
        }
        #expect(await run(["connections", "rename"], ["none", "x"]).code == "agent.connection.unknown")
        #expect(await run(["messages", "list"], ["none"]).code == "agent.connection.unknown")
    }

    @Test(arguments: [[], ["--handshake", "connections/1.0"], ["--handshake", "didexchange/1.0"]])
    func `the demonstration connects two agents and carries a text each way`(options: [String]) async throws {
        let manual = try EventsManual()
        let run = await CommandRun.run(["connect", "demo", "--json"] + options)
        #expect(run.status == 0, "\(run.talk)")
        for line in run.lines { #expect(manual.complaints(about: line) == []) }
        #expect(run.lines.filter { $0.contains(#""direction":"received""#) }.count == 2)
        let name = value("protocol", of: "connect-demo", in: run.lines)
        #expect(name?.hasSuffix(options.last ?? "didexchange/1.1") == true)
    }

    @Test func `the demonstration says in words who does what`() async {
        let run = await CommandRun.run(["connect", "demo"])
        #expect(run.status == 0)
        #expect(run.talk.contains("inviter") && run.talk.contains("hears: Good morning."), "\(run.talk)")
        #expect(run.output.hasPrefix("connected by "))
    }

    @Test func `a connection is listed, shown, renamed and deleted`() async throws {
        let id = try await Self.makeConnection(in: vault, keyFile: key[1])
        let listed = await run(["connections", "list"])
        #expect(listed.lines.last?.hasPrefix("\(id)  requested  invitee  Them") == true, "\(listed.output)")
        #expect(await run(["connections", "rename"], [id, "Others"]).lines == ["\(id)  Others"])
        #expect(await run(["connections", "rename"], [id, ""]).lines == ["\(id)  Inviter"])
        let shown = await run(["connections", "show"], [id, "--json"])
        #expect(value("label", of: "connection", in: shown.lines) == "Inviter")
        let manual = try EventsManual()
        for line in shown.lines { #expect(manual.complaints(about: line) == []) }
        #expect(await run(["messages", "list"], [id]).lines == [])
        #expect(await run(["connections", "delete"], [id]).code == "usage.missing-option")
        #expect(await run(["connections", "delete"], [id, "--yes"]).lines == ["\(id)  deleted"])
        #expect(await run(["connections", "list"]).lines.count == 1, "the titles alone")
    }

    /// A connection that was begun, and whose inviter never answers.
    static func makeConnection(in vault: String, keyFile: String) async throws -> String {
        let opened = try await Vault.open(at: vault, key: .keyFile(KeyFile.read(keyFile)))
        let agent = Agent(
            store: opened, wire: NoWire(), configuration: AgentConfiguration(label: "A"),
            wallTime: { WallTime(millisecondsSinceEpoch: 0) })
        try await agent.start()
        let endpoint = try ServiceEndpoint(parsing: "https://example.org")
        var random = SystemRandom()
        let address = AgentAddress(key: AgentKey.make(from: &random).verkey, endpoint: endpoint)
        let invitation = try InvitationDraft(.outOfBand, label: "Inviter").invitation(id: "1", address: address)
        let connection = try await agent.accept(invitation, name: "Them")
        await agent.stop()
        await opened.close()
        return connection.id
    }
}

/// Carries nothing.
private struct NoWire: Wire {
    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws { throw CancellationError() }

    func close() async {}
}
