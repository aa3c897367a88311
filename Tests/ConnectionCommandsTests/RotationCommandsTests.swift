import CommandTestSupport
import Foundation
import Terminal
import Testing

/// Changes of DIDs by two wallets behind one mediator, as people make them: with commands, and away at times.
@Suite struct RotationCommandsTests {
    private let vaults: VaultFolder
    private static let free = "--allow-private"

    init() throws { vaults = try VaultFolder() }

    private struct Pair {
        let rob: String
        let sue: String
    }

    /// Runs `body` with two wallets that use a mediator of ours and are connected; neither is there.
    private func whileMediated(_ body: (Pair) async throws -> Void) async throws {
        let setup = CommandRun.Setup()
        let data = "\(vaults.folder.path)/agent"
        let running = Task {
            await CommandRun.run(["agent", "run", "--listen", "127.0.0.1:0", "--data", data, Self.free], setup)
        }
        do {
            try await body(try await connected(by: try await setup.output.line(beginningWith: "http://")))
        } catch {
            running.cancel()
            _ = await running.value
            throw error
        }
        running.cancel()
        let ended = await running.value
        #expect(ended.status == 0, "\(ended.talk)")
    }

    private func connected(by mediator: String) async throws -> Pair {
        let pair = Pair(rob: await vaults.make("rob"), sue: await vaults.make("sue"))
        for vault in [pair.rob, pair.sue] {
            let used = await vaults.run(["mediator", "use"], vault, [mediator, Self.free])
            #expect(used.status == 0, "\(used.talk)")
        }
        let invited = await vaults.run(["invite", "create"], pair.sue)
        let link = try #require(invited.lines.first, "\(invited.talk)")
        _ = try await whileThere(pair.sue) { output in
            let accepted = await vaults.run(["invite", "accept"], pair.rob, [link, "--name", "sue", Self.free])
            #expect(accepted.status == 0, "\(accepted.talk)")
            let isComplete = try await output.waits(for: #""stage":"completed""#)
            #expect(isComplete)
        }
        let listed = await vaults.run(["connections", "list"], pair.sue, ["--json"])
        let id = try #require(
            listed.events("connection").first { $0["role"] as? String == "inviter" }?["id"] as? String)
        #expect(await vaults.run(["connections", "rename"], pair.sue, [id, "rob"]).status == 0)
        return pair
    }

    /// Runs `body` while a wallet listens.
    private func whileThere(_ vault: String, _ body: (MemorySink) async throws -> Void) async throws -> CommandRun {
        let (setup, key) = (CommandRun.Setup(), vaults.key)
        let listening = Task { await CommandRun.run(["listen", vault, Self.free, "--json"] + key, setup) }
        do { try await body(setup.output) } catch {
            listening.cancel()
            _ = await listening.value
            throw error
        }
        listening.cancel()
        return await listening.value
    }

    private func rotate(_ vault: String, _ name: String) async -> CommandRun {
        await vaults.run(["connections", "rotate"], vault, [name, "--timeout", "500ms", Self.free])
    }

    /// The state of the connection of a name, as the list shows it.
    private func state(_ vault: String, _ name: String) async -> String? {
        let listed = await vaults.run(["connections", "list"], vault, ["--json"])
        return listed.events("connection").first { $0["name"] as? String == name }?["state"] as? String
    }

    private func send(_ vault: String, _ name: String, _ text: String) async {
        let sent = await vaults.run(["messages", "send"], vault, [name, "For your eyes only: \(text)", Self.free])
        #expect(sent.status == 0, "\(sent.talk)")
    }

    private func received(_ vault: String, _ name: String) async -> [String] {
        let listed = await vaults.run(["messages", "list"], vault, [name, "--json"])
        return listed.events("message").filter { $0["direction"] as? String == "received" }
            .compactMap { ($0["text"] as? String)?.replacing("For your eyes only: ", with: "") }
    }

    @Test func `texts that follow a DID rotation reach a wallet that was away, and the rotation is shown until then`()
        async throws
    {
        try await whileMediated { pair in
            let rotated = await rotate(pair.rob, "sue")
            #expect(rotated.status == 0 && rotated.lines.first?.hasPrefix("did:peer:4") == true, "\(rotated.talk)")
            #expect(rotated.lines.first.map { $0.utf8.count < 80 } == true, "the DID is shown in its short form")
            #expect(rotated.words.contains("begun and goes on"), "\(rotated.talk)")
            #expect(await state(pair.rob, "sue") == "rotating")
            for text in ["1", "2", "3"] { await send(pair.rob, "sue", text) }
            let heard = try await whileThere(pair.sue) { output in
                let hasCome = try await output.waits(for: "For your eyes only: 3")
                #expect(hasCome)
                let pinged = await vaults.run(["connections", "ping"], pair.rob, ["sue", Self.free])
                #expect(pinged.status == 0, "\(pinged.talk)")
            }
            #expect(heard.events("passed-over").isEmpty, "\(heard.output)")
            #expect(await received(pair.sue, "rob") == ["1", "2", "3"])
            #expect(await state(pair.rob, "sue") == "completed")
            let shown = await vaults.run(["connections", "show"], pair.rob, ["sue", "--json"])
            let did = shown.events("connection").first?["ourDID"] as? String
            #expect(did?.hasPrefix(rotated.lines.first ?? "?") == true, "\(shown.output)")
        }
    }

    @Test func `DID rotations of both sides at once end with both new DIDs, and texts go on in both directions`()
        async throws
    {
        try await whileMediated { pair in
            async let one = rotate(pair.rob, "sue")
            async let other = rotate(pair.sue, "rob")
            for rotated in await [one, other] { #expect(rotated.status == 0, "\(rotated.talk)") }
            await send(pair.rob, "sue", "a")
            await send(pair.sue, "rob", "z")
            _ = try await whileThere(pair.sue) { output in
                let pinged = await vaults.run(["connections", "ping"], pair.rob, ["sue", Self.free])
                #expect(pinged.status == 0, "\(pinged.talk)")
                await send(pair.rob, "sue", "b")
                let goesOn = try await output.waits(for: "For your eyes only: b")
                #expect(goesOn)
            }
            _ = await vaults.run(["messages", "watch"], pair.rob, ["--for", "1s", Self.free])
            #expect(await received(pair.sue, "rob") == ["a", "b"])
            #expect(await received(pair.rob, "sue") == ["z"])
            #expect(await state(pair.rob, "sue") == "completed")
            #expect(await state(pair.sue, "rob") == "completed")
        }
    }
}
