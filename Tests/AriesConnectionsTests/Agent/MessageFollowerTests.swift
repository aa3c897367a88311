import Aries
import DIDComm
import Determinism
import TestSupport
import Testing
import Vault

@testable import AriesConnections

@Suite struct MessageFollowerTests {
    private func message(_ id: String, on connection: String = "c", at time: Int64 = 1000) -> ConnectionMessage {
        ConnectionMessage(
            connection: connection, direction: .received, time: WallTime(millisecondsSinceEpoch: time),
            message: BasicMessage(id, sent: nil).message(id: id))
    }

    private func put(_ messages: [ConnectionMessage], into party: Party) async throws {
        try await party.store.write { store in for message in messages { _ = try message.insert(into: store) } }
    }

    private func party() async throws -> Party {
        let party = try Party("a", net: MemoryNet(), clock: HandClock())
        try await party.agent.start()
        return party
    }

    private func next(_ follower: inout MessageFollower, _ party: Party) async throws -> [String] {
        try await follower.next(from: party.agent).map(\.message.id)
    }

    @Test func `a message follower returns only messages that are new, each once and in order`() async throws {
        let party = try await party()
        try await put([message("1"), message("2")], into: party)
        var follower = MessageFollower()
        #expect(try await next(&follower, party) == [])
        try await put([message("3", at: 2000), message("4", on: "d", at: 2000)], into: party)
        #expect(try await next(&follower, party) == ["3", "4"])
        #expect(try await next(&follower, party) == [])
        try await put((5...250).map { message("\($0)", at: 3000) }, into: party)
        #expect(try await next(&follower, party) == (5...250).map { "\($0)" }, "more than a page")
    }

    @Test func `a message follower for one connection returns messages of that connection alone`() async throws {
        let party = try await party()
        var follower = MessageFollower(connection: "c")
        #expect(try await next(&follower, party) == [])
        try await put([message("1", on: "d"), message("2")], into: party)
        #expect(try await next(&follower, party) == ["2"])
    }

    @Test func `a message follower does not return old messages again when newer ones are deleted`() async throws {
        let party = try await party()
        try await put([message("old", on: "d", at: 1000)], into: party)
        let many = (0..<300).map { message("\($0)", at: 200_000) }
        try await put(many, into: party)
        var follower = MessageFollower()
        _ = try await next(&follower, party)
        for record in party.store.records(of: "aries.message") where record.tags == [RecordTag("connection", "c")] {
            try await party.store.remove(record.id, in: "aries.message")
        }
        #expect(try await next(&follower, party) == [])
        try await put([message("late", on: "d", at: 150_000)], into: party)
        #expect(try await next(&follower, party) == ["late"], "stored a little later than it came")
    }
}
