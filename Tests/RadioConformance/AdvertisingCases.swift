import Bluetooth
import Radio

extension RadioConformance {
    static let advertisingCases = [
        Case("an advertisement arrives with its service data") { bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            _ = try await bench.firstReport("the advertisement") { report in
                let fields = [5, 0x16, 0x10, 0xFF, 0xAA, 0xBB] as [UInt8]
                return report.kind == .connectable && report.data.contains(fields) ? true : nil
            }
        },
        Case("a scan response arrives as a report of its own", needs: [.separateScanResponse]) { bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            let data = try await bench.firstReport("the scan response") { $0.kind == .scanResponse ? $0.data : nil }
            try requireEqual(data, Fixture.scanResponse, "the scan response")
        },
        Case("duplicates are delivered") { bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            var count = 0
            _ = try await bench.firstReport("the fifth report") { report in
                if report.kind != .scanResponse { count += 1 }
                return count == 5 ? true : nil
            }
        },
        Case("a filter that the advertisement meets passes the scan response too", needs: [.separateScanResponse]) {
            bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            _ = try await bench.firstReport("the scan response", services: [Fixture.service]) {
                $0.kind == .scanResponse ? true : nil
            }
        },
        Case("a filter that only the scan response meets passes the advertisement too", needs: [.separateScanResponse])
        {
            bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            _ = try await bench.firstReport("the advertisement", services: [Fixture.otherService]) {
                $0.kind == .connectable && $0.data == Fixture.data ? true : nil
            }
        },
        Case("a filter that a device does not meet keeps it out") { bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            let filtered = try await bench.central.scan(services: [Fixture.absentService])
            var heard = 0
            _ = try await bench.firstReport("ten reports") { _ in
                heard += 1
                return heard == 10 ? true : nil
            }
            try require(try await !isHeard(bench.peripheralAddress, in: filtered), "a report passed the filter")
        },
        Case("a replaced advertisement is heard with its new data") { bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            let changed: [UInt8] = [2, 1, 6, 5, 0x16, 0x10, 0xFF, 0xCC, 0xDD]
            _ = try await bench.firstReport("the first data") { $0.data == changed ? nil : true }
            try await bench.peripheral.startAdvertising(Fixture.advertisement(data: changed))
            _ = try await bench.firstReport("the new data") { report in
                report.data.contains([5, 0x16, 0x10, 0xFF, 0xCC, 0xDD]) ? true : nil
            }
        },
        Case("a stopped advertisement is heard no more and cannot be connected to") { bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            _ = try await bench.firstReport("the advertisement") { _ in true }
            await bench.peripheral.stopAdvertising()
            try await requireSilence(of: bench)
            try await requireError(.connectTimeout, "a connect to a silent device") { () throws(RadioError) in
                _ = try await bench.central.connect(to: bench.peripheralAddress, timeout: .milliseconds(200))
            }
        },
        Case("31 bytes can be advertised and 32 cannot") { bench in
            let full: [UInt8] = [30, 0xFF] + Fixture.bytes(29)
            try await bench.peripheral.startAdvertising(Advertisement(data: full, scanResponse: full))
            try await requireError(.tooLarge, "an advertisement of 32 bytes") { () throws(RadioError) in
                try await bench.peripheral.startAdvertising(Advertisement(data: full + [0], scanResponse: []))
            }
            try await requireError(.tooLarge, "a scan response of 32 bytes") { () throws(RadioError) in
                try await bench.peripheral.startAdvertising(Advertisement(data: [], scanResponse: full + [0]))
            }
        },
    ]

    /// Waits until the central receives no reports of the peripheral; some may arrive after it has stopped.
    private static func requireSilence(of bench: Bench) async throws {
        for _ in 0..<20 {
            let stream = try await bench.central.scan(services: [])
            if try await !isHeard(bench.peripheralAddress, in: stream) { return }
        }
        throw ConformanceFailure("reports still come from a device that stopped advertising")
    }

    /// Returns true when a report of `address` arrives within 300 ms.
    private static func isHeard(
        _ address: DeviceAddress, in stream: AsyncThrowingStream<AdvertisementReport, any Error>
    ) async throws -> Bool {
        let heard = Task {
            for try await report in stream where report.address == address { return true }
            return false
        }
        try await Task.sleep(for: .milliseconds(300))
        heard.cancel()
        return try await heard.value
    }
}

extension [UInt8] {
    func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
