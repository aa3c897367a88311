import Aries
import DIDComm
import Determinism
import TestSupport
import Testing

@testable import AriesConnections

/// A wallet that has neither an address nor a mediator.
@Suite struct NoAddressTests {
    @Test func `messages for an agent without an address come in the responses to its pings, one for each, in order`()
        async throws
    {
        let (net, clock) = (MemoryNet(), HandClock())
        let us = try Party("us", net: net, clock: clock, hasAddress: false)
        let them = try Party("them", net: net, clock: clock, seed: 2)
        try await us.agent.start()
        try await them.agent.start()
        let invitation = try await them.agent.invite(InvitationDraft(.outOfBand, label: "Them"))
        let ours = try await us.agent.accept(invitation).id
        #expect(
            try await settled([us, them]) {
                try await them.agent.connections().connections.map(\.stage) == [.completed]
            })
        let theirs = try #require(try await them.agent.connections().connections.first).id
        for number in 1...2 {
            try await them.agent.send(BasicMessage("\(number)", sent: nil).message(id: "m\(number)"), on: theirs)
        }
        #expect(try await !settled([us, them], within: .seconds(600), step: .seconds(60)) { false })
        func received() -> [String] {
            us.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }.map(\.message.id)
        }
        #expect(received().isEmpty)
        for count in 1...2 {
            _ = try? await whileTimePasses([us, them]) { try await us.agent.ping(ours, within: .seconds(20)) }
            #expect(received() == ["m1", "m2"].prefix(count).map(\.self))
        }
    }
}
