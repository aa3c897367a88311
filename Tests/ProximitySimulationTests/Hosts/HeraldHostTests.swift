import Air
import Bluetooth
import Determinism
import Herald
import Testing

@testable import ProximitySimulation

@Suite struct HeraldHostTests {
    private func host(
        _ payload: [UInt8], _ platform: PlatformProfile = PlatformProfile(), seed: UInt64 = 1
    ) throws -> HeraldHost {
        var configuration = HeraldConfiguration()
        configuration.platform = platform
        return HeraldHost(
            try HeraldNode(
                supplier: FixedPayloadSupplier(payload), random: SeededRandom(seed: seed), configuration: configuration
            ))
    }

    private func pair(
        _ one: PlatformProfile, _ two: PlatformProfile, for duration: Duration = .seconds(60)
    ) throws -> (one: [ProximityObservation], two: [ProximityObservation]) {
        var world = SimulatedWorld(seed: 5)
        let first = try #require(try world.add(host([1], one, seed: 1)))
        let second = try #require(try world.add(host([2], two, seed: 2)))
        world.advance(to: .zero + duration)
        func notes(_ device: AirDeviceID) throws -> [ProximityObservation] {
            var host: HeraldHost = try #require(world.host(device))
            var notes: [ProximityObservation] = []
            host.drainNotes(into: &notes)
            return notes
        }
        return (try notes(first), try notes(second))
    }

    private func readings(_ notes: [ProximityObservation]) -> Int {
        notes.count { if case .measured = $0 { true } else { false } }
    }

    private static let platforms: [PlatformProfile] = [PlatformProfile(), .fastRotating, .iPhone, .scannerOnly]

    @Test(arguments: platforms, platforms)
    func `two Herald hosts on the simulated air learn each other's payload and signal strength`(
        _ one: PlatformProfile, _ two: PlatformProfile
    ) throws {
        guard one.canAdvertise || two.canAdvertise else { return }
        let (heard, alsoHeard) = try pair(one, two)
        #expect(heard.contains { if case .identified(_, [2]) = $0 { true } else { false } })
        #expect(alsoHeard.contains { if case .identified(_, [1]) = $0 { true } else { false } })
        #expect(readings(heard) >= 2)
        #expect(readings(alsoHeard) >= 2)
    }
}
