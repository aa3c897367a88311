import Determinism
import Herald
import TestSupport
import Testing

@testable import ProximitySimulation

@Suite struct CrowdTests {
    /// Devices in a row, a metre apart.
    static func row(_ kinds: [CrowdPhoneProfile.Kind], attack: [HeraldAttack] = []) -> CrowdScenario {
        let honest = kinds.enumerated().map { index, kind in
            CrowdScenario.Member(
                CrowdPhoneProfile(kind), DeviceWalk(at: FloorPoint(Double(index % 10), Double(index / 10))))
        }
        let others = attack.enumerated().map { index, kind in
            CrowdScenario.Member(
                CrowdPhoneProfile(.android), DeviceWalk(at: FloorPoint(4.5, Double(index) + 0.5)), attack: kind)
        }
        return CrowdScenario(name: "row", members: honest + others)
    }

    /// Devices and seconds: of the bus and of the hall, which are large, less than `prox simulate` runs.
    @Test(arguments: [
        (BuiltInCrowdScenario.office, 10, TestSize.choose(450, full: 900)),
        (.star, 10, TestSize.choose(450, full: 900)), (.parade, 20, TestSize.choose(450, full: 900)),
        (.bus, 16, TestSize.choose(300, full: 600)), (.crowd500, TestSize.choose(40, full: 60), 300),
    ])
    func `in each scenario all devices detect each other, nearly without gaps or repeated reads`(
        _ builtIn: BuiltInCrowdScenario, devices: Int, seconds: Int
    ) async throws {
        let scenario = builtIn.scenario(devices: devices, seed: 1)
        let figures = try await Crowd(scenario, seed: 1).run(for: .seconds(seconds)).figures
        #expect(figures.pairs > 0)
        #expect(figures.detection >= (builtIn == .crowd500 ? 0.99 : 1))
        #expect(figures.continuity >= 0.995)
        #expect(figures.readsPerIdentity <= 1.02)
        #expect(figures.longestScanGap <= 30)
        #expect(figures.misattributed == 0)
    }

    @Test func `a crowd's digest depends on the seed and not on the number of threads`() async throws {
        let scenario = BuiltInCrowdScenario.crowd500.scenario(devices: 120, seed: 5)
        var alone = Crowd(scenario, seed: 5)
        alone.threads = 1
        var shared = Crowd(scenario, seed: 5)
        shared.threads = 3
        shared.devicesPerThread = 40
        let one = try await alone.run(for: .seconds(30))
        let other = try await shared.run(for: .seconds(30))
        #expect(one.digest == other.digest)
        #expect(one.figures == other.figures)
        #expect(try await Crowd(scenario, seed: 6).run(for: .seconds(30)).digest != one.digest)
    }

    @Test func `fifty slow devices in range detect each other in minutes, with no scan gap of thirty seconds`()
        async throws
    {
        let scenario = BuiltInCrowdScenario.slow50.scenario(devices: 51, seed: 2)
        let figures = try await Crowd(scenario, seed: 2).run(for: .seconds(210)).figures
        #expect(figures.longestScanGap <= 30)
        #expect(figures.pairs == 51 * 50)
        #expect(figures.meanInRange == 50)
        #expect(figures.detection == 1)
        #expect(figures.continuity >= 0.999)
    }

    @Test func `the deployed library's scan schedule leaves gaps that ours does not`() async throws {
        let scenario = Self.row([CrowdPhoneProfile.Kind](repeating: .slow, count: 20))
        let ours = try await Crowd(scenario, seed: 3).run(for: .seconds(300)).figures
        let theirs = try await Crowd(scenario, seed: 3, implementation: .reference).run(for: .seconds(300)).figures
        #expect(theirs.longestScanGap > 30)
        #expect(theirs.longestScanGap > ours.longestScanGap)
        #expect(theirs.continuity < ours.continuity)
    }

    @Test func `a crowd simulation that is cancelled stops`() async throws {
        let scenario = BuiltInCrowdScenario.office.scenario(devices: 10, seed: 1)
        let task = Task { try await Crowd(scenario, seed: 1).run(for: .seconds(1_000_000)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `devices that pass each other in a crowd are detected, and forgotten when out of range`()
        async throws
    {
        let members = [
            CrowdScenario.Member(CrowdPhoneProfile(.android), DeviceWalk(at: FloorPoint(0, 0))),
            CrowdScenario.Member(
                CrowdPhoneProfile(.android),
                DeviceWalk(along: [.init(0, FloorPoint(-60, 1)), .init(200, FloorPoint(60, 1))])),
        ]
        let kept = Kept()
        var crowd = Crowd(CrowdScenario(name: "pass", members: members), seed: 4)
        crowd.onLog = { kept.add($0) }
        let figures = try await crowd.run(for: .seconds(1200)).figures
        #expect(figures.detection == 1)
        let entries = kept.all
        #expect(entries.contains { if case .event(.contactEnded, 1) = $0.content { $0.device == 0 } else { false } })
        #expect(entries.contains { if case .event(.forgotten, 1) = $0.content { $0.device == 0 } else { false } })
        #expect(entries.contains { if case .near(1, _) = $0.content { $0.device == 0 } else { false } })
        #expect(
            entries.contains { if case .distance(1, let metres) = $0.content { metres < 12 } else { false } })
        let instants = entries.filter { if case .event = $0.content { true } else { false } }.map(\.at)
        #expect(instants == instants.sorted())
    }

    private final class Kept: Sendable {
        private let entries = Lock<[CrowdLogEntry]>([])
        func add(_ more: [CrowdLogEntry]) { entries.withLock { $0 += more } }
        var all: [CrowdLogEntry] { entries.withLock { $0 } }
    }

    @Test func `a crowd that does not fit into memory is refused, at the start or when it gathers`() async throws {
        func complaint(_ count: Int, gatheringAt time: Double) async throws -> CrowdScenarioError? {
            let members = (0..<count).map { index in
                let away = FloorPoint(Double(index) * 1000, 0)
                let points =
                    time > 0
                    ? [DeviceWalk.Waypoint(0, away), .init(time, FloorPoint(0, 0))] : [.init(0, FloorPoint(0, 0))]
                return CrowdScenario.Member(CrowdPhoneProfile(.android), DeviceWalk(along: points))
            }
            var crowd = Crowd(CrowdScenario(name: "gathering", members: members), seed: 1)
            crowd.closePairLimit = 90
            do {
                _ = try await crowd.run(for: .seconds(8))
                return nil
            } catch let complaint as CrowdScenarioError {
                return complaint
            }
        }
        #expect(try await complaint(10, gatheringAt: 0) == nil)
        #expect(try await complaint(11, gatheringAt: 0)?.reason.hasPrefix("after 0 s too many") == true)
        #expect(try await complaint(10, gatheringAt: 5) == nil)
        #expect(try await complaint(11, gatheringAt: 5)?.reason.contains("110 pairs, and 90 may be") == true)
    }

    @Test func `in the hall scenario each device has thirty others within fifteen metres`() {
        for count in [100, 500, 10_000] {
            let side = BuiltInCrowdScenario.hallSide(for: count)
            let part = 15 / side
            #expect(abs(Double(count - 1) * part * part * (.pi - part * (8.0 / 3 - part / 2)) - 30) < 0.001)
        }
        #expect(abs(BuiltInCrowdScenario.hallSide(for: 10_000) - 485.4 * 0.99) < 10)
        #expect(abs(BuiltInCrowdScenario.hallSide(for: 2) - 15) < 0.001)
    }

    @Test func `two locked iPhones in a crowd miss each other, and an Android phone between finds both`()
        async throws
    {
        let pair = try await Crowd(Self.row([.locked, .locked]), seed: 3).run(for: .seconds(900)).figures
        #expect(pair.pairs == 2 && pair.detection == 0 && pair.continuity == 0)
        let three = try await Crowd(Self.row([.locked, .android, .locked]), seed: 3).run(for: .seconds(300)).figures
        #expect(three.pairs == 6 && three.detectedPairs >= 4)
    }
}
