import Aries
import DIDComm
import Determinism
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Two processes with one vault behind a mediator: one listens, the other asks, invites, or changes the mediator.
@Suite struct MediatedSharingTests {
    /// Another process with the vault of `party`, which catches up ten times a second, until `body` ends.
    private func withOther<Value: Sendable>(
        _ party: Party, _ adjust: (inout AgentConfiguration) -> Void = { _ in },
        _ body: (Agent) async throws -> Value
    ) async throws -> Value {
        var configuration = AgentConfiguration(label: party.name)
        configuration.mediator.keepsSocket = false
        adjust(&configuration)
        let agent = Agent(
            store: party.store, transport: MemoryTransport(party.net), configuration: configuration, clock: party.clock,
            random: SeededRandom(seed: 77), wallTime: { WallTime(millisecondsSinceEpoch: 1_760_000_000_000) })
        try await agent.start()
        let catching = catchingUp(agent, party.clock)
        defer { catching.cancel() }
        let value = try await body(agent)
        await agent.stop()
        return value
    }

    private func catchingUp(_ agent: Agent, _ clock: HandClock) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                try? await clock.wait(until: clock.now() + .milliseconds(100))
                try? await agent.catchUp()
            }
        }
    }

    private static let step = Duration.milliseconds(250)

    @Test(arguments: SimulatedMediator.Service.allCases)
    func `answers behind a mediator are fetched within four seconds although no message came lately`(
        service: SimulatedMediator.Service
    ) async throws {
        let world = try Mediated(service, isLive: false, theyAreMediated: true)
        try await world.begin()
        let (ours, _) = try await world.connect()
        let agent = world.us.agent
        for _ in 0..<2 {
            try await isQuiet(world)
            _ = try await whileTimePasses([world.us, world.them], step: Self.step) {
                try await agent.ping(ours, within: .seconds(4))
            }
            try await isQuiet(world)
            _ = try await whileTimePasses([world.us, world.them], step: Self.step) {
                try await agent.features(of: ours, within: .seconds(4))
            }
        }
        try await isQuiet(world)
        _ = try await whileTimePasses([world.us, world.them], step: Self.step) {
            try await agent.rotate(ours, within: .seconds(4))
        }
    }

    /// Lets a minute pass, after which no answer is expected, and waits until what was due then is done.
    private func isQuiet(_ world: Mediated) async throws {
        _ = try await settled([world.us, world.them], within: .seconds(61), step: .seconds(4)) { false }
    }

    @Test func `a process that waits for a mediated answer gets it when the listening process fetches it`() async throws
    {
        let world = try Mediated(.pickup2, isLive: true, theyAreMediated: true)
        try await world.begin()
        let (ours, _) = try await world.connect()
        try await withOther(world.us) { asking in
            for _ in 0..<2 {
                try await isQuiet(world)
                _ = try await whileTimePasses([world.us, world.them], step: Self.step) {
                    try await asking.ping(ours, within: .seconds(4))
                }
                try await isQuiet(world)
                let list = try await whileTimePasses([world.us, world.them], step: Self.step) {
                    try await asking.features(of: ours, within: .seconds(4))
                }
                #expect(!list.features.isEmpty)
            }
            try await isQuiet(world)
            let did = try await whileTimePasses([world.us, world.them], step: Self.step) {
                try await asking.rotate(ours, within: .seconds(4)).did
            }
            #expect(try await asking.summary(of: ours)?.connection?.ourDID == did)
        }
        #expect(world.us.store.records(of: "aries.question").isEmpty, "an answered question is kept no longer")
    }

    @Test func `a listening process fetches from a mediator that another process on the store has begun to use`()
        async throws
    {
        let world = try Mediated(.pickup2, isLive: true)
        try await world.us.agent.start()
        try await world.them.agent.start()
        let catching = catchingUp(world.us.agent, world.clock)
        defer { catching.cancel() }
        let invitation = try await withOther(world.us) { other in
            _ = try await other.useMediator(world.mediator.invitation)
            _ = try await whileTimePasses([world.us, world.them], step: Self.step) {
                try await other.mediated(within: .seconds(30))
            }
            return try await other.invite(InvitationDraft(.outOfBand, label: "Us"))
        }
        let isTaken = try await settled([world.us, world.them], within: .seconds(1), step: Self.step) {
            try await world.us.agent.mediator()?.isLive == true
        }
        #expect(isTaken, "within a second")
        let theirs = try await world.them.agent.accept(invitation)
        let isComplete = try await settled([world.us, world.them], within: .seconds(10), step: Self.step) {
            try await world.them.agent.summary(of: theirs.id)?.stage == .completed
        }
        #expect(isComplete)
    }

    @Test func `a listening process disconnects from a mediator that another process on the store has left`()
        async throws
    {
        let world = try Mediated(.pickup2, isLive: true)
        try await world.begin()
        let catching = catchingUp(world.us.agent, world.clock)
        defer { catching.cancel() }
        try await withOther(world.us) { other in
            _ = try await whileTimePasses([world.us, world.them], step: Self.step) {
                try await other.leaveMediator(isForced: true)
            }
        }
        let isLeft = try await settled([world.us, world.them], within: .seconds(1), step: Self.step) {
            try await world.us.agent.mediator() == nil
        }
        #expect(isLeft)
        #expect(!world.mediator.hasSocket)
    }

    @Test func `a listening process prepares new keys to replace those that another process has used`() async throws {
        let world = try Mediated(.pickup2, isLive: true)
        try await world.begin()
        let catching = catchingUp(world.us.agent, world.clock)
        defer { catching.cancel() }
        let sendsNothing = { (configuration: inout AgentConfiguration) in configuration.mediator.mode = .offline }
        try await withOther(world.us, sendsNothing) { other in
            for _ in 0..<4 { _ = try await other.invite(InvitationDraft(.outOfBand, label: "Us")) }
            #expect(try await other.mediator()?.freeKeys == 0)
        }
        let isReady = try await settled([world.us, world.them], within: .seconds(1), step: Self.step) {
            let keys = try await world.us.agent.mediator()?.freeKeys
            return keys == 4 && world.mediator.keylist.count >= 8
        }
        #expect(isReady)
    }
}
