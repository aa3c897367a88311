import CommandTestSupport
import Foundation
import Terminal
import Testing

/// Invitations of a known inviter, and the advice after a time-out.
@Suite struct KnownInviterCommandsTests {
    private let vaults: VaultFolder
    private let vault: String
    private static let free = "--allow-private"

    init() async throws {
        vaults = try VaultFolder()
        vault = await vaults.make("vault")
    }

    private func accept(_ link: String, _ rest: String...) async -> CommandRun {
        await vaults.run(["invite", "accept"], vault, [link, Self.free] + rest)
    }

    @Test func `the name of a known inviter is given to its connection, and a new connection is made when asked for`()
        async throws
    {
        _ = try await vaults.whileListening { other, endpoint, _ in
            let invited = await vaults.run(["invite", "create"], other, ["--endpoint", endpoint, "--multi-use"])
            let link = try #require(invited.lines.first, "\(invited.talk)")
            let first = await accept(link, "--name", "Bank")
            let again = await accept(link, "--name", "New bank")
            #expect(again.lines == first.lines, "\(again.talk)")
            let sent = await vaults.run(
                ["messages", "send"], vault, ["New bank", "For your eyes only: hello", Self.free])
            #expect(sent.status == 0, "\(sent.talk)")
            let anew = await accept(link, "--name", "Other", "--new-connection")
            #expect(anew.status == 0 && anew.lines != first.lines, "\(anew.talk)")
            let listed = await vaults.run(["connections", "list"], vault, ["--json"])
            let names = listed.events("connection").compactMap { $0["name"] as? String }
            #expect(names == ["New bank", "Other"])
        }
    }

    @Test func `the time-out of a wallet with an address of its own advises no mediator`() async throws {
        let other = await vaults.make("away")
        let invited = await vaults.run(["invite", "create"], other, ["--endpoint", "http://127.0.0.1:9"])
        let link = try #require(invited.lines.first, "\(invited.talk)")
        let run = await accept(link, "--timeout", "10ms", "--endpoint", "http://127.0.0.1:10")
        #expect(run.status != 0 && !run.words.contains("mediator"), "\(run.talk)")
    }
}
