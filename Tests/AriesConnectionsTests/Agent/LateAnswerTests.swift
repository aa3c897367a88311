import Aries
import DIDComm
import Determinism
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Inviters that are away, or answer minutes later.
@Suite struct LateAnswerTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func passes(_ duration: Duration, _ parties: [Party]) async throws {
        _ = try await settled(parties, within: duration, step: duration / 5) { false }
    }

    @Test(.shows("ARI-125"))
    func `an invitee waits for an inviter that answers minutes later and would refuse a repeated request`() async throws
    {
        let inviter = try SlowInviter(net: net)
        let us = try Party("us", net: net, clock: clock)
        try await us.agent.start()
        let begun = try await us.agent.accept(inviter.invitation)
        try await passes(.seconds(200), [us])
        #expect(inviter.requests == 1, "a request that was handed over is not sent again")
        let response = try #require(try inviter.answer())
        _ = try await us.agent.receive(response)
        #expect(try await settled([us]) { inviter.isComplete })
        #expect(try await us.agent.summary(of: begun.id)?.stage == .completed)
    }

    @Test(arguments: [true, false])
    func `a restarted invitee keeps waiting for an inviter that answers late and refuses repeated requests`(
        hasAddress: Bool
    ) async throws {
        let inviter = try SlowInviter(net: net)
        let us = try Party("us", net: net, clock: clock, hasAddress: hasAddress)
        try await us.agent.start()
        let begun = try await us.agent.accept(inviter.invitation)
        try await passes(.seconds(10), [us])
        try await us.restart()
        try await passes(.seconds(100), [us])
        let again = try await us.agent.accept(inviter.invitation)
        #expect(again.id == begun.id && again.outcome == .acceptedBefore)
        try await passes(.seconds(100), [us])
        #expect(try await us.agent.summary(of: begun.id)?.stage == .requested, "a refusal does not end it")
        let response = try #require(try inviter.answer())
        _ = try await us.agent.receive(response)
        #expect(try await settled([us]) { inviter.isComplete })
    }

    @Test(.shows("ARI-125"))
    func `an inviter that comes online behind a mediator an hour later still completes the handshake`() async throws {
        let world = try Mediated(.pickup2, isLive: true, theyAreMediated: true)
        try await world.begin()
        let invitation = try await world.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
        await world.us.agent.stop()
        let begun = try await world.them.agent.accept(invitation)
        try await passes(.seconds(3700), [world.them])
        #expect(try await world.them.agent.summary(of: begun.id)?.stage == .requested)
        let again = try await world.them.agent.accept(invitation)
        #expect(again.id == begun.id, "the same invitation goes on with the same connection")
        try await world.us.restart()
        let isComplete = try await settled([world.us, world.them]) {
            let ours = try await world.us.agent.connections().connections.filter { $0.role == .inviter }.map(\.stage)
            let theirs = try await world.them.agent.summary(of: begun.id)?.stage
            return ours == [.completed] && theirs == .completed
        }
        #expect(isComplete)
    }

    @Test func `a handshake completes although both sides were offline in turn and the inviter had given up`()
        async throws
    {
        let world = try Mediated(.pickup2, isLive: true, theyAreMediated: true)
        try await world.begin()
        let invitation = try await world.us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
        await world.us.agent.stop()
        let begun = try await world.them.agent.accept(invitation)
        try await passes(.seconds(60), [world.them])
        await world.them.agent.stop()
        try await world.us.restart()
        let isGivenUp = try await settled([world.us], within: .seconds(4000), step: .seconds(400)) {
            try await world.us.agent.connections().connections.contains { $0.stage == .abandoned }
        }
        #expect(isGivenUp, "the one who asked was away for an hour")
        try await world.them.restart()
        let isComplete = try await settled([world.us, world.them]) {
            let ours = try await world.us.agent.connections().connections.filter { $0.role == .inviter }
            let theirs = try await world.them.agent.summary(of: begun.id)?.stage
            return ours.map(\.stage) == [.completed] && ours.map(\.failure) == [nil] && theirs == .completed
        }
        #expect(isComplete)
    }

    @Test func `accepting the same invitation resumes a connection that timed out, also after a restart`()
        async throws
    {
        let inviter = try Party("inviter", net: net, clock: clock, seed: 2)
        let us = try Party("us", net: net, clock: clock) { $0.policy.giveUpAfter = .seconds(100) }
        try await us.agent.start()
        try await inviter.agent.start()
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        net.swallow(true, at: inviter.endpoint)
        let begun = try await us.agent.accept(invitation)
        #expect(try await settled([us]) { try await us.agent.summary(of: begun.id)?.stage == .abandoned })
        try await us.restart()
        net.swallow(false, at: inviter.endpoint)
        let again = try await us.agent.accept(invitation)
        #expect(again.id == begun.id)
        _ = try await again.completed()
        #expect(try await us.agent.summary(of: begun.id)?.failure == nil)
    }

    @Test
    func `a request that cannot be sent reports the cause and keeps its connection, and accepting again sends it`()
        async throws
    {
        let inviter = try Party("inviter", net: net, clock: clock, seed: 2)
        let us = try Party("us", net: net, clock: clock)
        try await us.agent.start()
        try await inviter.agent.start()
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        net.put(nil, at: inviter.endpoint)
        let begun = try await us.agent.accept(invitation)
        await #expect(throws: MemoryNet.Lost.self) {
            try await whileTimePasses([us]) { try await begun.completed() }
        }
        let summary = try #require(try await us.agent.summary(of: begun.id))
        #expect(summary.stage == .requested && summary.deliveryFailure?.code == "agent.delivery.failed")
        #expect(summary.ourDID != nil, "our DID is known from the beginning on")
        net.put(inviter.agent, at: inviter.endpoint)
        let again = try await us.agent.accept(invitation)
        #expect(again.id == begun.id)
        _ = try await again.completed()
        #expect(try await us.agent.summary(of: begun.id)?.deliveryFailure == nil)
    }

    @Test func `while a handshake waits, the invitee shows its own DID and the inviter the DID of the invitee`()
        async throws
    {
        let inviter = try Party("inviter", net: net, clock: clock, seed: 2)
        let us = try Party("us", net: net, clock: clock)
        try await us.agent.start()
        try await inviter.agent.start()
        net.swallow(true, at: us.endpoint)
        let begun = try await us.agent.accept(inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter")))
        #expect(
            try await settled([us, inviter], within: .seconds(5)) {
                try await inviter.agent.connections().connections.map(\.stage) == [.responded]
            })
        let ours = try #require(try await us.agent.summary(of: begun.id))
        let theirs = try #require(try await inviter.agent.connections().connections.first)
        #expect(ours.ourDID != nil && theirs.theirDID?.identity == ours.ourDID?.identity)
        #expect(theirs.ourDID != nil && theirs.label == "us")
    }
}
