import Aries
import CloudAgent
import CloudAgentConformance
import FaultLayer
import Testing

/// Tests that the store holds all that it confirmed after every file fault, and only whole records.
@Suite struct SQLiteFaultTests {
    /// The answers to a session that was cut off, and what it asked for last.
    private struct Outcome {
        /// Envelopes that were answered as kept, in order.
        var kept: [[UInt8]] = []
        /// Envelopes whose acknowledgement was answered.
        var forgotten: Set<[UInt8]> = []
        /// Envelopes of the request under way when the fault came; the store may hold them or not.
        var open: [[UInt8]] = []
        var account: Int64?
        var error: CloudAgentError?
    }

    private static func store(on layer: FaultyLayer) async throws -> DatabaseStore {
        try await .sqlite(fileLayer: layer.name, name: "/agent.sqlite")
    }

    /// Opens an account, takes messages small and large, one by one and together, and lets some be acknowledged.
    private static func run(on layer: FaultyLayer) async -> Outcome {
        var outcome = Outcome()
        var open: DatabaseStore?
        do {
            var store = try await Self.store(on: layer)
            open = store
            let account = try await StoreSamples.open(1, in: store)
            outcome.account = account
            _ = try await store.change([StoreSamples.change(1, of: 1)], of: account)
            for round in 0..<4 {
                try await take(round, &outcome, store)
                if round == 1 {
                    await store.close()
                    store = try await Self.store(on: layer)
                    open = store
                }
                try await forget(account, &outcome, store)
            }
        } catch {
            outcome.error = error as? CloudAgentError
            #expect(outcome.error != nil, "\(error) is not an error of stores")
        }
        // Nothing may be open in the layer when it is restarted.
        await open?.close()
        return outcome
    }

    private static func take(_ round: Int, _ outcome: inout Outcome, _ store: DatabaseStore) async throws {
        let envelopes = (0..<3).map { [UInt8(round), UInt8($0)] + [UInt8](repeating: 7, count: 3000 * $0) }
        outcome.open = envelopes
        for envelope in envelopes {
            let kept = try await store.accept(StoreSamples.mail(to: 1, of: 1, envelope))
            #expect(kept == .stored)
            outcome.kept.append(envelope)
        }
        outcome.open = []
    }

    private static func forget(_ account: Int64, _ outcome: inout Outcome, _ store: DatabaseStore) async throws {
        let found = try await StoreSamples.all(of: account, in: store).prefix(2)
        outcome.open = found.map(\.envelope)
        _ = try await store.remove(found.map(\.id), of: account)
        outcome.forgotten.formUnion(found.map(\.envelope))
        outcome.open = []
    }

    /// Everything that was answered is there, in order, nothing that was forgotten is, and work goes on.
    private static func judge(_ outcome: Outcome, on layer: FaultyLayer, _ comment: Comment) async throws {
        let store = try await Self.store(on: layer)
        #expect(try await store.check() == [], comment)
        if let account = outcome.account {
            let found = try await StoreSamples.all(of: account, in: store).map(\.envelope)
            let sure = outcome.kept.filter { !outcome.forgotten.contains($0) && !outcome.open.contains($0) }
            #expect(found.filter { !outcome.open.contains($0) } == sure, comment)
            #expect(Set(found).count == found.count, comment)
            if try await (store.read { try $0.accounts.account(account) }) != nil {
                _ = try await store.change([StoreSamples.change(1, of: 1)], of: account)
                _ = try await store.change([StoreSamples.change(2, of: 1)], of: account)
                #expect(try await store.accept(StoreSamples.mail(to: 2, of: 1)) == .stored, comment)
            }
        }
        await store.close()
    }

    private static func operationsOfRun() async -> Int {
        let layer = FaultyLayer()
        layer.arm(nil, at: 0)
        let outcome = await run(on: layer)
        #expect(outcome.error == nil && outcome.kept.count == 12 && outcome.forgotten.count == 8)
        return layer.operations
    }

    @Test(arguments: [false, true])
    func `an agent's SQLite store that crashes at any write loses nothing that was acknowledged and keeps the order`(
        _ losesPower: Bool
    ) async throws {
        let operations = await Self.operationsOfRun()
        #expect(operations > 60, "the session writes often enough to be cut off in many places")
        for operation in 1...operations {
            let layer = FaultyLayer()
            layer.arm(.crash, at: operation)
            let outcome = await Self.run(on: layer)
            #expect(layer.hasStruck)
            layer.restart(losesPower: losesPower, seed: operation)
            try await Self.judge(outcome, on: layer, "cut off at operation \(operation)")
        }
    }

    @Test(arguments: [FaultyLayer.Fault.failsOnce, .failsLasting, .full, .fileLimit])
    func `a disk that fails or is full at any store write is reported, and loses nothing that was acknowledged`(
        _ fault: FaultyLayer.Fault
    ) async throws {
        var codes: Set<CloudAgentError.Code> = []
        for operation in 1...(await Self.operationsOfRun()) {
            let layer = FaultyLayer()
            layer.arm(fault, at: operation)
            let outcome = await Self.run(on: layer)
            if let error = outcome.error { codes.insert(error.code) }
            layer.restart(losesPower: false)
            try await Self.judge(outcome, on: layer, "\(fault) at operation \(operation)")
        }
        #expect(codes == (fault.isLackOfRoom ? [.full] : [.unavailable]))
    }
}
