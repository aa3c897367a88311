import Bluetooth
import Testing

@testable import BlueZRadio

@Suite struct DiscoveryPaceTests {
    private static func address(_ value: UInt64) -> DeviceAddress { DeviceAddress(value: value, kind: .random) }

    @Test func `a controller that reports a device again and again needs no new discovery`() {
        var pace = DiscoveryPace()
        pace.begin()
        for _ in 1..<DiscoveryPace.repeats { pace.heard(Self.address(1)) }
        #expect(!pace.isRepeating)
        pace.heard(Self.address(1))
        #expect(pace.isRepeating)
    }

    @Test func `devices that are reported once are no repetition`() {
        var pace = DiscoveryPace()
        pace.begin()
        for value in UInt64(1)...1000 { pace.heard(Self.address(value)) }
        #expect(!pace.isRepeating)
    }

    @Test func `each discovery counts anew`() {
        var pace = DiscoveryPace()
        for _ in 1...3 {
            pace.begin()
            for _ in 1..<DiscoveryPace.repeats { pace.heard(Self.address(7)) }
            #expect(!pace.isRepeating)
        }
        pace.heard(Self.address(7))
        #expect(pace.isRepeating)
        pace.begin()
        #expect(!pace.isRepeating)
    }

    @Test func `a discovery is silent until something is heard in it`() {
        var pace = DiscoveryPace()
        pace.begin()
        #expect(pace.isSilent)
        pace.heard(Self.address(1))
        #expect(!pace.isSilent)
        pace.begin()
        #expect(pace.isSilent)
    }

    @Test func `a discovery ends before the kernel ends it`() {
        #expect(DiscoveryPace.silent < DiscoveryPace.least)
        #expect(DiscoveryPace.least < DiscoveryPace.most)
        #expect(DiscoveryPace.most < .milliseconds(10_240))
    }
}
