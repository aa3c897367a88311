import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Tests of the keys that an agent removes at a mediator, and of leaving a mediator.
@Suite struct MediatorLeavingTests {
    @Test(.shows("ARI-100")) func `deleting a connection removes its key at the mediator`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let (ours, _) = try await story.connect()
        let key = try #require(try await story.us.agent.summary(of: ours)?.connection?.ours.key)
        #expect(story.mediator.keylist.contains(key))
        try await story.us.agent.remove(ours)
        #expect(try await settled([story.us]) { !story.mediator.keylist.contains(key) })
    }

    @Test func `deleting a connection does not tell the mediator about a key that it never knew`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.us.agent.start()
        try await story.them.agent.start()
        let connection = try await story.us.agent.accept(
            story.them.agent.invite(InvitationDraft(.outOfBand, label: "Them")))
        _ = try await connection.completed()
        try await story.begin()
        let key = try #require(try await story.us.agent.summary(of: connection.id)?.connection?.ours.key)
        story.mediator.change { $0.heard = [] }
        try await story.us.agent.remove(connection.id)
        let isTold = try await settled([story.us], within: .seconds(60)) {
            story.mediator.heard.contains("keylist-update")
        }
        #expect(!isTold)
        #expect(!story.us.store.records(of: "aries.key").contains { $0.id == key.base58 })
    }

    @Test func `a mediator that denies service is reported as denied, and another one can be used`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.denies = true
        let story = try Mediated(.pickup2, isLive: false, habits: habits)
        try await story.us.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.stage == .denied })
        await #expect(throws: AriesError(.mediationRefused, "")) {
            try await story.us.agent.mediated(within: .seconds(1))
        }
        // Nothing is published through it.
        let invitation = try await story.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
        let service = try StaticDIDResolver().resolve(invitation.services[0].resolution).service()
        #expect(service.endpoint == .queue && story.mediator.keylist.isEmpty)
        story.mediator.change { $0.habits.denies = false }
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await story.isReady())
    }

    @Test func `a mediator is left when no connection needs it, or when the caller forces it`() async throws {
        let story = try Mediated(.pickup2, isLive: true)
        await #expect(throws: AgentError(.stopped, "")) { try await story.us.agent.mediator() }
        try await story.us.agent.start()
        await #expect(throws: AgentError(.mediatorUnknown, "")) { try await story.us.agent.leaveMediator() }
        await #expect(throws: AgentError(.mediatorUnknown, "")) {
            try await story.us.agent.mediated(within: .seconds(1))
        }
        try await story.begin()
        let connection = try #require(try await story.us.agent.mediator()?.connection)
        await #expect(throws: AgentError(.mediatorInUse, "")) { try await story.us.agent.remove(connection) }
        _ = try await story.connect()
        await #expect(throws: AgentError(.mediatorInUse, "")) { try await story.us.agent.leaveMediator() }
        let other = try await story.them.agent.invite(InvitationDraft(.outOfBand, label: "Other"))
        await #expect(throws: AgentError(.mediatorInUse, "")) { try await story.us.agent.useMediator(other) }
        #expect(try await story.us.agent.leaveMediator(isForced: true))
        #expect(story.mediator.keylist.isEmpty)
        #expect(try await story.us.agent.mediator() == nil)
        #expect(try await story.us.agent.summary(of: connection) == nil)
    }

    @Test func `leaving is confirmed only by a mediator that answers that every key is removed`() async throws {
        var refusing = SimulatedMediator.Habits()
        refusing.refusesRemovals = true
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        story.mediator.change { $0.habits = refusing }
        #expect(try await !story.us.agent.leaveMediator(isForced: true))
        #expect(story.mediator.keylist.count == 4)
        #expect(try await story.us.agent.mediator() == nil && story.us.store.content.records.isEmpty)
        var denying = SimulatedMediator.Habits()
        denying.denies = true
        let other = try Mediated(.pickup2, isLive: false, habits: denying)
        try await other.us.agent.start()
        _ = try await other.us.agent.useMediator(other.mediator.invitation)
        #expect(try await settled([other.us]) { try await other.us.agent.mediator()?.stage == .denied })
        #expect(try await !other.us.agent.leaveMediator())
    }

    @Test func `a mediator that the agent decides to keep after all gets its keys registered again`() async throws {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        _ = try await story.connect()
        var habits = SimulatedMediator.Habits()
        habits.isSilent = true
        story.mediator.change { $0.habits = habits }
        let agent = story.us.agent
        let leaving = Task { try await agent.leaveMediator(isForced: true, within: .seconds(3600)) }
        #expect(
            try await settled([story.us]) {
                try await agent.perform { $0.parts.mediator.current?.isLeaving == true }
            })
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        story.mediator.change { state in
            state.habits.isSilent = false
            state.heard = []
        }
        #expect(try await settled([story.us]) { story.mediator.heard.contains("keylist-update") })
        let isBack = try await settled([story.us]) {
            let ours = story.us.store.records(of: "aries.key").filter { $0.tags.contains { $0.name == "mediator" } }
            return Set(ours.map(\.id)) == Set(story.mediator.keylist.map(\.base58)) && ours.count == 6
        }
        #expect(isBack)
        #expect(try await story.isReady())
    }

    @Test(arguments: [false, true])
    func `a spare key that another process has used is kept when the mediator is left or refuses it`(
        isRefused: Bool
    ) async throws {
        var habits = SimulatedMediator.Habits()
        habits.refusesKeys = isRefused
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let stored = try story.us.store.records(of: "aries.key").map { try KeyRecord($0) }
        let spares = stored.filter { $0.owner == .spare }
        let given = try #require(spares.first)
        // As another process does on the same store, and one of them it removes.
        try await story.us.store.write { store in
            try given.given(to: .connection("elsewhere")).save(in: store)
            try store.remove(spares[1].key.verkey.base58, in: "aries.key", expecting: nil)
        }
        if isRefused {
            story.mediator.change { $0.habits = habits }
            try await story.us.agent.perform { agent in
                for spare in spares.prefix(2) {
                    try await agent.parts.mediator.removeRefused(spare.key.verkey)
                }
            }
        } else {
            _ = try await story.us.agent.leaveMediator(isForced: true)
        }
        let left = try story.us.store.records(of: "aries.key").map { try KeyRecord($0) }
        #expect(left.contains { $0.key.verkey == given.key.verkey && $0.owner == .connection("elsewhere") })
    }
}
