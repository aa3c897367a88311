import Aries
import CryptoSuite
import DIDComm
import Determinism
import TestSupport
import Testing

@testable import AriesConnections

@Suite struct SigningTests {
    private let net = MemoryNet()
    private let clock = HandClock()

    private func connected() async throws -> (inviter: Party, theirs: String, invitee: Party, ours: String) {
        let (inviter, invitee, theirs, ours) = try await connectedParties(net, clock)
        return (inviter, theirs, invitee, ours)
    }

    @Test(.shows("ARI-116"))
    func
        `a signature made on a connection is valid for the signer's data at the peer, and for no other data or signer`()
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

    @Test(.shows("ARI-116"))
    func `a signature over data does not verify over the bare bytes, so it cannot pass as a protocol's signature`()
        async throws
    {
        let (_, _, invitee, ours) = try await connected()
        let data = Array("data".utf8)
        let signature = try await invitee.agent.sign(data, on: ours)
        let key = try #require(try await invitee.agent.summary(of: ours)?.connection?.ours.key)
        #expect(!Ed25519.verify(signature: signature, message: data, publicKey: key.bytes))
    }
}
