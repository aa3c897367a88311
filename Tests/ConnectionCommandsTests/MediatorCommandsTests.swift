import Aries
import AriesConnections
import CommandTestSupport
import Foundation
import Terminal
import Testing
import Vault

@Suite struct MediatorCommandsTests {
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

    private func run(_ command: String..., rest: [String] = []) async -> CommandRun {
        await CommandRun.run(command + [vault] + rest + key)
    }

    @Test func `without a mediator show and leave fail, and an invitation needs an address`() async {
        #expect(await run("mediator", "show").code == "agent.mediator.unknown")
        #expect(await run("mediator", "leave").code == "agent.mediator.unknown")
        #expect(await run("invite", "create").code == "agent.mediator.unknown")
        #expect(await run("mediator", "wake").code == "agent.mediator.unknown")
        #expect(await run("mediator", "wake", rest: ["https://a.example"]).code == "agent.mediator.unknown")
    }

    @Test func `an unusable address or token is refused before the mediator is asked`() async {
        for rest in [["wss://a.example"], ["a.example"], ["https://a.example", "--token", ""]] {
            #expect(await run("mediator", "wake", rest: rest).status == 2, "\(rest)")
        }
    }

    @Test func `an unreachable mediator is shown with its state, and can be left`() async throws {
        let id = try await SampleVault.makeConnection(in: vault, keyFile: key[1], isMediator: true)
        let shown = await run("mediator", "show")
        #expect(shown.lines.first == "connection  \(id)", "\(shown.talk)")
        #expect(shown.lines.contains("state       connecting") && shown.lines.contains("free keys   0"))
        #expect(await run("connections", "delete", rest: [id, "--yes"]).code == "agent.mediator.in-use")
        #expect(await run("mediator", "leave").status == 0)
        #expect(await run("mediator", "show").code == "agent.mediator.unknown")
        #expect(await run("connections", "list").lines.count == 1, "the titles alone")
    }

    @Test func `text that is no invitation is refused by mediator use`() async {
        let run = await run("mediator", "use", rest: ["nothing"])
        #expect(run.code == "aries.invitation.not-recognised")
    }
}
