import Air
import Bluetooth
import Determinism
import Testing

struct AirLossTests {
    static func run(
        loss: Double = 0, drop: Double = 0, opcode: UInt8 = 0x52, count: Int, fromCentral: Bool = true,
        seed: UInt64 = 1
    ) throws -> (sent: AirLinkStatistics, received: AirLinkStatistics, numbers: [Int]) {
        let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)
        let conditions = DeviceRadioConditions(link: link, writeCommandDropShare: drop, packetLossShare: loss)
        let frame = attFrame(opcode: opcode, pduBytes: 247)
        let flooder = Flooder(
            target: fromCentral ? Pair.address : nil, frame: frame, count: count, disconnectsAtEnd: true)
        let listener = Listener(target: fromCentral ? nil : Pair.address)
        var pair = try #require(
            fromCentral
                ? Pair(seed: seed, central: flooder, peripheral: listener, conditions: conditions, trace: nil)
                : Pair(seed: seed, central: listener, peripheral: flooder, conditions: conditions, trace: nil))
        pair.world.run(until: .seconds(600))
        let (from, to) = fromCentral ? (pair.central, pair.peripheral) : (pair.peripheral, pair.central)
        let sender = try #require(pair.world.host(from, as: Flooder.self)).log
        let receiver = try #require(pair.world.host(to, as: Listener.self)).log
        #expect(sender.sentAt.count == count)
        return (
            try #require(sender.ends.first).statistics, try #require(receiver.ends.first).statistics,
            receiver.frames.map { Flooder.number(of: $0.bytes) }
        )
    }

    @Test(arguments: [(0.01, true), (0.1, true), (0.3, true), (0.1, false), (0.3, false)])
    func `corrupted packets are sent again until every frame has arrived once, in order`(
        loss: Double, fromCentral: Bool
    ) throws {
        let result = try Self.run(loss: loss, opcode: 0x1B, count: 5000, fromCentral: fromCentral)
        #expect(result.numbers == Array(0..<5000))
        #expect(result.sent.packetsSent == 5000)
        #expect(result.received.packetsReceived == 5000)
        // Once through, a packet is repeated until its acknowledgement is through too: (1 + p) / (1 − p) tries. The
        // peripheral has fewer, because it does not answer a second corrupted packet in a row.
        let tries = Double(result.sent.packetsSent + result.sent.retransmissions)
        let share = Double(result.sent.retransmissions) / tries
        let expected = 2 * loss / (1 + loss)
        #expect(share < expected + 0.015 && share > (fromCentral ? expected - 0.015 : loss), "\(share), \(expected)")
    }

    @Test func `no packet is sent again on a perfect link`() throws {
        let result = try Self.run(count: 500)
        #expect(result.sent.retransmissions == 0)
        #expect(result.received.retransmissions == 0)
        #expect(result.received.droppedByHost == 0)
    }

    @Test func `the receiving host drops its share of write commands after they arrived`() throws {
        let result = try Self.run(drop: 0.05, count: 10_000)
        #expect((430...570).contains(result.received.droppedByHost))
        #expect(result.numbers.count + result.received.droppedByHost == 10_000)
        #expect(result.received.packetsReceived == 10_000)
        #expect(result.numbers == result.numbers.sorted())
        #expect(result.sent.droppedByHost == 0)
    }

    @Test func `a drop share of one drops every write command`() throws {
        let result = try Self.run(drop: 1, count: 50)
        #expect(result.received.droppedByHost == 50)
        #expect(result.numbers.isEmpty)
    }

    @Test(arguments: [UInt8(0x12), 0x1B, 0xD2])
    func `only write commands are dropped by the receiving host`(opcode: UInt8) throws {
        let result = try Self.run(drop: 1, opcode: opcode, count: 50)
        #expect(result.numbers.count == 50)
    }

    @Test func `write commands from the peripheral are not dropped`() throws {
        let result = try Self.run(drop: 1, count: 50, fromCentral: false)
        #expect(result.numbers.count == 50)
    }

    @Test func `the seed decides which write commands are dropped`() throws {
        let runs = try [1, 1, 2].map { try Self.run(drop: 0.2, count: 200, seed: $0).numbers }
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
    }

    @Test func `packet loss does not change which write commands are dropped`() throws {
        let calm = try Self.run(drop: 0.2, count: 200).numbers
        let stormy = try Self.run(loss: 0.2, drop: 0.2, count: 200).numbers
        #expect(calm == stormy)
    }
}
