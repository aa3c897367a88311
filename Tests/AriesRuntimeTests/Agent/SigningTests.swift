import Aries
import CryptoSuite
import DIDComm
import Determinism
import TestSupport
import Testing

@testable import AriesRuntime

@Suite struct SigningTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func connected() async throws -> (inviter: Party, theirs: String, invitee: Party, ours: String) {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2)
        try await inviter.agent.start()
        try await invitee.agent.start()
        let invitation = try await inviter.agent.invite(InvitationDraft(.outOfBand, label: "Inviter"))
        let ours = try await invitee.agent.accept(invitation)
        _ = try await ours.completed()
        let isComplete = try await settled([inviter, invitee]) {
            try await inviter.agent.connections().connections.map(\.stage) == [.completed]
        }
        #expect(isComplete)
        let theirs = try #require(try await inviter.agent.connections().connections.first?.id)
        return (inviter, theirs, invitee, ours.id)
    }

    @Test func `data signed on a connection are verified by the other side, and by nobody in another's name`()
        async throws
    {
        let (inviter, theirs, invitee, ours) = try await connected()
        let data = Array("I agree.".utf8)
        let signature = try await invitee.agent.sign(data, on: ours)
        #expect(signature.count == 64)
        #expect(try await inviter.agent.verify(signature, of: data, on: theirs))
        #expect(try await !inviter.agent.verify(signature, of: data + [0], on: theirs))
        #expect(try await !invitee.agent.verify(signature, of: data, on: ours), "it is ours and not theirs")
        await #expect(throws: AgentError(.connectionUnknown, "")) { try await inviter.agent.sign(data, on: "other") }
    }

    @Test func `a signature of data is none of the bare bytes, so it stands for no step of a protocol`() async throws {
        let (_, _, invitee, ours) = try await connected()
        let data = Array("data".utf8)
        let signature = try await invitee.agent.sign(data, on: ours)
        let key = try #require(try await invitee.agent.connection(ours)?.connection?.ours.key)
        #expect(!Ed25519.verify(signature: signature, message: data, publicKey: key.bytes))
    }
}
