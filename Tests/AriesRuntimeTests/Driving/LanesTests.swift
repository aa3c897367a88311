import Aries
import Determinism
import TestSupport
import Testing

@testable import AriesRuntime

@Suite struct LanesTests {
    @Test func `what is withdrawn is not sent, and what goes before and after it is`() async throws {
        let (inviter, _, id, _) = try await connectedParties(MemoryNet(), HandClock())
        let connection = try #require(try await inviter.agent.connection(id)?.connection)
        var lanes = Lanes()
        for name in ["first", "asked", "last"] {
            lanes.append(.mediator(try connection.outgoing(BasicMessage(name, sent: nil).message(id: name))), to: id)
        }
        lanes.withdraw("asked", from: id)
        lanes.withdraw("unknown", from: id)
        lanes.withdraw("first", from: "another")
        #expect(lanes.take(id, at: .zero)?.messageID == "first")
        #expect(lanes.take(id, at: .zero)?.messageID == "last")
        #expect(lanes.take(id, at: .zero)?.messageID == nil)
    }
}
