import Determinism
import Foundation
import TestSupport
import Testing
import TransferSimulation
import Tuvali

@Suite struct FaultPlanTests {
    @Test func `the fault plan of a seed is printed and read back`() throws {
        for seed in 0..<2000 as Range<UInt64> {
            let plan = FaultPlan(generatedFrom: seed)
            let line = plan.description
            #expect(!line.contains("\n"))
            #expect(try FaultPlan(parsing: line) == plan)
        }
    }

    @Test func `a seed alone means its drawn fault plan, and with a payload only the listed faults`() throws {
        #expect(try FaultPlan(parsing: "seed=77") == FaultPlan(generatedFrom: 77))
        #expect(try FaultPlan(parsing: "seed=77 payload=9").faults.isEmpty)
        #expect(try FaultPlan(parsing: " seed=5\tduplicate:10@0+99/wallet ").faults.count == 1)
    }

    @Test func `two thousand seeds draw every kind of fault on every side that it applies to`() {
        let drawn = Set(
            (0..<2000).flatMap { seed in
                FaultPlan(generatedFrom: UInt64(seed)).faults.map { "\($0.kind.rawValue)/\($0.side.rawValue)" }
            })
        for kind in FaultKind.allCases {
            for side in kind.meaning.sides { #expect(drawn.contains("\(kind.rawValue)/\(side.rawValue)")) }
        }
        #expect(FaultKind.allCases.count >= 30)
    }

    @Test(arguments: [
        "", "payload=5", "seed=x", "seed=-1", "seed=18446744073709551616", "seed=1 seed=2", "seed=1 payload=0",
        "seed=1 payload=1000001", "seed=1 link=phone-9", "seed=1 profile=tuvali-1", "seed=1 colour=red",
        "seed=1 duplicate", "seed=1 duplicate:1@0+5", "seed=1 duplicate:1@0+5/air", "seed=1 duplicate:1@0/wallet",
        "seed=1 nothing:1@0+5/wallet", "seed=1 duplicate:-1@0+5/wallet", "seed=1 duplicate:1@10000001+5/wallet",
        "seed=1 rejected:1@0+0/wallet",
    ]) func `a malformed fault plan is refused`(line: String) {
        #expect(throws: FaultPlan.Malformation.self) { try FaultPlan(parsing: line) }
    }

    @Test(arguments: [(FaultPlan.maximumFaults, true), (FaultPlan.maximumFaults + 1, false)])
    func `a fault plan has at most 64 faults`(count: Int, isPlan: Bool) {
        let line = "seed=1" + String(repeating: " duplicate:1@0+5/wallet", count: count)
        #expect(((try? FaultPlan(parsing: line)) != nil) == isPlan)
    }

    @Test(arguments: [(1, true), (FaultPlan.maximumPayloadBytes, true), (FaultPlan.maximumPayloadBytes + 1, false)])
    func `a fault plan's payload has at most 1,000,000 bytes`(bytes: Int, isPlan: Bool) {
        #expect(((try? FaultPlan(parsing: "seed=1 payload=\(bytes)")) != nil) == isPlan)
    }

    @Test func `a fault plan is quiet once its last fault has no effect any more`() {
        let plan = FaultPlan(
            seed: 1,
            faults: [
                PlannedFault(.delay, on: .wallet, level: 500, from: 100, lasting: 1000),
                PlannedFault(.writeLoss, on: .verifier, level: 900, from: 1000, lasting: 400),
                PlannedFault(.userSlow, on: .wallet, level: 60_000),
            ])
        #expect(plan.quietAfter == MonotonicInstant(nanoseconds: 1_600_000_000))
    }

    @Test func `a fault cut short is refused, and a plan cut short keeps the faults that are whole`() throws {
        let fault = Array("duplicate:10@0+99/wallet".utf8)
        let readFault = { (bytes: [UInt8]) in PlannedFault(parsing: String(decoding: bytes, as: UTF8.self)) }
        #expect(DecoderVerifier.acceptedTruncations(of: fault, by: readFault) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: fault, by: readFault) == [])
        let plan = Array("seed=5 payload=9 duplicate:10@0+99/wallet".utf8)
        let readPlan = { (bytes: [UInt8]) in try FaultPlan(parsing: String(decoding: bytes, as: UTF8.self)) }
        #expect(DecoderVerifier.acceptedTruncations(of: plan, by: readPlan) == [6, 7, 16, 17])
        #expect(DecoderVerifier.acceptedExtensions(of: plan, by: readPlan) == [])
    }
}

/// The manual's page, as far as the code can hold it to its word.
@Suite struct SimulationManualTests {
    static func page() throws -> String {
        try String(
            contentsOf: OutsideVectors.packageRoot.appending(path: "Documentation/Manual/Simulation.md"),
            encoding: .utf8)
    }

    @Test(arguments: FaultKind.allCases) func `the manual lists each kind of fault with its numbers`(kind: FaultKind)
        throws
    {
        let meaning = kind.meaning
        let sides = meaning.sides.map(\.rawValue).joined(separator: ", ")
        let levels = "\(meaning.levels.lowerBound) to \(meaning.levels.upperBound)"
        let row =
            "| `\(kind.rawValue)` | \(meaning.unit.rawValue) | \(levels) | \(sides) | \(meaning.lasts ? "yes" : "no") | "
            + "\(meaning.sentence) |"
        #expect(try Self.page().contains(row))
    }

    @Test(arguments: HandOverRule.allCases) func `the manual lists each rule of the simulation`(rule: HandOverRule)
        throws
    {
        #expect(try Self.page().contains("| `\(rule.rawValue)` |"))
    }
}
