import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Kills an agent at every write and at every envelope, before and after it, and lets it go on.
@Suite struct CrashTests {
    /// One invitation, one connection, two messages there and one back, with an agent that may die on the way.
    private final class Story {
        let net = MemoryNet()
        let clock = HandClock()
        let inviter: Party
        let invitee: Party
        let draft: InvitationDraft
        var restarts = 0

        init(
            _ handshake: MessageProtocol,
            storeFault: (inviter: MemoryStore.Fault?, invitee: MemoryStore.Fault?) = (nil, nil),
            transportFault: (inviter: MemoryTransport.Fault?, invitee: MemoryTransport.Fault?) = (nil, nil)
        ) throws {
            inviter = try Party(
                "inviter", net: net, clock: clock, storeFault: storeFault.inviter,
                transportFault: transportFault.inviter)
            invitee = try Party(
                "invitee", net: net, clock: clock, seed: 2, storeFault: storeFault.invitee,
                transportFault: transportFault.invitee)
            var draft = InvitationDraft(.outOfBand, label: "Inviter")
            draft.handshakeProtocols = [handshake]
            self.draft = draft
        }

        func revive() async throws {
            for party in [inviter, invitee] where await !party.agent.isRunning {
                restarts += 1
                try await party.restart()
            }
        }

        /// Does something as a user would: again after the agent died.
        func insist<Result>(_ body: () async throws -> Result) async throws -> Result {
            for _ in 0..<3 {
                if let result = try? await body() { return result }
                try await revive()
            }
            return try await body()
        }

        func records(_ party: Party) async throws -> [ConnectionSummary] {
            try await insist { try await party.agent.connections().connections }
        }

        func isComplete() async throws -> Bool {
            try await revive()
            for party in [inviter, invitee] where try await records(party).map(\.stage) != [.completed] { return false }
            return true
        }

        func message(_ number: Int) -> Message {
            Message(
                MessageType(MessageProtocol("basicmessage", 1, 0), "message"), id: "message-\(number)",
                body: ["content": .string("\(number)")])
        }

        func send(_ numbers: Int..., from party: Party) async throws {
            for number in numbers {
                let id = try await records(party)[0].id
                try await insist {
                    do {
                        try await party.agent.send(message(number), on: id)
                    } catch let error as VaultError where error.code == .recordExists {}
                }
            }
        }

        func received(_ party: Party) -> [String] {
            party.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }
                .filter { $0.direction == .received }.map(\.message.id)
                .filter { $0.hasPrefix("message-") }
        }

        func run() async throws {
            try await inviter.agent.start()
            try await invitee.agent.start()
            let invitation = try await insist { try await inviter.agent.invite(draft) }
            _ = try await insist { try await invitee.agent.accept(invitation) }
            #expect(try await settled([inviter, invitee]) { try await isComplete() })
            try await send(1, 2, from: invitee)
            try await send(3, from: inviter)
            let isDelivered = try await settled([inviter, invitee]) {
                try await revive()
                let outboxes = [inviter, invitee].flatMap { $0.store.records(of: "aries.outbox") }
                return outboxes.isEmpty && received(inviter).count >= 2 && received(invitee).count >= 1
            }
            #expect(isDelivered)
            try await revive()
        }

        /// Checks the state that must hold at the end, wherever an agent died.
        func check() async throws {
            #expect(received(inviter) == ["message-1", "message-2"])
            #expect(received(invitee) == ["message-3"])
            for party in [inviter, invitee] {
                let connections = try await records(party)
                #expect(connections.map(\.stage) == [.completed], "one connection, and it is complete")
                let keys = party.store.records(of: "aries.key")
                #expect(Set(keys.map(\.id)).count == keys.count)
                let invitations = party.store.records(of: "aries.invitation").count
                #expect(keys.count == connections.count + invitations, "every key has one owner")
            }
            let ours = try #require(try await records(invitee).first?.connection)
            let theirs = try #require(try await records(inviter).first?.connection)
            #expect(ours.theirs.owns(theirs.ours.key) && theirs.theirs.owns(ours.ours.key))
        }
    }

    private func counts(_ handshake: MessageProtocol) async throws -> [Int] {
        let story = try Story(handshake)
        try await story.run()
        try await story.check()
        #expect(story.restarts == 0)
        return [story.inviter, story.invitee].map(\.transport.carriedCount)
    }

    private static let handshakes: [MessageProtocol] = [.connections10, .didExchange10, .didExchange11]

    /// Runs a story whose agent may die at one write; returns true when the agent came to that write and died.
    ///
    /// The number of writes in a run depends on the order of two events: that a request was handed over is written
    /// only when it is noted before the response comes. So each run counts its own writes.
    private func dies(
        _ handshake: MessageProtocol, party: Int, at fault: MemoryStore.Fault, write number: Int, isSentLate: Bool
    ) async throws -> Bool {
        let story = try Story(handshake, storeFault: party == 0 ? (fault, nil) : (nil, fault))
        if isSentLate { story.invitee.transport.returnsLate(after: story.inviter.agent) }
        let store = (party == 0 ? story.inviter : story.invitee).store
        try await story.run()
        let isMet = store.writes >= number
        // Asks the agent, after all that it has begun, so that a death is noticed.
        try await story.check()
        #expect(story.restarts >= 1 || !isMet, "\(fault) of party \(party), \(store.writes) writes")
        return isMet
    }

    @Test(.shows("ARI-051", "CHK-124"), arguments: handshakes)
    func `an agent that crashes at any store write resumes its handshake and messages after a restart`(
        handshake: MessageProtocol
    ) async throws {
        for party in 0...1 {
            // The last write is passed when two numbers in a row were not come to.
            var (number, last) = (1, 0)
            while number <= last + 2, number < 100 {
                for fault in [MemoryStore.Fault.before(write: number), .after(write: number)] {
                    let isMet = try await dies(
                        handshake, party: party, at: fault, write: number, isSentLate: number % 2 == 0)
                    if isMet { last = number }
                }
                number += 1
            }
            #expect((5..<98).contains(last), "there is something to die at, and an end to it")
        }
    }

    @Test(arguments: handshakes)
    func `a connection response that arrives before the request is recorded as sent saves one store write`(
        handshake: MessageProtocol
    ) async throws {
        var writes: [Int] = []
        for isSentLate in [false, true] {
            let story = try Story(handshake)
            if isSentLate { story.invitee.transport.returnsLate(after: story.inviter.agent) }
            try await story.run()
            try await story.check()
            #expect(story.restarts == 0)
            writes.append(story.invitee.store.writes)
        }
        #expect(writes[1] == 8 && (8...9).contains(writes[0]), "\(writes): the first run may have either order")
    }

    @Test(.shows("ARI-051", "CHK-124", "CHK-134"), arguments: handshakes)
    func `an agent that crashes at any envelope resumes its handshake and messages after a restart`(
        handshake: MessageProtocol
    ) async throws {
        let envelopes = try await counts(handshake)
        #expect(envelopes.allSatisfy { $0 >= 2 }, "there is something to die at")
        for (party, count) in envelopes.enumerated() {
            for number in 1...count {
                for fault in [MemoryTransport.Fault.before(envelope: number), .after(envelope: number)] {
                    let story = try Story(handshake, transportFault: party == 0 ? (fault, nil) : (nil, fault))
                    try await story.run()
                    try await story.check()
                    #expect(story.restarts >= 1, "\(fault) of party \(party)")
                }
            }
        }
    }
}
