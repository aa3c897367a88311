import Air
import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import VirtualRadio

@Suite struct SharedAirMessageTests {
    private static let address = DeviceAddress(value: 0x1234_5678_9ABC, kind: .random)
    private static let parameters = LinkParameters(
        phy: .le2M, intervalMicroseconds: 7500, packetsPerEvent: 6, maximumMTU: 185, isEncrypted: true)
    private static let conditions = DeviceRadioConditions(
        link: parameters, writeCommandDropShare: 0.05, packetLossShare: 1, rssi: -128, queueCapacity: 1024)
    private static var statistics: AirLinkStatistics {
        var statistics = AirLinkStatistics()
        statistics.packetsSent = 1
        statistics.packetsReceived = 2
        statistics.retransmissions = 3
        statistics.droppedByHost = 4
        statistics.busyEvents = 5
        statistics.idleEvents = 6
        statistics.bytesSent = .max
        return statistics
    }

    /// Messages whose length their fields decide.
    private static let closed: [SharedAirMessage] = [
        .hello(address, DeviceRadioConditions()), .hello(address, conditions), .welcome, .refused(.full),
        .command(.configure(conditions)),
        .command(
            .startAdvertising(
                data: [2, 1, 6], scanResponse: [1, 2], intervalMicroseconds: 20_000, isConnectable: true)),
        .command(
            .addAdvertisement(
                7, data: [2, 1, 6], scanResponse: [], intervalMicroseconds: 30_000, isConnectable: false)),
        .command(.removeAdvertisement(255)),
        .command(.stopAdvertising), .command(.startScanning(isActive: false)), .command(.stopScanning),
        .command(.connect(address)), .command(.cancelConnect), .command(.disconnect(LinkID(7))),
        .command(.readStatistics(LinkID(UInt64(UInt32.max)))),
        .event(.connected(LinkID(1), peer: address, isCentral: true, parameters, queueCapacity: 16)),
        .event(.connectCancelled), .event(.sent(LinkID(2))), .event(.statistics(LinkID(3), statistics)),
        .event(.disconnected(LinkID(4), reason: 0x13, statistics)),
    ]

    /// Messages that end with as many bytes as there are.
    private static let open: [SharedAirMessage] = [
        .command(.send(LinkID(1), frame: [1, 0, 4, 0, 0x0A])),
        .event(.received(LinkID(1), frame: Array(repeating: 7, count: 521))),
        .event(.report(AdvertisementReport(address: address, kind: .scanResponse, rssi: -60, data: [1, 2]))),
        .event(.report(AdvertisementReport(address: address, kind: .broadcast, rssi: nil, data: []))),
    ]

    private func decode(_ body: [UInt8]) -> SharedAirMessage? { SharedAirMessage(decoding: body[...]) }

    @Test(arguments: closed + open)
    func `an air message is read as it was written`(message: SharedAirMessage) {
        #expect(decode(message.encoded) == message)
    }

    @Test(arguments: closed)
    func `an air message cut short or with a byte too many is refused`(message: SharedAirMessage) {
        #expect(DecoderVerifier.acceptedTruncations(of: message.encoded, by: decode) == [])
        #expect(decode(message.encoded + [0]) == nil)
    }

    @Test func `an advertisement report in an air message has at most 31 bytes`() {
        for (count, isFine) in [(31, true), (32, false)] {
            let report = AdvertisementReport(
                address: Self.address, kind: .connectable, rssi: nil, data: Array(repeating: 0, count: count))
            #expect((decode(SharedAirMessage.event(.report(report)).encoded) != nil) == isFine)
        }
    }

    @Test func `an air message with an unknown tag, kind, flag or refusal is refused`() {
        #expect(decode([0x03]) == nil)
        #expect(decode([0x02, 0]) == nil)
        #expect(decode([0x02, 11]) == nil)
        #expect(decode([0x83, 8]) == nil)
        #expect(decode([0x02, 4, 2]) == nil)
        #expect(decode([0x82, 0]) == nil)
    }

    @Test func `a loss share beyond 1 in an air message is refused when read and never written`() {
        var conditions = DeviceRadioConditions(writeCommandDropShare: 7, packetLossShare: .nan, queueCapacity: 0)
        conditions.rssi = 1000
        let body = SharedAirMessage.command(.configure(conditions)).encoded
        let clamped = DeviceRadioConditions(writeCommandDropShare: 1, packetLossShare: 0, rssi: 127, queueCapacity: 1)
        #expect(decode(body) == .command(.configure(clamped)))
        var tampered = body
        for share in [1.5, -0.5, -0.0, .nan, .infinity] {
            tampered.replaceSubrange(3..<11, with: share.bitPattern.littleEndianBytes)
            #expect(decode(tampered) == nil)
        }
    }

    @Test func `another version of air messages is detected whatever follows it`() {
        #expect(SharedAirMessage.isOfOtherVersion([0x01, 2, 0, 9, 9]))
        #expect(SharedAirMessage.isOfOtherVersion([0x81, 0, 0]))
        #expect(!SharedAirMessage.isOfOtherVersion([0x01, 1, 0]))
        #expect(!SharedAirMessage.isOfOtherVersion([0x02, 2, 0]))
        #expect(decode([0x81, 2, 0]) == nil)
    }

    @Test func `the reader of air messages does not trap on any bytes`() {
        var random = SeededRandom(seed: 1)
        var read = 0
        for _ in 0..<20_000 {
            var body = (Self.closed + Self.open)[random.within(0...Self.closed.count)].encoded
            for _ in 0...random.within(0...3) {
                body[random.within(0...body.count - 1)] = UInt8(random.below(256))
            }
            read += decode(body) == nil ? 0 : 1
        }
        #expect((1..<20_000).contains(read))
    }
}

extension FixedWidthInteger {
    fileprivate var littleEndianBytes: [UInt8] {
        (0..<bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
