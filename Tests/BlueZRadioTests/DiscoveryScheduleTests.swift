import Bluetooth
import Testing

@testable import BlueZRadio

@Suite struct DiscoveryScheduleTests {
    private static func address(_ value: UInt64) -> DeviceAddress { DeviceAddress(value: value, kind: .random) }

    @Test func `a controller that reports a device again and again needs no new discovery`() {
        var pace = DiscoverySchedule()
        pace.begin()
        for _ in 1..<DiscoverySchedule.repeats { pace.heard(Self.address(1)) }
        #expect(!pace.isRepeating)
        pace.heard(Self.address(1))
        #expect(pace.isRepeating)
    }

    @Test func `devices that are reported once are no repetition`() {
        var pace = DiscoverySchedule()
        pace.begin()
        for value in UInt64(1)...1000 { pace.heard(Self.address(value)) }
        #expect(!pace.isRepeating)
    }

    @Test func `each discovery counts anew`() {
        var pace = DiscoverySchedule()
        for _ in 1...3 {
            pace.begin()
            for _ in 1..<DiscoverySchedule.repeats { pace.heard(Self.address(7)) }
            #expect(!pace.isRepeating)
        }
        pace.heard(Self.address(7))
        #expect(pace.isRepeating)
        pace.begin()
        #expect(!pace.isRepeating)
    }

    @Test func `a discovery is silent until something is heard in it`() {
        var pace = DiscoverySchedule()
        pace.begin()
        #expect(pace.isSilent)
        pace.heard(Self.address(1))
        #expect(!pace.isSilent)
        pace.begin()
        #expect(pace.isSilent)
    }

    @Test func `a discovery ends before the kernel ends it`() {
        #expect(DiscoverySchedule.silent < DiscoverySchedule.least)
        #expect(DiscoverySchedule.least < DiscoverySchedule.most)
        #expect(DiscoverySchedule.most < .milliseconds(10_240))
    }
}
