import Air
import Bluetooth
import Determinism
import Testing
import TransferSimulation
import Tuvali

/// An end of a hand-over with a defect of one kind; the cores themselves have none of them.
protocol FlawedHost: ObservedHost {
    associatedtype Sound: ObservedHost
    var sound: Sound { get set }
}

extension FlawedHost {
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
        sound.handle(event, at: now, into: &commands)
    }
    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sound.wake(at: now, into: &commands)
    }
    mutating func radioFailed(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sound.radioFailed(at: now, into: &commands)
    }
}

extension AirCommand {
    /// Returns true when the command sends a Tuvali transfer report of `type` (0: missing, 1: success).
    func isReport(_ type: UInt8, success length: Int = 3) -> Bool {
        guard case .send(_, let frame) = self, frame.count >= 7 + length, frame[4] == 0x1B else { return false }
        return frame[7] == type && frame.count == 7 + length
    }
}

/// Forgets to send the report of success.
struct ReportLoser: FlawedHost {
    var sound: SimulatedVerifier

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var said: [AirCommand] = []
        sound.handle(event, at: now, into: &said)
        commands += said.filter { !$0.isReport(1) }
    }
}

/// Delivers again when it is asked for a second report after the delivery.
struct TwiceDeliverer: FlawedHost {
    var sound: SimulatedVerifier
    private var reports = 0

    init(sound: SimulatedVerifier) { self.sound = sound }

    var deliveries: [[UInt8]] { reports > 1 ? sound.deliveries + sound.deliveries : sound.deliveries }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        let count = commands.count
        sound.handle(event, at: now, into: &commands)
        reports += commands[count...].count { $0.isReport(1) }
    }
}

/// Sets no timer while it waits to ask for a report again.
struct TimerForgetter: FlawedHost {
    var sound: SimulatedWallet

    var nextDeadline: MonotonicInstant? { sound.session.stage == .waitingToRequestReport ? nil : sound.nextDeadline }
}

@Suite struct PlantedBugTests {
    /// The most seeds that are tried.
    static let seedLimit: UInt64 = 2000

    /// The first seed up to the limit whose plan shows the defect, and the rule it breaks.
    static func find(_ run: (FaultPlan) throws -> HandOverVerdict) rethrows -> (seed: UInt64, rule: HandOverRule)? {
        for seed in 1...seedLimit {
            if let violation = try run(FaultPlan(generatedFrom: seed)).violations.first {
                return (seed, violation.rule)
            }
        }
        return nil
    }

    @Test func `the simulation finds a planted verifier that loses its report`() throws {
        let found = try Self.find { plan in
            var trial = HandOverTrial(plan, wallet: { $0 }, verifier: { ReportLoser(sound: $0) })
            return try trial.run()
        }
        let (seed, rule) = try #require(found)
        #expect(rule == .freshCompletes || rule == .tolerableCompletes)
        print("a lost report: seed \(seed), \(rule.rawValue)")
    }

    @Test func `the simulation finds a planted verifier that delivers twice`() throws {
        let found = try Self.find { plan in
            var trial = HandOverTrial(plan, wallet: { $0 }, verifier: { TwiceDeliverer(sound: $0) })
            return try trial.run()
        }
        let (seed, rule) = try #require(found)
        #expect(rule == .deliveredOnce)
        print("a double delivery: seed \(seed), \(rule.rawValue)")
    }

    @Test func `the simulation finds a planted wallet without a deadline`() throws {
        let found = try Self.find { plan in
            var trial = HandOverTrial(plan, wallet: { TimerForgetter(sound: $0) }, verifier: { $0 })
            return try trial.run()
        }
        let (seed, rule) = try #require(found)
        #expect(rule == .deadlineHeld)
        print("a missing deadline: seed \(seed), \(rule.rawValue)")
    }

    @Test func `a fault plan that finds a defect shrinks to the faults that the defect needs`() throws {
        func verdict(_ plan: FaultPlan) throws -> HandOverVerdict {
            var trial = HandOverTrial(plan, wallet: { TimerForgetter(sound: $0) }, verifier: { $0 })
            return try trial.run()
        }
        let plan = FaultPlan(
            seed: 3, payloadBytes: 3000, link: "ideal-1m", profile: .tuvali04,
            faults: [
                PlannedFault(.duplicate, on: .wallet, level: 5, lasting: 900), PlannedFault(.rejected, on: .verifier),
                PlannedFault(.reportRefused, on: .verifier, level: 700, lasting: 20_000),
                PlannedFault(.userSlow, on: .verifier, level: 60_000),
            ])
        let rule = try #require(try verdict(plan).violations.first?.rule)
        var shrinker = FaultPlanShrinker(plan) { smaller in
            (try? verdict(smaller))?.violations.contains { $0.rule == rule } ?? false
        }
        let smallest = shrinker.run()
        #expect(try verdict(smallest).violations.contains { $0.rule == rule })
        #expect(smallest.faults.count < plan.faults.count)
        #expect(smallest.payloadBytes == 1)
        #expect(smallest.link == "phone-5")
        #expect(shrinker.attempts <= FaultPlanShrinker.attemptLimit)
        var again = FaultPlanShrinker(smallest) { _ in false }
        #expect(again.run() == smallest)
    }
}
