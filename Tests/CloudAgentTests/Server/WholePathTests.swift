import Aries
import AriesConnections
import CloudAgent
import DIDComm
import Testing
import WebTransport

/// Wallets that reach each other through a cloud agent, over real sockets of this machine.
@Suite struct WholePathTests {
    @Test func `two wallets behind a cloud agent connect and talk through it`() async throws {
        try await TemporaryFolder.with { folder in
            let agent = try await RunningAgent(in: folder)
            let (ann, bob) = (try await Wallet("ann", in: folder), try await Wallet("bob", in: folder))
            let mediator = try await ann.use(agent.invitation)
            #expect(mediator.socket?.transport == .ws && mediator.endpoint?.transport == .http)
            try await bob.use(agent.invitation)
            let connection = try await Wallet.connect(ann, bob)
            for number in 0..<20 {
                try await ann.send("For your eyes only: to bob \(number)", on: connection.inviter)
                try await bob.send("For your eyes only: to ann \(number)", on: connection.invitee)
            }
            let wanted = (0..<20).map { "For your eyes only: to bob \($0)" }
            #expect(try await eventually { try await bob.texts(on: connection.invitee) == wanted })
            let back = (0..<20).map { "For your eyes only: to ann \($0)" }
            #expect(try await eventually { try await ann.texts(on: connection.inviter) == back })
            // Messages that the client fetched are acknowledged, and then gone.
            #expect(try await eventually { try await agent.server.totals().messages == 0 })
            #expect(try await agent.server.totals().accounts == 2)
            #expect(agent.server.counts.live == 2)
            await ann.stop()
            await bob.stop()
            await agent.stop()
        }
    }

    @Test func `a message of the largest size does not delay others`() async throws {
        try await TemporaryFolder.with { folder in
            let agent = try await RunningAgent(in: folder)
            let (ann, bob) = (try await Wallet("ann", in: folder), try await Wallet("bob", in: folder))
            try await ann.use(agent.invitation)
            try await bob.use(agent.invitation)
            let connection = try await Wallet.connect(ann, bob)
            let invitation = try await ann.agent.invite(InvitationDraft(.outOfBand, label: "Ann"))
            guard case .resolved(let document) = try invitation.services[0].resolution.progress() else {
                Issue.record("the invitation names no keys")
                return
            }
            let service = try document.service()
            let (key, routing) = (try #require(service.recipientKeys.first), try #require(service.routingKeys.first))
            // A stranger who knows the invitation sends envelopes that do not open, to a live wallet and to one that is
            // away.
            let large = Array("{\"text\":\"\(String(repeating: "x", count: 785_000))\"}".utf8)
            let web = WebService()
            let poster = Poster(service: web, port: agent.address.port)
            #expect(try await poster.post(try Poster.forward(large, to: key, through: routing)).status == 202)
            try await bob.send("live", on: connection.invitee)
            #expect(try await eventually { try await ann.texts(on: connection.inviter) == ["live"] })
            await ann.stop()
            #expect(try await poster.post(try Poster.forward(large, to: key, through: routing)).status == 202)
            try await bob.send("away", on: connection.invitee)
            #expect(try await eventually { try await agent.server.totals().messages >= 2 })
            let annAgain = try await Wallet("ann", in: folder)
            #expect(try await eventually { try await annAgain.texts(on: connection.inviter) == ["live", "away"] })
            #expect(try await eventually { try await agent.server.totals().messages == 0 })
            await web.stop()
            await annAgain.stop()
            await bob.stop()
            await agent.stop()
        }
    }

    @Test func `messages that arrive while a wallet is offline wait for it, across a restart of the agent`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let agent = try await RunningAgent(in: folder)
            let (ann, bob) = (try await Wallet("ann", in: folder), try await Wallet("bob", in: folder))
            try await ann.use(agent.invitation)
            try await bob.use(agent.invitation)
            let connection = try await Wallet.connect(ann, bob)
            // Every message of the handshake is acknowledged, so that only those below wait.
            #expect(try await eventually { try await agent.server.totals().messages == 0 })
            await ann.stop()
            for number in 0..<10 {
                try await bob.send("For your eyes only: while away \(number)", on: connection.invitee)
            }
            #expect(try await eventually { try await agent.server.totals().messages == 10 })
            await agent.stop()
            let again = try await RunningAgent(in: folder, port: agent.address.port)
            #expect(again.invitation == agent.invitation)
            #expect(try await again.server.totals().messages == 10)
            let annAgain = try await Wallet("ann", in: folder)
            let wanted = (0..<10).map { "For your eyes only: while away \($0)" }
            #expect(try await eventually { try await annAgain.texts(on: connection.inviter) == wanted })
            #expect(try await eventually { try await again.server.totals().messages == 0 })
            await annAgain.stop()
            await bob.stop()
            await again.stop()
        }
    }
}
