import Bluetooth
import ByteCoding
import TestSupport
import Testing

@Suite struct ExtendedReportTests {
    private static let peer = DeviceAddress(value: 0xC0FF_EE00_0102, kind: .random)
    private var decoder = CaptureDecoder()

    /// The advertisements that reports at `milliseconds` complete.
    private mutating func take(
        _ data: [UInt8], _ status: ExtendedAdvertisingReport.DataStatus, at milliseconds: Int64,
        from address: DeviceAddress? = peer, set: UInt8? = 1
    ) -> [ExtendedAdvertisement] {
        let report = ExtendedAdvertisingReport(
            address: address, kind: .broadcast, status: status, setID: set, rssi: -50, data: data)
        let packet = HCIPacket.extendedAdvertisingReports([report]).bytes(isReceived: true)
        return Self.whole(
            decoder.events(
                of: PacketRecord(
                    microsecondsSinceEpoch: milliseconds * 1000, link: .host(adapter: 0, isReceived: true),
                    bytes: packet)))
    }

    private static func whole(_ events: [CaptureEvent]) -> [ExtendedAdvertisement] {
        events.compactMap { if case .extendedAdvertisement(let whole) = $0.content { whole } else { nil } }
    }

    @Test func `an HCI extended advertising report is written as the specification lays it out and read back`() {
        let report = ExtendedAdvertisingReport(
            address: Self.peer, kind: .connectable, status: .moreToCome, setID: 2, transmitPower: -8, rssi: -50,
            data: [2, 1, 6])
        let bytes = HCIPacket.extendedAdvertisingReports([report]).bytes(isReceived: true)
        #expect(
            Hex.encode(bytes) == "043e1d0d01" + "2100" + "01" + "020100eeffc0" + "0101" + "02" + "f8" + "ce"
                + "0000" + "00000000000000" + "03020106")
        #expect(HCIPacket(bytes) == .extendedAdvertisingReports([report]))
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { HCIPacket($0) }.isEmpty)
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { HCIPacket($0) }.isEmpty)
    }

    @Test func `an HCI extended advertising report without address, set, power or strength gives nil for each`() {
        let report = ExtendedAdvertisingReport(address: nil, kind: .broadcast, rssi: nil, data: [])
        #expect(
            HCIPacket(HCIPacket.extendedAdvertisingReports([report]).bytes(isReceived: true))
                == .extendedAdvertisingReports([report]))
    }

    @Test mutating func `parts of extended advertisements of two senders or two sets are not mixed`() {
        let other = DeviceAddress(value: 1, kind: .public)
        #expect(take([1], .moreToCome, at: 0).isEmpty)
        #expect(take([2], .moreToCome, at: 1, from: other).isEmpty)
        #expect(take([3], .moreToCome, at: 2, set: 2).isEmpty)
        #expect(take([4], .complete, at: 3).map(\.data) == [[1, 4]])
        #expect(take([5], .complete, at: 4, from: other).map(\.data) == [[2, 5]])
        #expect(take([6], .complete, at: 5, set: 2).map(\.data) == [[3, 6]])
    }

    @Test
    mutating func `an unfinished extended advertisement is reported truncated when its sender restarts or is late`() {
        let first = Array(UInt8(0)..<20)
        #expect(take(first, .moreToCome, at: 0).isEmpty)
        let again = take(first, .moreToCome, at: 100)
        #expect(again.map(\.data) == [first] && again.allSatisfy(\.isTruncated))
        let late = take([9], .complete, at: 500)
        #expect(late.map(\.data) == [first, [9]] && late.map(\.isTruncated) == [true, false])
    }

    @Test mutating func `extended advertising data of 1,650 bytes are kept whole, and more are cut off`() {
        let part = [UInt8](repeating: 7, count: 165)
        for count in [9, 10] {
            decoder = CaptureDecoder()
            for index in 0..<count { #expect(take([UInt8(index)] + part.dropFirst(), .moreToCome, at: 0).isEmpty) }
            let whole = take(Array(part.prefix(165)), .complete, at: 0)
            #expect(whole.map(\.data.count) == [1650] && whole.map(\.isTruncated) == [count == 10])
        }
    }

    @Test mutating func `64 unfinished extended advertisements are kept, and one more ends the oldest`() {
        for number in 0..<64 {
            let sender = DeviceAddress(value: UInt64(number), kind: .random)
            #expect(take([1], .moreToCome, at: 0, from: sender).isEmpty)
        }
        let over = take([1], .moreToCome, at: 0, from: DeviceAddress(value: 99, kind: .random))
        #expect(over.map(\.address) == [DeviceAddress(value: 0, kind: .random)])
        #expect(Self.whole(decoder.finish()).count == 64)
    }

    @Test(arguments: [
        "043e0f0d01", "043e0f02020401020100eeffc003020106ce", "043e0401004000",
        "043e1d0d01" + "6100"
            + "01020100eeffc00101" + "02f8ce000000000000000000" + "03020106",
    ])
    func `an HCI event with contradictory fields is reported as a problem`(hex: String) throws {
        var bytes = try #require(Hex.decode(hex))
        bytes[2] = UInt8(bytes.count - 3)
        var decoder = CaptureDecoder()
        let events = decoder.events(
            of: PacketRecord(microsecondsSinceEpoch: 0, link: .host(adapter: 0, isReceived: true), bytes: bytes))
        guard case .problem(let sentence)? = events.first?.content else {
            Issue.record("no problem: \(events)")
            return
        }
        #expect(events.count == 1 && sentence.contains("fields disagree") && decoder.omissions.isEmpty)
    }
}
