import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// An agent that uses a mediator, and another agent that it talks with.
struct Mediated {
    let net = MemoryNet()
    let clock = HandClock()
    let mediator: SimulatedMediator
    let us: Party
    let them: Party
    /// The mediator of the other agent; nil where that has an address of its own.
    var theirMediator: SimulatedMediator?

    init(
        _ service: SimulatedMediator.Service, isLive: Bool, habits: SimulatedMediator.Habits = .init(),
        storeFault: MemoryStore.Fault? = nil, transportFault: MemoryTransport.Fault? = nil,
        theyAreMediated: Bool = false, adjust: @escaping (inout AgentConfiguration) -> Void = { _ in }
    ) throws {
        mediator = try SimulatedMediator(service, isLive: isLive, net: net, habits: habits)
        us = try Party(
            "us", net: net, clock: clock, storeFault: storeFault, transportFault: transportFault, hasAddress: false,
            adjust: adjust)
        them = try Party("them", net: net, clock: clock, seed: 2, hasAddress: !theyAreMediated)
        guard theyAreMediated else { return }
        theirMediator = try SimulatedMediator(.pickup2, isLive: true, net: net, name: "their-mediator", seed: 98)
    }

    /// Starts both agents, and registers them with their mediators.
    func begin() async throws {
        try await us.agent.start()
        try await them.agent.start()
        _ = try await us.agent.useMediator(mediator.invitation)
        if let theirMediator { _ = try await them.agent.useMediator(theirMediator.invitation) }
        #expect(try await isReady())
    }

    func isReady() async throws -> Bool {
        try await settled([us, them]) {
            guard let summary = try await us.agent.mediator() else { return false }
            if theirMediator != nil, try await them.agent.mediator()?.freeKeys != 4 { return false }
            return summary.stage == .granted && summary.freeKeys == 4
        }
    }

    /// Connects the two agents, ours as inviter; returns the identifier of the connection at each.
    func connect() async throws -> (ours: String, theirs: String) {
        let invitation = try await us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
        let theirs = try await them.agent.accept(invitation)
        let isComplete = try await settled([us, them]) {
            let stages = try await us.agent.connections().connections.filter { $0.role == .inviter }.map(\.stage)
            let other = try await them.agent.summary(of: theirs.id)?.stage
            return stages == [.completed] && other == .completed
        }
        #expect(isComplete)
        let ours = try #require(try await us.agent.connections().connections.first { $0.role == .inviter })
        return (ours.id, theirs.id)
    }

    func text(_ number: Int) -> Message { BasicMessage("\(number)", sent: nil).message(id: "message-\(number)") }

    func received(_ party: Party) -> [String] {
        party.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }
            .filter { $0.direction == .received }.compactMap { $0.message.object["content"]?.string }
    }

    func send(_ numbers: ClosedRange<Int>, on connection: String) async throws {
        for number in numbers { try await them.agent.send(text(number), on: connection) }
    }

    func hears(_ count: Int) async throws -> Bool {
        try await settled([us, them]) { received(us).count == count }
    }
}
