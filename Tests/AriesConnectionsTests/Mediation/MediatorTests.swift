import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

@Suite struct MediatorTests {
    static let ways: [(SimulatedMediator.Service, Bool)] = SimulatedMediator.Service.allCases.flatMap {
        [($0, false), ($0, true)]
    }

    @Test(.shows("ARI-073", "ARI-083"), arguments: ways)
    func `messages that arrive while no agent runs are fetched at the next start, in order and once`(
        service: SimulatedMediator.Service, isLive: Bool
    ) async throws {
        let story = try Mediated(service, isLive: isLive)
        try await story.begin()
        let (ours, theirs) = try await story.connect()
        let address = try #require(try await story.us.agent.summary(of: ours)?.connection?.ours)
        #expect(address.endpoint == story.mediator.endpoint && address.routingKeys.count == 1)
        #expect(story.mediator.keylist.contains(address.key))
        try await story.send(1...3, on: theirs)
        #expect(try await story.hears(3))
        async let end = story.us.agent.finish(within: .seconds(60))
        _ = try await settled([story.us, story.them]) { await !story.us.agent.isRunning }
        #expect(await end)
        try await story.send(4...25, on: theirs)
        let texts = (1...25).map(String.init)
        let isQueued = try await settled([story.them]) { story.mediator.queued == 22 }
        #expect(isQueued)
        try await story.us.restart()
        #expect(try await story.hears(25))
        // A message that the mediator pushes may overtake one that the agent asked for.
        let heard = story.received(story.us)
        #expect((isLive ? heard.sorted() : heard) == (isLive ? texts.sorted() : texts))
        try await story.us.agent.send(story.text(1), on: ours)
        #expect(try await settled([story.us, story.them]) { story.received(story.them) == ["1"] })
        #expect(story.mediator.queued == 0)
    }

    @Test func `answers of a mediator that name no thread are accepted`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.namesNoThread = true
        let story = try Mediated(.implicit, isLive: true, habits: habits)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        try await story.send(1...1, on: theirs)
        #expect(try await story.hears(1))
    }

    @Test(.shows("ARI-070"))
    func `no invitation address is given out before the mediator knows its key, and each connection has its own key`()
        async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        for number in 1...6 {
            let invitation = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "\(number)"))
            let key = try #require(
                invitation.services.first.flatMap {
                    try? StaticDIDResolver().resolve($0.resolution).service().recipientKeys.first
                })
            #expect(story.mediator.keylist.contains(key), "the invitation \(number)")
        }
        let keys = try story.us.store.records(of: "aries.key").map { try KeyRecord($0) }
        #expect(Set(keys.map(\.key.verkey)).count == keys.count)
        #expect(keys.filter { $0.owner != .spare && $0.mediator != nil }.count == 6)
    }

    @Test func `after a restart keys that the mediator lost are registered again, and unknown ones removed there`()
        async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let (ours, _) = try await story.connect()
        let key = try #require(try await story.us.agent.summary(of: ours)?.connection?.ours.key)
        var random = SeededRandom(seed: 5)
        let foreign = AgentKey.make(from: &random).verkey
        story.mediator.change { $0.keylist = [foreign] }
        try await story.us.restart()
        let isMended = try await settled([story.us]) {
            story.mediator.keylist.contains(key) && !story.mediator.keylist.contains(foreign)
                && story.mediator.keylist.count == 6
        }
        #expect(isMended, "\(story.mediator.keylist.count)")
    }

    @Test func `of the unknown keys that a mediator lists, at most 256 are removed`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        var random = SeededRandom(seed: 5)
        let foreign = (0..<300).map { _ in AgentKey.make(from: &random).verkey }
        story.mediator.change { state in
            state.keylist += foreign
            state.listPage = 100
            state.heard = []
        }
        try await story.us.restart()
        let isMended = try await settled([story.us]) { story.mediator.keylist.count == 4 + 300 - 256 }
        #expect(isMended, "\(story.mediator.keylist.count)")
        #expect(story.mediator.heard.filter { $0 == "keylist-update" }.count == 256 / 32)
    }

    @Test func `spare keys that are prepared together are registered with one message`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        #expect(story.mediator.heard.filter { $0 == "keylist-update" }.count == 1)
    }

    @Test func `a mediator that does not answer is given up for a while with a code, and tried again`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.isSilentOnceConnected = true
        let story = try Mediated(.pickup2, isLive: false)
        try await story.us.agent.start()
        try await story.them.agent.start()
        story.mediator.change { $0.habits = habits }
        let events = await story.us.agent.events()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        let problem = Lock<String?>(nil)
        let watching = Task {
            for await case .mediator(.problem(let code, _, let wait?)) in events where wait > .zero {
                problem.withLock { $0 = code }
            }
        }
        #expect(try await settled([story.us]) { problem.withLock { $0 } == "aries.connection.timeout" })
        story.mediator.change { $0.habits.isSilentOnceConnected = false }
        #expect(try await story.isReady())
        watching.cancel()
    }

    @Test func `a key that the mediator refuses is not published, and inviting fails with the reason`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.refusesKeys = true
        let story = try Mediated(.pickup2, isLive: false, habits: habits) { $0.mediatorWait = .seconds(60) }
        try await story.us.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.stage == .granted })
        let outcome = Lock<AgentError?>(nil)
        let inviting = Task {
            do {
                _ = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
            } catch {
                outcome.withLock { $0 = error as? AgentError }
            }
        }
        #expect(try await settled([story.us]) { outcome.withLock { $0 } == AgentError(.mediatorKeyMissing, "") })
        await inviting.value
    }

    @Test(arguments: [SimulatedMediator.Service.pickup2, .implicit])
    func `a message that cannot be opened is quarantined and does not block others`(service: SimulatedMediator.Service)
        async throws
    {
        let story = try Mediated(service, isLive: false)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        story.mediator.change { state in
            state.queue.append(("bad-1", Array(#"{"protected":"e30","iv":"","ciphertext":"","tag":""}"#.utf8)))
            state.queue.append(("bad-2", Array("{}".utf8)))
        }
        try await story.send(1...2, on: theirs)
        #expect(try await story.hears(2))
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.quarantined == 2 })
        #expect(try await settled([story.us]) { story.mediator.queued == 0 })
        let kept = story.us.store.records(of: "aries.arrival").map(\.value)
        #expect(kept.contains(Array("{}".utf8)))
    }

    @Test func `the quarantine is limited, drops its oldest message first, and is emptied with the mediator`()
        async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        for count in [UnprocessedEnvelope.maximumKept, 1] {
            story.mediator.change { state in
                for number in 0..<count {
                    state.queue.append(("bad-\(count)-\(number)", Array("{\(count)-\(number)".utf8)))
                }
            }
            #expect(try await settled([story.us]) { story.mediator.queued == 0 })
            #expect(try await story.us.agent.mediator()?.quarantined == UnprocessedEnvelope.maximumKept)
            let kept = story.us.store.records(of: "aries.arrival").map { String(decoding: $0.value, as: UTF8.self) }
            #expect(kept.first == (count == 1 ? "{256-1" : "{256-0") && kept.last == "{\(count)-\(count - 1)")
        }
        _ = try await story.us.agent.leaveMediator()
        #expect(story.us.store.records(of: "aries.arrival").isEmpty)
    }

    @Test func `an attachment that cannot be read stays at the mediator, is reported once, and does not block others`()
        async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        let events = await story.us.agent.events()
        story.mediator.change { $0.queue.append(("broken-1", [])) }
        for number in 1...3 {
            try await story.send(number...number, on: theirs)
            #expect(try await story.hears(number))
        }
        #expect(try await settled([story.us]) { story.mediator.queued == 1 }, "it is not acknowledged")
        #expect(try await story.us.agent.mediator()?.quarantined == 1)
        await story.us.agent.stop()
        var codes: [String] = []
        for await case .mediator(.quarantined(let code, _)) in events { codes.append(code) }
        #expect(codes == [AgentError.Code.mediatorQuarantine.rawValue])
    }

    @Test(arguments: [false, true])
    func `a DID rotation behind a mediator registers the new key there before the other side learns it`(isLive: Bool)
        async throws
    {
        let story = try Mediated(.pickup2, isLive: isLive)
        try await story.begin()
        let (ours, theirs) = try await story.connect()
        let before = try #require(try await story.us.agent.summary(of: ours)?.connection)
        let agent = story.us.agent
        let did = try await whileTimePasses([story.us, story.them]) {
            try await agent.rotate(ours, within: .seconds(600)).did
        }
        let after = try #require(try await agent.summary(of: ours)?.connection)
        #expect(after.ourDID == did && after.ours.key != before.ours.key)
        #expect(after.ours.endpoint == story.mediator.endpoint && after.ours.routingKeys == before.ours.routingKeys)
        #expect(story.mediator.keylist.contains(after.ours.key))
        let known = try #require(try await story.them.agent.summary(of: theirs)?.connection?.theirs.service())
        #expect(known.recipientKeys == [after.ours.key] && known.routingKeys == after.ours.routingKeys)
        // Later messages come to the new key, after a restart too.
        try await story.send(1...2, on: theirs)
        #expect(try await story.hears(2))
        try await story.us.restart()
        try await story.send(3...3, on: theirs)
        #expect(try await story.hears(3))
        try await story.us.agent.send(story.text(4), on: ours)
        #expect(try await settled([story.us, story.them]) { story.received(story.them) == ["4"] })
        let keys = try story.us.store.records(of: "aries.key").map { try KeyRecord($0) }
        let usedUp = keys.filter { $0.mediator != nil }.map(\.key.verkey)
        #expect(Set(usedUp).isSubset(of: Set(story.mediator.keylist)))
    }

    @Test func `a stored envelope that waited and then cannot be opened is quarantined`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        let arrival = UnprocessedEnvelope(Array("{}".utf8), .waiting)
        _ = try await story.us.store.write { store in try arrival.keep(in: store) }
        try await story.begin()
        try await story.us.restart()
        let isKeptAside = try await settled([story.us]) { try await story.us.agent.mediator()?.quarantined == 1 }
        #expect(isKeptAside && story.us.store.records(of: "aries.arrival").count == 1)
    }

    @Test func `connection requests beyond the limit of open handshakes wait until one is done`() async throws {
        let story = try Mediated(.pickup1, isLive: false) { $0.maximumHandshakes = 1 }
        try await story.us.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await story.isReady())
        let invitation = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"), isMultiUse: true)
        let others = try (0..<3).map {
            try Party("other\($0)", net: story.net, clock: story.clock, seed: 10 + UInt64($0)) {
                $0.policy.resendAfter = []
            }
        }
        for other in others {
            try await other.agent.start()
            _ = try await other.agent.accept(invitation)
        }
        #expect(try await areComplete(others, beside: story.us))
        #expect(story.us.store.records(of: "aries.arrival").isEmpty)
    }

    @Test(.shows("ARI-075")) func `connection requests without a spare key to answer with wait until there are keys`()
        async throws
    {
        let story = try Mediated(.pickup2, isLive: false) { $0.mediator.spareKeys = 1 }
        try await story.us.agent.start()
        try await story.them.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.freeKeys == 1 })
        let invitation = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"), isMultiUse: true)
        let others = try (0..<6).map {
            try Party("other\($0)", net: story.net, clock: story.clock, seed: 10 + UInt64($0))
        }
        for other in others {
            try await other.agent.start()
            _ = try await other.agent.accept(invitation)
        }
        #expect(try await areComplete(others, beside: story.us))
        #expect(story.us.store.records(of: "aries.arrival").isEmpty)
        let haveKeysOfTheirOwn = try await settled([story.us] + others) {
            let mine = try await story.us.agent.connections().connections.filter { $0.role == .inviter }
            return Set(mine.compactMap(\.connection?.ours.key)).count == 6
        }
        #expect(haveKeysOfTheirOwn)
    }

    @Test func `a mediator that does not answer fails the wait for mediation with a code`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.us.agent.start()
        var habits = SimulatedMediator.Habits()
        habits.isSilent = true
        story.mediator.change { $0.habits = habits }
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        let failure = Lock<AgentError?>(nil)
        let waiting = Task {
            do { try await story.us.agent.mediated(within: .seconds(30)) } catch {
                failure.withLock { $0 = error as? AgentError }
            }
        }
        #expect(try await settled([story.us]) { failure.withLock { $0 } == AgentError(.mediatorUnreachable, "") })
        await waiting.value
    }

    /// Returns true when each of the others has one connection with us in the end, and that is completed.
    private func areComplete(_ others: [Party], beside us: Party) async throws -> Bool {
        try await settled([us] + others) {
            for other in others where try await other.agent.connections().connections.map(\.stage) != [.completed] {
                return false
            }
            return true
        }
    }
}
