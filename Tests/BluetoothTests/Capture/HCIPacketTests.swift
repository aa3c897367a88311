import Bluetooth
import ByteCoding
import Determinism
import TestSupport
import Testing

@Suite struct HCIPacketTests {
    private static let peer = DeviceAddress(value: 0xC0FF_EE00_0102, kind: .random)
    private static let connection = HCIConnection(
        handle: 0x40, isCentral: false, peer: peer, intervalSteps: 24, supervisionSteps: 500)
    private static let report = AdvertisementReport(
        address: peer, kind: .scanResponse, rssi: -50, data: [2, 1, 6])

    static let samples: [(HCIPacket, String)] = [
        (.data(connection: 0x40, isFirst: true, fragment: [1, 2]), "02402002000102"),
        (.data(connection: 0x40, isFirst: false, fragment: []), "0240100000"),
        (.connectionComplete(connection, status: 0), "043e1301004000010102" + "0100eeffc0" + "18000000f40100"),
        (.disconnectionComplete(connection: 0x40, reason: 0x13), "04050400400013"),
        (.advertisingReports([report]), "043e0f02010401020100eeffc003020106ce"),
        (.other(type: 1, content: [3, 12, 0]), "01030c00"),
        (.other(type: 4, content: [0x0E, 1, 1]), "040e0101"),
    ]

    @Test(arguments: samples.indices)
    func `an HCI packet is written as the specification lays it out and read back`(index: Int) throws {
        let (packet, hex) = Self.samples[index]
        #expect(Hex.encode(packet.bytes(isReceived: true)) == hex)
        #expect(HCIPacket(packet.bytes(isReceived: true)) == packet)
        #expect(HCIPacket(packet.bytes(isReceived: false)) == packet)
    }

    @Test func `HCI packets cut short or too long are refused`() {
        for (packet, _) in Self.samples where packet.bytes(isReceived: true)[0] != 1 {
            let bytes = packet.bytes(isReceived: true)
            #expect(DecoderVerifier.acceptedTruncations(of: bytes) { HCIPacket($0) }.isEmpty)
            #expect(DecoderVerifier.acceptedExtensions(of: bytes) { HCIPacket($0) }.isEmpty)
        }
    }

    @Test func `the first fragment of HCI data has one flag from the host and another from the controller`() {
        let first = HCIPacket.data(connection: 1, isFirst: true, fragment: [])
        #expect(first.bytes(isReceived: false)[2] == 0 && first.bytes(isReceived: true)[2] == 0x20)
    }

    @Test func `the HCI event of an enhanced connection complete is read too`() throws {
        let hex = "043e1f0a004000010102" + "0100eeffc0" + String(repeating: "00", count: 12) + "18000000f40100"
        #expect(HCIPacket(try #require(Hex.decode(hex))) == .connectionComplete(Self.connection, status: 0))
    }

    @Test(arguments: ["043e0f02020401020100eeffc003020106ce", "043e020101", "0405040140" + "0013", "043e00"])
    func `an HCI event with inconsistent contents is kept as bytes`(hex: String) throws {
        let bytes = try #require(Hex.decode(hex))
        #expect(HCIPacket(bytes) == .other(type: 4, content: Array(bytes.dropFirst())))
    }

    @Test
    func `an HCI advertising report with unknown signal strength has nil, and directed advertising is connectable`()
        throws
    {
        let bytes = try #require(Hex.decode("043e0c02010100020100eeffc0007f"))
        let expected = AdvertisementReport(
            address: DeviceAddress(value: 0xC0FF_EE00_0102, kind: .public), kind: .connectable, rssi: nil, data: [])
        #expect(HCIPacket(bytes) == .advertisingReports([expected]))
        #expect(HCIPacket.advertisingReports([expected]).bytes(isReceived: true).last == 0x7F)
    }

    @Test func `any bytes are read as HCI packets without a trap`() {
        var random = SeededRandom(seed: 5)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = random.bytes(count: random.within(0...40))
            if bytes.count > 5 {
                bytes.replaceSubrange(
                    0..<4, with: [4, 0x3E, UInt8(bytes.count - 3), [1, 2, 10][random.within(0...2)]])
            }
            if HCIPacket(bytes) != nil { read += 1 }
        }
        #expect(read > 10_000)
    }
}
