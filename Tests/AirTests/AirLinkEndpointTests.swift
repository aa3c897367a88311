import Air
import Bluetooth
import Determinism
import Testing

struct AirLinkEndpointTests {
    static func connected(
        loss: Double = 0, capacity: Int = 16, timeout: Int = 5000, seed: UInt64 = 1
    ) throws -> (pair: Pair, link: LinkID, at: MonotonicInstant) {
        let link = LinkParameters(
            phy: .le2M, intervalMicroseconds: 15_000, supervisionTimeoutMilliseconds: timeout)
        var pair = try #require(
            Pair(
                seed: seed, central: Listener(target: Pair.address), peripheral: Listener(),
                conditions: DeviceRadioConditions(link: link, packetLossShare: loss, queueCapacity: capacity)))
        pair.world.run(until: .seconds(10)) {
            $0.host(AirDeviceID(2), as: Listener.self)?.log.connections.isEmpty == true
        }
        let log = try #require(pair.world.host(pair.central, as: Listener.self)).log
        return (pair, try #require(log.connections.first).id, try #require(log.connectedAt))
    }

    static func log(_ pair: Pair, _ device: AirDeviceID) throws -> HostLog {
        try #require(pair.world.host(device, as: Listener.self)).log
    }

    // MARK: - Supervision

    @Test(arguments: [true, false])
    func `a vanished peer is reported one supervision timeout after the last packet from it`(centralVanishes: Bool)
        throws
    {
        var (pair, _, start) = try Self.connected()
        let vanishing = centralVanishes ? pair.central : pair.peripheral
        let left = centralVanishes ? pair.peripheral : pair.central
        let moment = start + .milliseconds(3000)
        pair.world.advance(to: moment)
        var air = pair.world.air
        var deliveries: [SimulatedAir.HostDelivery] = []
        air.detach(vanishing, at: moment, into: &deliveries)
        // The anchors lie at 16.25 ms and every 15 ms; the last before 3 s is at 2,986.25 or 3,001.25 − 15.
        let deadline = start + .microseconds(16_250 + 198 * 15_000) + .milliseconds(5000)
        #expect(air.nextDeadline == deadline)
        air.advance(to: deadline + .nanoseconds(-1), into: &deliveries)
        #expect(deliveries.isEmpty)
        air.advance(to: deadline, into: &deliveries)
        #expect(deliveries.map(\.device) == [left])
        #expect(deliveries.map(\.event) == [.disconnected(LinkID(1), reason: 0x08, AirLinkStatistics())])
        #expect(air.nextDeadline == nil)
    }

    @Test func `frames for a vanished peer do not postpone the supervision timeout`() throws {
        var (pair, link, start) = try Self.connected()
        pair.world.remove(pair.peripheral)
        pair.world.perform(.send(link, frame: attFrame(pduBytes: 20)), by: pair.central)
        #expect(pair.world.run(until: .seconds(60)) == .quiet)
        let end = try #require(try Self.log(pair, pair.central).ends.first)
        #expect(end.reason == 0x08)
        #expect(end.at == start + .milliseconds(5000))
    }

    @Test func `a link on which every packet is lost ends at both ends after the supervision timeout`() throws {
        for hasData in [false, true] {
            var (pair, link, start) = try Self.connected(loss: 1, timeout: 2000)
            if hasData { pair.world.perform(.send(link, frame: attFrame(pduBytes: 20)), by: pair.central) }
            #expect(pair.world.run(until: .seconds(60)) == .quiet)
            for device in [pair.central, pair.peripheral] {
                let end = try #require(try Self.log(pair, device).ends.first)
                #expect(end.reason == 0x08)
                #expect(end.at == start + .milliseconds(2000))
                #expect((end.statistics.retransmissions > 100) == (hasData && device == pair.central))
            }
        }
    }

    @Test func `a link that loses a third of its packets stays up`() throws {
        var (pair, link, _) = try Self.connected(loss: 0.33, timeout: 1000)
        for _ in 0..<200 {
            pair.world.perform(.send(link, frame: attFrame(opcode: 0x1B, pduBytes: 100)), by: pair.central)
            let limit = pair.world.now + .milliseconds(1700)
            pair.world.advance(to: limit)
        }
        let log = try Self.log(pair, pair.peripheral)
        #expect(log.frames.count == 200)
        #expect(log.ends.isEmpty)
    }

    @Test func `a busy link with 90 per cent loss ends after a run of lost packets as long as the timeout`() throws {
        let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000, supervisionTimeoutMilliseconds: 200)
        var pair = try #require(
            Pair(
                central: Flooder(target: Pair.address, frame: attFrame(pduBytes: 100)), peripheral: Listener(),
                conditions: DeviceRadioConditions(link: link, packetLossShare: 0.9)))
        #expect(pair.world.run(until: .seconds(600)) == .quiet)
        let ends = try #require(pair.world.host(pair.central, as: Flooder.self)).log.ends
        #expect(ends.map(\.reason) == [0x08])
        #expect(try Self.log(pair, pair.peripheral).ends.map(\.reason) == [0x08])
    }

    @Test func `a frame sent after hours of idleness does not trigger an old timeout`() throws {
        let (pair, link, _) = try Self.connected(timeout: 100)
        var air = pair.world.air
        var deliveries: [SimulatedAir.HostDelivery] = []
        air.perform(
            .send(link, frame: attFrame(pduBytes: 20)), by: pair.central, at: .seconds(7200), into: &deliveries)
        while let next = air.nextDeadline { air.advance(to: next, into: &deliveries) }
        #expect(deliveries.map(\.event) == [.received(link, frame: attFrame(pduBytes: 20)), .sent(link)])
    }

    // MARK: - Disconnecting

    @Test(arguments: [true, false])
    func `queued frames are sent and acknowledged before a disconnect`(byCentral: Bool) throws {
        for loss in [0, 0.2] {
            var (pair, link, _) = try Self.connected(loss: loss)
            let (own, peer) = byCentral ? (pair.central, pair.peripheral) : (pair.peripheral, pair.central)
            for mark in 0..<10 {
                let frame = attFrame(opcode: 0x1B, pduBytes: 400, mark: UInt8(mark))
                pair.world.perform(.send(link, frame: frame), by: own)
            }
            pair.world.perform(.disconnect(link), by: own)
            pair.world.perform(.send(link, frame: attFrame(pduBytes: 20)), by: own)
            #expect(pair.world.run(until: .seconds(60)) == .quiet)
            let sender = try Self.log(pair, own)
            let receiver = try Self.log(pair, peer)
            #expect(receiver.frames.compactMap(\.bytes.last) == Array(0..<10))
            #expect(sender.sentAt.count == 10)
            #expect(sender.ends.map(\.reason) == [0x16])
            #expect(receiver.ends.map(\.reason) == [0x13])
            #expect(sender.ends[0].statistics.bytesSent == 4000)
            #expect(sender.ends[0].statistics.packetsSent == 20)
            #expect(receiver.ends[0].statistics.packetsReceived == 20)
        }
    }

    @Test func `a disconnect on an idle link takes effect at the next anchor`() throws {
        var (pair, link, start) = try Self.connected()
        pair.world.advance(to: start + .milliseconds(100))
        pair.world.perform(.disconnect(link), by: pair.central)
        pair.world.run(until: .seconds(5))
        let ends = try [pair.central, pair.peripheral].map { try #require(try Self.log(pair, $0).ends.first) }
        #expect(ends.map(\.reason) == [0x16, 0x13])
        let anchor = 16_250 + 6 * 15_000
        #expect(ends[1].at.microseconds(since: start) == anchor + 4 * (11 + 2))
    }

    @Test func `two ends that disconnect at the same time both report the local cause`() throws {
        var (pair, link, _) = try Self.connected()
        pair.world.perform(.disconnect(link), by: pair.central)
        pair.world.perform(.disconnect(link), by: pair.peripheral)
        #expect(pair.world.run(until: .seconds(5)) == .quiet)
        for device in [pair.central, pair.peripheral] {
            #expect(try Self.log(pair, device).ends.map(\.reason) == [0x16])
        }
    }

    @Test func `a disconnect that cannot be sent takes effect after the supervision timeout`() throws {
        var (pair, link, start) = try Self.connected(loss: 1, timeout: 1000)
        pair.world.advance(to: start + .milliseconds(500))
        pair.world.perform(.disconnect(link), by: pair.central)
        pair.world.run(until: .seconds(5))
        #expect(try Self.log(pair, pair.central).ends.map(\.reason) == [0x16])
        #expect(try Self.log(pair, pair.peripheral).ends.map(\.reason) == [0x08])
    }

    @Test func `a disconnect whose queue takes longer than the timeout drops the rest of the queue`() throws {
        let slow = LinkParameters(
            phy: .le2M, intervalMicroseconds: 1_000_000, packetsPerEvent: 1, supervisionTimeoutMilliseconds: 3000)
        let flooder = Flooder(
            target: Pair.address, frame: attFrame(pduBytes: 100), count: 16, disconnectsAtEnd: true)
        var pair = try #require(
            Pair(central: flooder, peripheral: Listener(), conditions: DeviceRadioConditions(link: slow)))
        #expect(pair.world.run(until: .seconds(60)) == .quiet)
        let central = try #require(pair.world.host(pair.central, as: Flooder.self)).log
        let peripheral = try Self.log(pair, pair.peripheral)
        let start = try #require(central.connectedAt)
        #expect(central.ends.map(\.reason) == [0x16])
        #expect(central.ends[0].at == start + .milliseconds(3000))
        #expect(peripheral.frames.count == 2)
        #expect(peripheral.ends.map(\.reason) == [0x08])
        #expect(peripheral.ends[0].at == peripheral.frames[1].at + .milliseconds(3000))
    }

    @Test func `a device removed gracefully disconnects first and receives nothing more`() throws {
        var (pair, link, _) = try Self.connected()
        pair.world.perform(.send(link, frame: attFrame(opcode: 0x1B, pduBytes: 20)), by: pair.peripheral)
        pair.world.remove(pair.peripheral, gracefully: true)
        #expect(pair.world.run(until: .seconds(5)) == .quiet)
        let log = try Self.log(pair, pair.central)
        #expect(log.frames.count == 1)
        #expect(log.ends.map(\.reason) == [0x13])
        let next = try pair.world.join(Idler(), address: Pair.address)
        #expect(next == AirDeviceID(3))
    }

    // MARK: - Queues

    @Test(arguments: [1, 4, 16, 1024])
    func `a send queue holds its capacity, and one more frame ends the link`(capacity: Int) throws {
        for excess in [0, 1] {
            var (pair, link, _) = try Self.connected(capacity: capacity)
            for _ in 0..<(capacity + excess) {
                pair.world.perform(.send(link, frame: attFrame(pduBytes: 20)), by: pair.central)
            }
            pair.world.run(until: .seconds(60))
            let central = try Self.log(pair, pair.central)
            let peripheral = try Self.log(pair, pair.peripheral)
            #expect(peripheral.frames.count == (excess == 0 ? capacity : 0))
            #expect(central.ends.map(\.reason) == (excess == 0 ? [] : [0x07]))
            #expect(peripheral.ends.map(\.reason) == (excess == 0 ? [] : [0x14]))
        }
    }

    @Test(arguments: [(4, false), (5, true), (65_539, true), (65_540, false)])
    func `an L2CAP frame has 5 to 65,539 bytes, and any other length ends the simulated link`(count: Int, isFine: Bool)
        throws
    {
        var (pair, link, _) = try Self.connected()
        pair.world.perform(.send(link, frame: [UInt8](repeating: 7, count: count)), by: pair.central)
        pair.world.run(until: .seconds(60))
        #expect(try Self.log(pair, pair.peripheral).frames.map(\.bytes.count) == (isFine ? [count] : []))
        #expect(try Self.log(pair, pair.central).ends.isEmpty == isFine)
    }

    // MARK: - Counting

    @Test func `a link with a full queue counts no idle events, and one with a slow sender does`() throws {
        var (pair, link, start) = try Self.connected()
        for step in 0..<5 {
            pair.world.advance(to: start + .milliseconds(45 * step + 2))
            pair.world.perform(.send(link, frame: attFrame(pduBytes: 20)), by: pair.central)
        }
        pair.world.advance(to: start + .seconds(2))
        pair.world.perform(.readStatistics(link), by: pair.central)
        pair.world.perform(.readStatistics(link), by: pair.peripheral)
        let answers = try [pair.central, pair.peripheral].map {
            try #require(try Self.log(pair, $0).entries.last).event
        }
        guard case .statistics(_, let central) = answers[0], case .statistics(_, let peripheral) = answers[1] else {
            Issue.record("no statistics")
            return
        }
        // Every third event has data, and none of those between; the first four also had room for more.
        #expect(central.busyEvents == 5)
        #expect(central.idleEvents == 4 * 3)
        #expect(central.bytesSent == 100)
        #expect(peripheral.busyEvents == 0)
        #expect(peripheral.idleEvents == 0)
    }

    @Test func `connection events filled by a full queue count as busy and not as idle`() throws {
        let result = try AirLossTests.run(count: 1000)
        #expect(result.sent.busyEvents == 100)
        #expect(result.sent.idleEvents == 0)
        #expect(result.sent.bytesSent == 247_000)
    }
}
