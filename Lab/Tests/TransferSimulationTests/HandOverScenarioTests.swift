import Air
import Bluetooth
import Determinism
import Testing
import TransferSimulation
import Tuvali

@Suite struct HandOverScenarioTests {
    static func noise(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 4)
        return random.bytes(count: count)
    }

    @Test(arguments: LinkParameters.named.map(\.name), WireProfile.allCases)
    func `a credential crosses every named link in virtual time`(name: String, profile: WireProfile) throws {
        var scenario = HandOverScenario(seed: 1, payload: Self.noise(60_000))
        scenario.conditions.link = LinkParameters.named.first { $0.name == name }?.parameters
        scenario.profile = profile
        let result = try scenario.run()
        #expect(result.outcome == .quiet)
        #expect(result.received == scenario.payload)
        #expect(result.wallet.endings == [.completed(.accepted)])
        #expect(result.verifier.endings == [.completed(.accepted)])
        // Virtual time: the figures are the same on every machine.
        let link = try #require(scenario.conditions.link)
        let timing = try #require(HandOverTiming(result))
        #expect(timing.setupIntervals(on: link) < 13)
        #expect(timing.limitShare(on: link) > 0.93)
    }

    @Test func `one simulation seed gives one trace, and another seed another one`() throws {
        var scenario = HandOverScenario(seed: 3, payload: Self.noise(5000))
        scenario.conditions.writeCommandDropShare = 0.2
        let digests = try (0..<2).map { _ in try scenario.run().trace.digest }
        #expect(digests[0] == digests[1])
        scenario.seed = 4
        #expect(try scenario.run().trace.digest != digests[0])
    }

    @Test(arguments: 1...20)
    func `dropped write commands and lost packets delay a credential but never change it`(seed: UInt64) throws {
        var scenario = HandOverScenario(seed: seed, payload: Self.noise(40_000))
        scenario.conditions.writeCommandDropShare = Double(seed) * 0.02
        scenario.conditions.packetLossShare = 0.1
        let result = try scenario.run(trace: nil)
        #expect(result.received == scenario.payload)
        #expect(result.wallet.endings == [.completed(.accepted)])
        #expect(result.verifier.endings == [.completed(.accepted)])
    }

    @Test(arguments: [(67, true), (66, false), (23, false)])
    func `a verifier is served with an ATT MTU of 67, and a smaller one is refused with the documented code`(
        mtu: Int, isServed: Bool
    ) throws {
        var scenario = HandOverScenario(seed: 1, payload: Self.noise(500))
        scenario.verifierMTU = mtu
        let result = try scenario.run()
        #expect((result.received == scenario.payload) == isServed)
        if !isServed {
            #expect(result.wallet.endings == [.failed(TuvaliError(.walletMTUTooSmall, ""))])
        }
    }

    @Test(arguments: [50, 700, 1300])
    func `a credential of up to three chunks survives any loss of write commands`(count: Int) throws {
        for seed in UInt64(1)...20 {
            var scenario = HandOverScenario(seed: seed, payload: Self.noise(count))
            scenario.conditions.writeCommandDropShare = 0.9
            #expect(try scenario.run(trace: nil).wallet.endings == [.completed(.accepted)])
        }
    }
}
