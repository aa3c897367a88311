import Aries
import DIDComm
import Determinism
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// Kills an agent behind a mediator at every write and at every envelope, before and after it, and lets it go on.
@Suite struct MediatorCrashTests {
    /// A mediator, one invitation of ours, one connection, messages there and back.
    private struct Story {
        let mediated: Mediated
        let restarts = Lock(0)
        let fault: String

        init(
            _ service: SimulatedMediator.Service, isLive: Bool, storeFault: MemoryStore.Fault? = nil,
            transportFault: MemoryTransport.Fault? = nil
        ) throws {
            mediated = try Mediated(
                service, isLive: isLive, storeFault: storeFault, transportFault: transportFault
            ) { $0.mediator.spareKeys = 2 }
            fault = "\(storeFault.map { "\($0)" } ?? "") \(transportFault.map { "\($0)" } ?? "")"
        }

        var us: Party { mediated.us }
        var them: Party { mediated.them }

        func revive() async throws {
            guard await !us.agent.isRunning else { return }
            restarts.withLock { $0 += 1 }
            try await us.restart()
        }

        /// Does something as a user would: again after the agent died.
        func insist<Result>(_ body: () async throws -> Result) async throws -> Result {
            for _ in 0..<3 {
                if let result = try? await body() { return result }
                try await revive()
            }
            return try await body()
        }

        func eventually(_ holds: () async throws -> Bool) async throws -> Bool {
            try await settled([us, them]) {
                try await revive()
                return (try? await holds()) ?? false
            }
        }

        /// Sends a text, as a user does who checks it after the agent died.
        private func say(_ number: Int, on connection: String) async throws {
            let message = mediated.text(number)
            for _ in 0..<4 {
                let sent = us.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }
                if sent.contains(where: { $0.direction == .sent && $0.message.id == message.id }) { return }
                try? await us.agent.send(message, on: connection)
                try await revive()
            }
        }

        func run() async throws {
            try? await us.agent.start()
            try await them.agent.start()
            try await revive()
            _ = try await insist { try await us.agent.useMediator(mediated.mediator.invitation) }
            let isReady = try await eventually {
                let mediator = try await us.agent.mediator()
                if mediator == nil { _ = try await us.agent.useMediator(mediated.mediator.invitation) }
                return mediator?.stage == .granted && mediator?.freeKeys == 2
            }
            #expect(isReady, "\(fault)")
            let invitation = try await insist {
                try await us.agent.invite(InvitationDraft(.outOfBand, label: "Us"))
            }
            let theirs = try await them.agent.accept(invitation).id
            let isComplete = try await eventually {
                let ours = try await us.agent.connections().connections.filter { $0.role == .inviter }.map(\.stage)
                let other = try await them.agent.summary(of: theirs)?.stage
                return ours == [.completed] && other == .completed
            }
            #expect(isComplete, "\(fault)")
            try await mediated.send(1...2, on: theirs)
            let ours = try await insist {
                try #require(try await us.agent.connections().connections.first { $0.role == .inviter }).id
            }
            try await say(7, on: ours)
            let isHeard = try await eventually {
                mediated.received(us).count == 2 && mediated.received(them).count == 1
            }
            #expect(isHeard, "\(mediated.received(us)) \(mediated.received(them))")
        }

        /// Checks the state that must hold at the end, however often the agent died.
        func check() async throws {
            #expect(Set(mediated.received(us)) == ["1", "2"])
            let isAcknowledged = try await eventually { mediated.mediator.queued == 0 }
            #expect(isAcknowledged, "nothing is left at the mediator")
            let keys = try us.store.records(of: "aries.key").map { try KeyRecord($0) }
            let connections = try await insist { try await us.agent.connections().connections }
            #expect(connections.filter { $0.role == .inviter }.count == 1)
            let owned = keys.filter { if case .connection = $0.owner { true } else { false } }
            #expect(Set(owned.map(\.owner)).count == owned.count, "every connection has a key of its own")
            let isReconciled = try await eventually {
                let ours = try us.store.records(of: "aries.key").map { try KeyRecord($0) }.filter { $0.mediator != nil }
                return Set(ours.map(\.key.verkey)).isSubset(of: Set(mediated.mediator.keylist))
            }
            #expect(isReconciled, "the mediator knows every key that is to be reached through it")
            await us.agent.stop()
            await them.agent.stop()
        }
    }

    private func counts(_ service: SimulatedMediator.Service, _ isLive: Bool) async throws -> (Int, Int) {
        let story = try Story(service, isLive: isLive)
        try await story.run()
        let counts = (story.us.store.writes, story.us.transport.carriedCount)
        try await story.check()
        #expect(story.restarts.withLock { $0 } == 0)
        return counts
    }

    @Test(arguments: [false, true])
    func `an agent that dies at any write loses no message and uses no key twice`(isLive: Bool) async throws {
        let (writes, _) = try await counts(.pickup2, isLive)
        #expect(writes >= 10, "there is something to die at")
        for number in 1...writes {
            // With a socket the order of things is the same, so that one side of each write is enough. Without one the
            // sides take turns, because after one write is before the next; at full size both are tried.
            let sides = [MemoryStore.Fault.before(write: number), .after(write: number)]
            let turn = sides[number % 2]
            for fault in isLive ? [sides[0]] : TestSize.choose([turn], full: sides) {
                let story = try Story(.pickup2, isLive: isLive, storeFault: fault)
                try await story.run()
                // The number of writes of a run depends on the speed of the machine.
                let made = story.us.store.writes
                try await story.check()
                #expect(story.restarts.withLock { $0 } >= 1 || made < number, "\(fault)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `an agent that dies at any envelope loses no message and uses no key twice`(isLive: Bool) async throws {
        let (_, envelopes) = try await counts(.pickup2, isLive)
        #expect(envelopes >= 10, "there is something to die at")
        for number in 1...envelopes {
            let sides = [MemoryTransport.Fault.before(envelope: number), .after(envelope: number)]
            let turn = sides[number % 2]
            for fault in isLive ? TestSize.choose([turn], full: sides) : [sides[1]] {
                let story = try Story(.pickup2, isLive: isLive, transportFault: fault)
                try await story.run()
                try await story.check()
            }
        }
    }
}
