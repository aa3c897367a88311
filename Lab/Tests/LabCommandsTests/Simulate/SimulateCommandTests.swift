import Air
import Bluetooth
import CommandTestSupport
import Determinism
import Foundation
import Testing
import TransferSimulation
import Tuvali

@testable import CommandProgram
@testable import LabCommands

/// A verifier that forgets to send anything.
private struct SilentVerifier: ObservedHost {
    var sound: SimulatedVerifier

    var nextDeadline: MonotonicInstant? { sound.nextDeadline }
    var endings: [SessionEnding] { sound.endings }
    var eventsAfterEnd: Int { sound.eventsAfterEnd }
    var deliveries: [[UInt8]] { sound.deliveries }
    var stageNames: [String] { sound.stageNames }
    var codes: [TuvaliError.Code] { sound.codes }
    var holdsSecrets: Bool { sound.holdsSecrets }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sound.start(as: address, at: now, into: &commands)
    }
    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var said: [AirCommand] = []
        sound.handle(event, at: now, into: &said)
        commands += said.filter { if case .send = $0 { false } else { true } }
    }
    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sound.wake(at: now, into: &commands)
    }
    mutating func radioFailed(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sound.radioFailed(at: now, into: &commands)
    }
}

@Suite struct SimulateCommandTests {
    private func objects(_ run: CommandRun) throws -> [[String: Any]] {
        try run.lines.map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `sim run with one seed prints its plan, its verdict and its digest, the same each time`() async throws {
        let run = await CommandRun.lab(["sim", "run", "--seed", "7"])
        #expect(run.status == 0)
        #expect(run.lines.first == FaultPlan(generatedFrom: 7).description)
        #expect(run.lines.last?.hasPrefix("  digest=") == true)
        #expect(await CommandRun.lab(["sim", "run", "--seed", "7"]).output == run.output)
        #expect(await CommandRun.lab(["sim", "run", "--seed", "8"]).output != run.output)
    }

    @Test func `the plan that sim run prints can be replayed, as one argument or as words`() async throws {
        let printed = await CommandRun.lab(["sim", "run", "--seed", "21"])
        let plan = try #require(printed.lines.first)
        #expect(await CommandRun.lab(["sim", "replay", plan]).output == printed.output)
        let words = plan.split(separator: " ").map(String.init)
        #expect(await CommandRun.lab(["sim", "replay"] + words).output == printed.output)
        #expect(await CommandRun.lab(["sim", "replay", "seed=21"]).output == printed.output)
    }

    @Test func `sim replay lists the events on the air on request`() async throws {
        let plain = await CommandRun.lab(["sim", "replay", "seed=21"])
        let traced = await CommandRun.lab(["sim", "replay", "--trace", "seed=21"])
        #expect(traced.lines.count > 20)
        #expect(traced.lines.contains { $0.contains("advertise") })
        #expect(traced.lines.suffix(plain.lines.count) == plain.lines[...])
    }

    @Test func `sim run with many seeds prints one line, and with --json one object`() async throws {
        let run = await CommandRun.lab(["sim", "run", "--seed", "1", "--count", "3", "--json"])
        #expect(run.status == 0)
        let line = try #require(try objects(run).first)
        #expect(line["schema"] as? String == "symbolon.sim")
        #expect(line["count"] as? Int == 3)
        #expect(line["failed"] as? Int == 0)
        #expect((line["digest"] as? String)?.count == 16)
        let words = await CommandRun.lab(["sim", "run", "--count", "3"])
        #expect(words.lines.first?.hasPrefix("3 hand-overs from seed 1: ") == true)
    }

    @Test func `sim run with one seed and --json prints the plan and both endings`() async throws {
        let run = await CommandRun.lab(["sim", "replay", "seed=1 payload=50 rejected:1@0+0/verifier", "--json"])
        let line = try #require(try objects(run).first)
        #expect(line["wallet"] as? String == "rejected")
        #expect(line["verifier"] as? String == "rejected")
        #expect((line["broken"] as? [Any])?.isEmpty == true)
        #expect(
            line["plan"] as? String == "seed=1 payload=50 link=phone-5 profile=tuvali-0.5 rejected:1@0+0/verifier")
    }

    @Test func `sim run --coverage fails with sim.not-visited when the seeds leave a stage unvisited`() async throws {
        let run = await CommandRun.lab(["sim", "run", "--count", "2", "--coverage"])
        #expect(run.status == 10)
        #expect(run.code == "sim.not-visited")
    }

    @Test func `a malformed fault plan fails with sim.plan-malformed`() async throws {
        let run = await CommandRun.lab(["sim", "replay", "seed=1", "colour=red"])
        #expect(run.status == 10)
        #expect(run.code == "sim.plan-malformed")
        #expect(await CommandRun.lab(["sim", "replay"]).status == 2)
    }

    @Test func `a simulated transfer that breaks a rule fails with sim.rule-broken`() throws {
        var trial = HandOverTrial(
            FaultPlan(seed: 1, payloadBytes: 10), wallet: { $0 }, verifier: { SilentVerifier(sound: $0) })
        let verdict = try trial.run()
        #expect(!verdict.isRight)
        #expect(throws: LabError(.simulationRuleBroken, "")) {
            try SimulationOutput.judge([verdict], count: 1)
        }
        try SimulationOutput.judge([], count: 0)
    }

    @Test func `sim requests prints the steps of each hand-over, the same each time`() async throws {
        let arguments = ["sim", "requests", "--seed", "1", "--count", "12"]
        let run = await CommandRun.lab(arguments)
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.lines.count == 12)
        #expect(run.lines.contains { $0.contains("wRequest ") && $0.contains("vTakes") })
        #expect(run.lines.contains { $0.contains("wRefusesRequest('request.wrong-channel)") })
        #expect(await CommandRun.lab(arguments).output == run.output)
    }

    @Test func `sim shrink leaves a plan unchanged that breaks no rule`() async throws {
        let run = await CommandRun.lab(["sim", "shrink", "seed=21"])
        #expect(run.status == 0)
        #expect(run.lines.first == FaultPlan(generatedFrom: 21).description)
    }
}
