import Bluetooth
import ByteCoding
import Determinism
import Foundation
import TestSupport
import Testing

/// The advertisements in `Vectors/captures`, which programs that are not ours recorded.
@Suite struct PacketCaptureTests {
    /// A capture and what must come out of it: an advertisement as kind, address, bytes, parts and whether it is cut
    /// off.
    struct Expected: Sendable, CustomStringConvertible {
        let file: String
        let advertisements: [String]
        var omissions: [CaptureOmission: Int] = [:]

        var description: String { file }
    }

    private static let host: [CaptureOmission: Int] = [.command: 16, .event(code: 0x0E): 16]
    private static let air: [CaptureOmission: Int] = [
        .scanRequest: 1, .connectRequest: 1, .pointer: 1, .damaged: 1, .dataPDU: 1,
    ]
    private static let sniffed = [
        "connectable C1:02:03:04:05:06 31", "scanResponse C1:02:03:04:05:06 4", "broadcast C1:02:03:04:05:06 17",
        "connectable C1:02:03:04:05:06 600 in 3", "broadcast C1:02:03:04:05:06 200 in 1 cut off",
    ]

    static let expected = [
        Expected(
            file: "bumble-legacy.btsnoop",
            advertisements: ["connectable F0:F1:F2:F3:F4:F5 31", "scanResponse F0:F1:F2:F3:F4:F5 31"], omissions: host),
        Expected(file: "bumble-extended.btsnoop", advertisements: twice("200 in 1"), omissions: host),
        Expected(file: "bumble-chained.btsnoop", advertisements: twice("250 in 3"), omissions: host),
        Expected(file: "bumble-truncated.btsnoop", advertisements: twice("200 in 2 cut off"), omissions: host),
        Expected(file: "bumble-unfinished.btsnoop", advertisements: twice("200 in 2 cut off"), omissions: host),
        Expected(
            file: "btvirt-extended.btsnoop",
            advertisements: [
                "connectable 00:AA:01:00:00:00 22", "scanResponse 00:AA:01:00:00:00 31",
                "connectable 00:AA:01:00:00:00 22",
            ], omissions: [.remark: 4, .command: 1, .event(code: 0x0E): 1]),
        Expected(
            file: "host-201.pcapng", advertisements: twice("200 in 1"),
            omissions: host.merging([.linkType(1): 1]) { $1 }),
        Expected(file: "sniffer-251.pcap", advertisements: sniffed, omissions: air),
        Expected(file: "sniffer-256.pcap", advertisements: sniffed, omissions: air),
        Expected(file: "sniffer-272.pcapng", advertisements: sniffed, omissions: air),
        Expected(file: "sniffer-272-version-3.pcapng", advertisements: sniffed, omissions: air),
    ]

    /// Bumble reports the scan response with the data of the advertisement.
    private static func twice(_ data: String) -> [String] {
        (0..<2).flatMap { _ in ["connectable", "scanResponse"] }.map { "\($0) F0:F1:F2:F3:F4:F5 \(data)" }
    }

    static func bytes(of file: String) throws -> [UInt8] {
        let url = OutsideVectors.packageRoot.appending(path: "Vectors/captures/\(file)")
        return Array(try Data(contentsOf: url))
    }

    private static func words(_ event: CaptureEvent) -> String {
        func address(_ address: DeviceAddress?) -> String { address.map(\.description) ?? "unknown" }
        switch event.content {
        case .advertisement(let report): return "\(report.kind) \(address(report.address)) \(report.data.count)"
        case .extendedAdvertisement(let whole):
            return "\(whole.kind) \(address(whole.address)) \(whole.data.count) in \(whole.partCount)"
                + (whole.isTruncated ? " cut off" : "")
        case let other: return "\(other)"
        }
    }

    private static func read(_ bytes: [UInt8]) throws -> (words: [String], omissions: [CaptureOmission: Int]) {
        let capture = try PacketCapture(parsing: bytes)
        #expect(capture.problem == nil)
        var decoder = CaptureDecoder()
        var events = capture.records.flatMap { decoder.events(of: $0) }
        events += decoder.finish()
        return (events.map(words).sorted(), decoder.omissions)
    }

    @Test(arguments: expected)
    func `every advertisement in a capture of another program is decoded, and none is invented`(
        expected: Expected
    ) throws {
        let (words, omissions) = try Self.read(Self.bytes(of: expected.file))
        #expect(words == expected.advertisements.sorted())
        #expect(omissions == expected.omissions)
    }

    @Test func `the parts of an extended advertisement give its data in their order`() throws {
        let capture = try PacketCapture(parsing: Self.bytes(of: "sniffer-256.pcap"))
        var decoder = CaptureDecoder()
        let whole = capture.records.flatMap { decoder.events(of: $0) }.compactMap { event in
            if case .extendedAdvertisement(let whole) = event.content { whole } else { nil }
        }
        let advertisement = try #require(whole.first)
        #expect(AdvertisingData(parsing: advertisement.data).problem == nil)
        #expect(advertisement.setID == 3 && advertisement.rssi == -61 && advertisement.transmitPower == -8)
    }

    @Test func `the times of a capture are microseconds since 1970 in every format and order of bytes`() throws {
        for file in ["sniffer-251.pcap", "sniffer-256.pcap", "sniffer-272.pcapng", "sniffer-272-version-3.pcapng"] {
            let records = try PacketCapture(parsing: Self.bytes(of: file)).records
            #expect(
                records.map(\.microsecondsSinceEpoch) == (0..<12).map { 1_700_000_000_000_000 + $0 * 1000 }, "\(file)")
        }
    }

    @Test func `a capture of an unsupported link type is refused with its number, and one of no known format too`()
        throws
    {
        let ethernet = try Self.bytes(of: "ethernet.pcap")
        let error = #expect(throws: BluetoothFormatError.self) { try PacketCapture(parsing: ethernet) }
        #expect(error?.code == .captureOfOtherLink && error?.reason.hasPrefix("link type 1;") == true)
        #expect(throws: BluetoothFormatError(.notACapture, "")) { try PacketCapture(parsing: Array("PK".utf8)) }
        #expect(throws: BluetoothFormatError(.notACapture, "")) {
            try PacketCapture(parsing: Array(ethernet.prefix(23)))
        }
    }

    @Test(arguments: expected)
    func `a capture cut short anywhere gives the records that are whole, and says so`(expected: Expected) throws {
        let bytes = try Self.bytes(of: expected.file)
        let whole = try PacketCapture(parsing: bytes).records
        for count in stride(from: 28, to: bytes.count, by: 7) {
            guard let cut = try? PacketCapture(parsing: Array(bytes.prefix(count))) else { continue }
            #expect(whole.starts(with: cut.records))
            #expect(cut.records.count < whole.count || cut.problem != nil || count > bytes.count - 80)
        }
    }

    @Test func `a capture of the allowed number of records is read, and one more is reported`() throws {
        for file in ["sniffer-251.pcap", "sniffer-272.pcapng", "bumble-legacy.btsnoop"] {
            let bytes = try Self.bytes(of: file)
            let count = try PacketCapture(parsing: bytes).records.count
            #expect(try PacketCapture(parsing: bytes, limit: count).problem == nil)
            let cut = try PacketCapture(parsing: bytes, limit: count - 1)
            #expect(cut.problem == .tooManyRecords && cut.records.count == count - 1)
        }
    }

    @Test func `damaged packet captures are read without a trap`() throws {
        var random = SeededRandom(seed: 11)
        for expected in Self.expected {
            let bytes = try Self.bytes(of: expected.file)
            for _ in 0..<200 {
                var damaged = bytes
                for _ in 0..<random.within(1...6) {
                    damaged[random.within(8...bytes.count - 1)] = random.bytes(count: 1)[0]
                }
                guard let capture = try? PacketCapture(parsing: damaged) else { continue }
                var decoder = CaptureDecoder()
                let events = capture.records.flatMap { decoder.events(of: $0) }
                #expect(events.count + decoder.finish().count <= bytes.count)
            }
        }
    }
}
