import FaultLayer
import TestSupport
import Testing

@testable import Vault

@Suite struct CrashTests {
    typealias State = ScriptedSession.State

    /// The states that a session which was cut off leaves behind: the acknowledged one, and that of the step under way.
    private struct Outcome {
        var acknowledged: State?
        var underWay: State?
        var error: VaultError?
    }

    /// Runs the script until an error.
    private static func run(on layer: FaultyLayer) async -> Outcome {
        var outcome = Outcome(acknowledged: nil, underWay: [:], error: nil)
        do {
            var vault = try await Vault.create(in: layer.location, key: .sample)
            outcome.acknowledged = [:]
            for step in ScriptedSession.steps {
                guard let step else {
                    await vault.close()
                    vault = try await Vault.open(in: layer.location, key: .sample)
                    continue
                }
                var next = outcome.acknowledged ?? [:]
                step.change(&next)
                outcome.underWay = next
                do { try await vault.write(step.run) } catch {
                    await vault.close()
                    throw error
                }
                outcome.acknowledged = next
            }
            await vault.close()
        } catch {
            outcome.error = error as? VaultError
            #expect(outcome.error != nil, "\(error) is not an error of vaults")
        }
        return outcome
    }

    /// Looks whether what is there is the one state or the other, whole and sound, and whether work goes on.
    private static func judge(_ outcome: Outcome, on layer: FaultyLayer, _ comment: Comment) async throws {
        let vault: Vault
        do { vault = try await Vault.open(in: layer.location, key: .sample) } catch {
            let wasMade = outcome.acknowledged != nil
            #expect(!wasMade, "a vault that was there does not open: \(error); \(comment)")
            let again = try await Vault.create(in: layer.location, key: .sample)
            await again.close()
            return
        }
        let state = try await ScriptedSession.read(vault)
        let isExpected = [outcome.acknowledged ?? [:], outcome.underWay].contains(state)
        #expect(isExpected, "\(state.count) records; \(comment)")
        #expect(try await vault.check().findings == [], comment)
        try await vault.insert("after", in: "x", value: [1])
        #expect(try await vault.record("after", in: "x")?.value == [1], comment)
        await vault.close()
    }

    private static func operationsOfScript() async -> Int {
        let layer = FaultyLayer()
        layer.arm(nil, at: 0)
        let outcome = await run(on: layer)
        #expect(outcome.error == nil)
        return layer.operations
    }

    @Test(.shows("V10"), arguments: [false, true])
    func `a vault that crashes at any write loses nothing that was acknowledged and leaves nothing half-written`(
        _ losesPower: Bool
    ) async throws {
        let operations = await Self.operationsOfScript()
        #expect(operations > 100, "the script writes often enough to be cut off in many places")
        for operation in 1...operations {
            let layer = FaultyLayer()
            layer.arm(.crash, at: operation)
            let outcome = await Self.run(on: layer)
            #expect(layer.hasStruck)
            layer.restart(losesPower: losesPower, seed: operation)
            try await Self.judge(outcome, on: layer, "cut off at operation \(operation)")
        }
    }

    @Test func `a crash during a vault's recovery from a crash loses nothing`() async throws {
        let operations = await Self.operationsOfScript()
        for operation in stride(from: 10, through: operations, by: 17) {
            let layer = FaultyLayer()
            layer.arm(.crash, at: operation)
            let outcome = await Self.run(on: layer)
            for again in 1...4 {
                layer.restart(losesPower: true, seed: operation)
                layer.arm(.crash, at: again)
                if let vault = try? await Vault.open(in: layer.location, key: .sample) { await vault.close() }
            }
            layer.restart(losesPower: true, seed: operation)
            try await Self.judge(outcome, on: layer, "cut off at operation \(operation) and again")
        }
    }

    @Test(.shows("V10"), arguments: [FaultyLayer.Fault.failsOnce, .failsLasting, .full, .quota])
    func `a disk that fails or is full at any vault write is reported, and loses nothing that was acknowledged`(
        _ fault: FaultyLayer.Fault
    ) async throws {
        let operations = await Self.operationsOfScript()
        var codes: Set<VaultError.Code> = []
        for operation in 1...operations {
            let layer = FaultyLayer()
            layer.arm(fault, at: operation)
            let outcome = await Self.run(on: layer)
            if let error = outcome.error { codes.insert(error.code) }
            layer.restart(losesPower: false)
            try await Self.judge(outcome, on: layer, "\(fault) at operation \(operation)")
        }
        #expect(codes == (fault.isLackOfRoom ? [.full] : [.storageFailed]))
    }
}
