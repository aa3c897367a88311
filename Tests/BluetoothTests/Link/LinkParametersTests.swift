import Bluetooth
import Testing

@Suite struct LinkParametersTests {
    struct Row: Sendable {
        let phy: PHY
        let dataLength: Int
        let mtu: Int
        let packets: Int
        let cycle: Int
        /// Kilobit a second on an open and on an encrypted link.
        let open: Double
        let encrypted: Double
    }

    private static let table: [Row] = [
        .init(phy: .le1M, dataLength: 27, mtu: 23, packets: 1, cycle: 676, open: 237, encrypted: 226),
        .init(phy: .le1M, dataLength: 27, mtu: 185, packets: 7, cycle: 4732, open: 308, encrypted: 294),
        .init(phy: .le1M, dataLength: 251, mtu: 185, packets: 1, cycle: 1972, open: 738, encrypted: 727),
        .init(phy: .le1M, dataLength: 251, mtu: 247, packets: 1, cycle: 2468, open: 791, encrypted: 781),
        .init(phy: .le1M, dataLength: 251, mtu: 498, packets: 2, cycle: 4936, open: 802, encrypted: 792),
        .init(phy: .le1M, dataLength: 251, mtu: 512, packets: 3, cycle: 5508, open: 739, encrypted: 727),
        .init(phy: .le2M, dataLength: 251, mtu: 185, packets: 1, cycle: 1144, open: 1273, encrypted: 1255),
        .init(phy: .le2M, dataLength: 251, mtu: 247, packets: 1, cycle: 1392, open: 1402, encrypted: 1386),
        .init(phy: .le2M, dataLength: 251, mtu: 498, packets: 2, cycle: 2784, open: 1422, encrypted: 1406),
        .init(phy: .le2M, dataLength: 251, mtu: 512, packets: 3, cycle: 3228, open: 1262, encrypted: 1243),
    ]

    private static func cycle(_ row: Row, isEncrypted: Bool) -> Int {
        let link = LinkParameters(
            phy: row.phy, intervalMicroseconds: 4_000_000, dataLengthBytes: row.dataLength, isEncrypted: isEncrypted)
        #expect(link.packetCount(pduBytes: row.mtu) == row.packets)
        return (0..<row.packets).reduce(0) { sum, index in
            let payload = min(row.mtu + 4 - index * row.dataLength, row.dataLength)
            return sum + link.exchangeMicroseconds(centralPayload: payload, peripheralPayload: 0)
        }
    }

    @Test(arguments: table)
    func `the air time of a frame of full MTU follows from the physical layer`(row: Row) {
        #expect(Self.cycle(row, isEncrypted: false) == row.cycle)
        let bits = Double(8 * (row.mtu - 3) * 1000)
        #expect(abs(bits / Double(Self.cycle(row, isEncrypted: false)) - row.open) < 1)
        #expect(abs(bits / Double(Self.cycle(row, isEncrypted: true)) - row.encrypted) < 1)
    }

    @Test(arguments: table)
    func `on a long connection interval the data rate comes within one packet of the physical layer's`(row: Row) {
        let link = LinkParameters(phy: row.phy, intervalMicroseconds: 4_000_000, dataLengthBytes: row.dataLength)
        let continuous = Double(row.mtu - 3) / Double(row.cycle) * 1e6
        let rate = link.bytesPerSecond(mtu: row.mtu)
        #expect(rate <= continuous && rate > continuous * 0.999)
    }

    @Test func `an empty packet takes 80 microseconds on LE 1M and 44 on LE 2M, encrypted or not`() {
        for isEncrypted in [false, true] {
            let slow = LinkParameters(phy: .le1M, intervalMicroseconds: 7500, isEncrypted: isEncrypted)
            let fast = LinkParameters(phy: .le2M, intervalMicroseconds: 7500, isEncrypted: isEncrypted)
            #expect(slow.packetMicroseconds(payload: 0) == 80 && fast.packetMicroseconds(payload: 0) == 44)
        }
    }

    @Test(arguments: [
        ("ideal-1m", 498, 99_000), ("ideal-2m", 498, 165_000), ("phone-4.2", 185, 36_400), ("phone-5", 498, 165_000),
    ])
    func `each named link has its documented best MTU and rate limit`(name: String, mtu: Int, limit: Double) throws {
        let link = try #require(LinkParameters.named.first { $0.name == name }).parameters
        #expect(link.bestMTU == mtu)
        #expect(abs(link.limitBytesPerSecond - limit) < 0.001)
    }

    @Test(arguments: [
        (246, 246), (247, 247), (248, 247), (491, 247), (492, 492), (497, 497), (498, 498), (499, 498), (517, 498),
        (22, 23),
    ])
    func `the best MTU is the one that wastes least of its packets`(maximum: Int, best: Int) {
        let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000, maximumMTU: maximum)
        #expect(link.bestMTU == best)
    }

    @Test(arguments: [(15_000, 4, 48.5), (15_000, 6, 72.8), (30_000, 4, 24.3), (30_000, 6, 36.4), (45_000, 4, 16.2)])
    func `on slow intervals the cap on packets per event limits the rate`(interval: Int, cap: Int, kilobytes: Double) {
        let link = LinkParameters(
            phy: .le2M, intervalMicroseconds: interval, packetsPerEvent: cap, maximumMTU: 185)
        #expect(abs(link.limitBytesPerSecond / 1000 - kilobytes) < 0.1)
    }

    @Test func `an ATT MTU without room for a value gives a data rate of zero`() {
        let link = LinkParameters(phy: .le1M, intervalMicroseconds: 7500)
        #expect(link.bytesPerSecond(mtu: 3) == 0 && link.bytesPerSecond(mtu: 4) > 0)
    }

    @Test func `invalid Bluetooth link parameters give a data rate of zero and do not trap`() {
        let link = LinkParameters(phy: .le1M, intervalMicroseconds: 0, dataLengthBytes: 0)
        #expect(link.bestMTU == 23 && link.limitBytesPerSecond == 0)
    }
}
