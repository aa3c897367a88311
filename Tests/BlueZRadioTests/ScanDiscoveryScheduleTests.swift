import Bluetooth
import Testing

@testable import BlueZRadio

@Suite struct ScanDiscoveryScheduleTests {
    private static func address(_ value: UInt64) -> DeviceAddress { DeviceAddress(value: value, kind: .random) }

    @Test func `a controller that repeats reports of a device needs no new discovery`() {
        var pace = ScanDiscoverySchedule()
        pace.begin()
        for _ in 1..<ScanDiscoverySchedule.repeats { pace.heard(Self.address(1)) }
        #expect(!pace.isRepeating)
        pace.heard(Self.address(1))
        #expect(pace.isRepeating)
    }

    @Test func `devices reported once each do not count as repeated reports`() {
        var pace = ScanDiscoverySchedule()
        pace.begin()
        for value in UInt64(1)...1000 { pace.heard(Self.address(value)) }
        #expect(!pace.isRepeating)
    }

    @Test func `repeated reports are counted anew in each discovery`() {
        var pace = ScanDiscoverySchedule()
        for _ in 1...3 {
            pace.begin()
            for _ in 1..<ScanDiscoverySchedule.repeats { pace.heard(Self.address(7)) }
            #expect(!pace.isRepeating)
        }
        pace.heard(Self.address(7))
        #expect(pace.isRepeating)
        pace.begin()
        #expect(!pace.isRepeating)
    }

    @Test func `a discovery counts as silent until a device is heard in it`() {
        var pace = ScanDiscoverySchedule()
        pace.begin()
        #expect(pace.isSilent)
        pace.heard(Self.address(1))
        #expect(!pace.isSilent)
        pace.begin()
        #expect(pace.isSilent)
    }

    @Test func `a discovery is restarted before the kernel would end it`() {
        #expect(ScanDiscoverySchedule.silent < ScanDiscoverySchedule.least)
        #expect(ScanDiscoverySchedule.least < ScanDiscoverySchedule.most)
        #expect(ScanDiscoverySchedule.most < .milliseconds(10_240))
    }
}
