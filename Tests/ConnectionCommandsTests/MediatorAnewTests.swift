import CommandTestSupport
import Terminal
import Testing
import WebTransport

/// Mediators that do not go on with the connection of an earlier request.
@Suite struct MediatorAnewTests {
    private func use(_ fault: ScriptedMediator.Fault, timeout: String) async throws -> (CommandRun, Int) {
        let vaults = try VaultFolder()
        let vault = await vaults.make("vault")
        let mediator = ScriptedMediator(fault)
        let server = try await ScriptedServer { request, base in try? mediator.answer(request.body, at: base) }
        let link = try mediator.link(at: server.base)
        let run = await vaults.run(
            ["mediator", "use"], vault, [link, "--allow-private", "--timeout", timeout, "--json"])
        await server.stop()
        return (run, mediator.connectionCount)
    }

    @Test(arguments: [
        (ScriptedMediator.Fault.rejects, "It already exists"), (.confirmsNoKey, "does not confirm keys"),
    ])
    func `a mediator that serves only a new connection is connected with anew`(
        fault: ScriptedMediator.Fault, reason: String
    ) async throws {
        let (run, connections) = try await use(fault, timeout: "1m")
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.events("mediator").first?["stage"] as? String == "granted")
        #expect(connections == 2 && run.talk.contains(reason) && run.talk.contains("A new connection"), "\(run.talk)")
    }

    @Test func `a mediator that answers nothing after its grant is waited for, and not connected with anew`()
        async throws
    {
        let (run, connections) = try await use(.fallsSilent, timeout: "5s")
        #expect(run.code == "agent.mediator.unreachable", "\(run.talk)")
        #expect(connections == 1)
    }
}
