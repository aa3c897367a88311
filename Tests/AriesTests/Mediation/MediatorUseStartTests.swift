import DIDComm
import Determinism
import JSON
import Testing

@testable import Aries

/// The use of a mediator from its beginning to the first keys.
@Suite struct MediatorUseStartTests {
    @Test func `a stored grant without its stage counts, and after a stored denial no mediation is requested`()
        throws
    {
        var served = try MediatorScript()
        try served.serve()
        let granted = try #require(served.use.client)
        let fresh = MediationClient(served.connection, random: SeededRandom(seed: 6))
        for (stage, client, found) in [
            (MediatorUse.Stage.asking, granted, MediatorUse.Stage.granted), (.denied, fresh, .denied),
        ] {
            var use = MediatorUse(
                connectionID: "c", stage: stage, configuration: MediatorUse.Configuration(),
                random: SeededRandom(seed: 1))
            let outputs = use.handle(.connected(client, spares: served.stored), at: served.now)
            #expect(use.stage == found)
            #expect(outputs.events == (found == .granted ? [.stage(connection: "c", .granted)] : []))
            #expect(outputs.contains(.persist) == (found == .granted))
            #expect(found == .granted || outputs == [.changed])
        }
    }

    @Test func `no spare key is made before the connection is complete and mediation is granted`() throws {
        var script = try MediatorScript()
        let key = script.sides.stranger.verkey
        #expect(script.feed(.taken(key)) == [])
        #expect(script.feed(.waitingArrivals(1)) == [])
        let asked = script.begin()
        #expect(script.feed(.waitingArrivals(2)) == [])
        #expect(script.use.stage == .asking)
        #expect(!(try script.empty(asked)).contains(.resumeArrivals), "there is no key yet")
    }

    @Test func `message fetching begins once, and not after a stop was requested`() throws {
        var script = try MediatorScript()
        #expect(script.begin().names.contains("status-request"))
        #expect(!script.begin().names.contains("status-request"))
        script = try MediatorScript()
        _ = script.feed(.finish)
        #expect(!script.begin().names.contains("status-request"))
        #expect(!script.use.isFetching)
    }

    @Test func `a mediator client without a lasting WebSocket waits for the grant before it fetches, and opens none`()
        throws
    {
        var script = try MediatorScript(socket: true) { $0.keepsSocket = false }
        let asked = script.begin()
        #expect(asked.names == ["mediate-request"] && !asked.opensSocket)
        try script.serveAsked(asked)
        let client = try #require(script.use.client)
        var configuration = MediatorUse.Configuration()
        configuration.keepsSocket = false
        var use = MediatorUse(
            connectionID: "c", stage: .granted, configuration: configuration, random: SeededRandom(seed: 1))
        let outputs = use.handle(.connected(client, spares: script.stored), at: script.now)
        #expect(outputs.names.contains("status-request") && !outputs.opensSocket)
    }

    @Test func `with a pickup protocol chosen for the run, messages are fetched by it, and no WebSocket is opened`()
        throws
    {
        var script = try MediatorScript(socket: true) { $0.pickup = .pickup2 }
        let asked = script.begin()
        #expect(asked.names.contains("status-request") && !asked.opensSocket)
    }

    @Test
    func `a mediator poll without an answer is repeated after a wait, and closes no WebSocket where none is open`()
        throws
    {
        var script = try MediatorScript()
        try script.serve()
        var outputs: [MediatorUse.Output] = []
        for _ in 0..<50 where outputs.waits.isEmpty { outputs += script.elapse() }
        #expect(!outputs.waits.contains(nil))
        #expect(!outputs.contains(.closeSocket))
    }

    @Test func `a mediator poll that is requested sooner is planned only while messages are fetched`() throws {
        var script = try MediatorScript()
        _ = script.feed(.pollSooner)
        #expect(script.use.nextDeadline == nil)
    }

    @Test func `only a rejected request for mediation is kept as the mediator's rejection`() throws {
        var script = try MediatorScript()
        _ = script.begin()
        for _ in 0..<50 where script.use.client?.isIdle == false { _ = script.elapse() }
        #expect(script.use.rejection == nil, "it has not answered")
        script = try MediatorScript()
        let update = try #require((try script.grant(script.begin())).messages.last)
        #expect(update.type.name == "keylist-update")
        let report = try script.take(
            "notification/1.0/problem-report", ["description": ["code": "no"]], thread: update.id)
        #expect(report.waits.count == 1 && script.use.rejection == nil, "the keys were not what was asked for")
        script = try MediatorScript()
        let request = try #require(script.begin().messages.first)
        _ = try script.take("notification/1.0/problem-report", ["description": ["code": "no"]], thread: request.id)
        #expect(script.use.rejection?.code == .rejected)
    }

    @Test func `enough free keys of the store are registered when mediation is granted, and no more are made`() throws {
        var script = try MediatorScript()
        var random = SeededRandom(seed: 11)
        script.stored = (0..<4).map { _ in AgentKey.make(from: &random).verkey }
        let granted = try script.grant(script.begin())
        #expect(!granted.makesKeys)
        let update = try #require(granted.messages.first { $0.type.name == "keylist-update" })
        #expect(
            update.object["updates"]?.array?.compactMap { $0["recipient_key"]?.string } == script.stored.map(\.didKey))
        let answered = try script.answer(update)
        #expect(answered.contains(.persist))
        #expect(!answered.contains(.resumeArrivals), "no envelope waits for a key")
        #expect(script.use.readySpareCount == 4)
    }
}
