import Aries
import AriesConnections
import CloudAgent
import DIDComm
import TestSupport
import Testing

/// Where a wallet behind a cloud agent lets each of its connections send to.
@Suite struct WalletPlacesTests {
    @Test(.shows("ARI-070"))
    func `each connection of a wallet has its own address and routing key at the cloud agent`() async throws {
        try await TemporaryFolder.with { folder in
            let agent = try await RunningAgent(in: folder)
            let (ann, bob) = (try await Wallet("ann", in: folder), try await Wallet("bob", in: folder))
            try await ann.use(agent.invitation)
            try await bob.use(agent.invitation)
            for _ in 1...2 {
                let invitation = try await ann.agent.invite(InvitationDraft(.outOfBand, label: "Ann"))
                _ = try await bob.agent.accept(invitation).completed()
            }
            #expect(try await eventually { try await self.connections(of: ann).count == 2 })
            let (inviter, invitee) = (try await connections(of: ann), try await connections(of: bob))
            #expect(inviter.count == 2 && invitee.count == 2)
            for connections in [inviter, invitee] {
                #expect(Set(connections.map(\.ours.key)).count == 2)
                #expect(Set(connections.map(\.ours.endpoint)).count == 2)
                #expect(Set(connections.map(\.ours.routingKeys)).count == 2)
                #expect(connections.allSatisfy { !$0.ours.routingKeys.isEmpty })
            }
            // The inviter was told just these, in the request.
            #expect(Set(invitee.map(\.ours.endpoint)) == Set(inviter.compactMap { $0.theirs.services.first?.endpoint }))
            #expect(
                Set(invitee.map(\.ours.routingKeys))
                    == Set(inviter.compactMap { $0.theirs.services.first?.routingKeys }))
            await ann.stop()
            await bob.stop()
            await agent.stop()
        }
    }

    /// The complete connections of a wallet, but that with the cloud agent.
    private func connections(of wallet: Wallet) async throws -> [Connection] {
        let mediator = try await wallet.agent.mediator()?.connection
        return try await wallet.agent.connections().connections.filter { $0.id != mediator }.compactMap(\.connection)
    }
}
