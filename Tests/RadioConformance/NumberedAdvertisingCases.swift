import Bluetooth
import Radio

extension RadioConformance {
    static let numberedAdvertisingCases = [
        Case("advertisements with and without a number are heard side by side", needs: [.severalAdvertisements]) {
            bench in
            try require(bench.peripheral.advertisesSeveral, "the radio says that it has one advertisement at a time")
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            try await bench.peripheral.startAdvertising(added, number: 1)
            try await bench.peripheral.startAdvertising(numbered(0xC2), number: 255)
            try await requireHeard(
                [Fixture.service.littleEndian + [0xAA, 0xBB], AddedService.uuid.littleEndian, mark(0xC2)], bench)
        },
        Case("an added service is found by its UUID in an advertisement of its own", needs: [.severalAdvertisements]) {
            bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            try await bench.peripheral.startAdvertising(added, number: 1)
            _ = try await bench.firstReport("the service", services: [AddedService.uuid]) { report in
                report.data.contains(AddedService.uuid.littleEndian) ? true : nil
            }
        },
        Case("an advertisement with a number is replaced without the others", needs: [.severalAdvertisements]) {
            bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            try await bench.peripheral.startAdvertising(numbered(0xC1), number: 1)
            try await bench.peripheral.startAdvertising(added, number: 2)
            try await requireHeard([mark(0xC1)], bench)
            try await bench.peripheral.startAdvertising(numbered(0xC2), number: 1)
            try await requireHeard(
                [Fixture.service.littleEndian + [0xAA, 0xBB], AddedService.uuid.littleEndian, mark(0xC2)], bench)
        },
        Case(
            "advertisements are stopped each alone", needs: [.severalAdvertisements, .separateScanResponse]
        ) { bench in
            try await bench.peripheral.startAdvertising(Fixture.advertisement())
            try await bench.peripheral.startAdvertising(numbered(0xC1), number: 1)
            try await bench.peripheral.startAdvertising(numbered(0xC2), number: 2)
            try await requireHeard([mark(0xC1), mark(0xC2), Fixture.data], bench)
            await bench.peripheral.stopAdvertising(number: 1)
            try await requireSilence(of: [mark(0xC1)], while: [mark(0xC2), Fixture.data], bench)
            await bench.peripheral.stopAdvertising()
            try await requireSilence(of: [mark(0xC1), Fixture.data], while: [mark(0xC2)], bench)
        },
        Case(
            "a connection ends no advertisement with a number, and others connect through it",
            needs: [.severalAdvertisements, .twoCentrals]
        ) { bench in
            guard let otherCentral = bench.otherCentral else { throw ConformanceFailure("there is no other central") }
            try await bench.peripheral.publish(Fixture.services)
            try await bench.peripheral.startAdvertising(added, number: 3)
            let served = Events(bench.peripheral.events)
            // The first one comes again while the other stays.
            var links: [any CentralLink] = []
            for central in [bench.central, otherCentral, bench.central] {
                if links.count == 2 {
                    await links[0].disconnect()
                    _ = try await served.first("the end of the first link") { event in
                        if case .disconnected = event { true } else { nil }
                    }
                }
                links.append(try await central.connect(to: bench.peripheralAddress, timeout: .seconds(20)))
                _ = try await served.first("a connection") { event in
                    if case .connected(let link, _) = event { link } else { nil }
                }
            }
            for link in links { await link.disconnect() }
        },
        Case("stopping an advertisement that is not there does nothing") { bench in
            await bench.peripheral.stopAdvertising(number: 9)
            await bench.peripheral.stopAdvertising()
        },
        Case("an advertisement with a number has at most 31 bytes", needs: [.severalAdvertisements]) { bench in
            let full: [UInt8] = [30, 0xFF] + Fixture.bytes(29)
            try await bench.peripheral.startAdvertising(Advertisement(data: full, scanResponse: []), number: 1)
            try await requireError(.tooLarge, "an advertisement of 32 bytes") { () throws(RadioError) in
                try await bench.peripheral.startAdvertising(
                    Advertisement(data: full + [0], scanResponse: []), number: 1)
            }
        },
        Case("a radio with one advertisement at a time refuses one with a number") { bench in
            guard !bench.peripheral.advertisesSeveral else { return }
            try await requireError(.unsupported, "an advertisement with a number") { () throws(RadioError) in
                try await bench.peripheral.startAdvertising(Fixture.advertisement(), number: 1)
            }
        },
    ]

    private static let added = Advertisement(data: AddedService.data, scanResponse: [], interval: .milliseconds(20))

    /// Service data of a service that only this advertisement names.
    private static func mark(_ byte: UInt8) -> [UInt8] { [0x16, byte, 0xFF, byte, byte] }

    private static func numbered(_ byte: UInt8) -> Advertisement {
        Advertisement(data: [2, 1, 6, 5] + mark(byte), scanResponse: [], interval: .milliseconds(20))
    }

    /// Waits until each of these runs of bytes was in a report of the peripheral.
    private static func requireHeard(_ parts: [[UInt8]], _ bench: Bench) async throws {
        var missing = parts
        _ = try await bench.firstReport("\(parts.count) advertisements") { report in
            missing.removeAll(where: report.data.contains)
            return missing.isEmpty ? true : nil
        }
    }

    /// Waits until ten reports of each of `others` come without one of `parts`; some may come after the end.
    private static func requireSilence(
        of parts: [[UInt8]], while others: [[UInt8]], _ bench: Bench
    ) async throws {
        var counts = [Int](repeating: 0, count: others.count)
        var tries = 0
        _ = try await bench.firstReport("reports without the stopped advertisement") { report in
            tries += 1
            if parts.contains(where: report.data.contains) { counts = counts.map { _ in 0 } }
            for index in others.indices where report.data.contains(others[index]) { counts[index] += 1 }
            return counts.allSatisfy { $0 >= 10 } || tries > 2000 ? true : nil
        }
        try require(tries <= 2000, "reports still come from a stopped advertisement")
    }
}
