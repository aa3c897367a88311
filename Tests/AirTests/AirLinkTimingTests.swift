import Air
import Bluetooth
import Determinism
import Testing

/// A host that sends the next request when the answer to the last has come.
private struct Asker: SimulatedHost {
    let frame: [UInt8]
    private(set) var log = HostLog()

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        commands.append(.connect(Pair.address))
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        log.add(event, at: now)
        switch event {
        case .connected(let link, _, _, _, _), .received(let link, _): commands.append(.send(link, frame: frame))
        default: break
        }
    }
}

struct AirLinkTimingTests {
    static let phone = DeviceRadioConditions(link: LinkParameters(phy: .le2M, intervalMicroseconds: 15_000))
    static let frame = attFrame(opcode: 0x12, pduBytes: 100)

    @Test func `a request is sent at the first anchor and its answer arrives one interval later`() throws {
        var pair = try #require(
            Pair(central: Asker(frame: Self.frame), peripheral: Listener(echoes: true), conditions: Self.phone))
        pair.world.run(until: .seconds(1))
        let central = try #require(pair.world.host(pair.central, as: Asker.self)).log
        let peripheral = try #require(pair.world.host(pair.peripheral, as: Listener.self)).log
        let start = try #require(central.connectedAt)
        let link = try #require(central.connections.first).parameters
        let air = link.packetMicroseconds(payload: 104)
        #expect(air == 4 * (2 + 4 + 2 + 104 + 3))
        #expect(peripheral.frames[0].at.microseconds(since: start) == 15_000 + 1250 + air)
        let answer = 2 * 15_000 + 1250 + link.packetMicroseconds(payload: 0) + 150 + air
        #expect(central.frames[0].at.microseconds(since: start) == answer)
    }

    @Test func `requests one after the other take two intervals each`() throws {
        var pair = try #require(
            Pair(central: Asker(frame: Self.frame), peripheral: Listener(echoes: true), conditions: Self.phone))
        pair.world.run(until: .seconds(10))
        let times = try #require(pair.world.host(pair.central, as: Asker.self)).log.frames.map(\.at)
        #expect(times.count > 300)
        let gaps = zip(times.dropFirst(), times).map { $0.microseconds(since: $1) }
        #expect(Set(gaps) == [30_000])
    }

    @Test func `a central's frame has left the queue when the peer's next packet has arrived`() throws {
        var pair = try #require(
            Pair(
                central: Flooder(target: Pair.address, frame: Self.frame, count: 1), peripheral: Listener(),
                conditions: Self.phone))
        pair.world.run(until: .seconds(1))
        let sent = try #require(pair.world.host(pair.central, as: Flooder.self)?.log.sentAt.first)
        let received = try #require(pair.world.host(pair.peripheral, as: Listener.self)?.log.frames.first).at
        #expect(sent.microseconds(since: received) == 150 + 44)
    }

    @Test func `a notification has left the queue when the central's next packet has arrived`() throws {
        var pair = try #require(
            Pair(
                central: Listener(target: Pair.address),
                peripheral: Flooder(target: nil, frame: Self.frame, count: 1), conditions: Self.phone))
        pair.world.run(until: .seconds(1))
        let sent = try #require(pair.world.host(pair.peripheral, as: Flooder.self)?.log.sentAt.first)
        let received = try #require(pair.world.host(pair.central, as: Listener.self)?.log.frames.first).at
        let answer = 44 + 150 + 4 * (11 + 104)
        #expect(sent.microseconds(since: received) == 15_000 + 44 - answer)
    }

    @Test func `a frame queued during a packet exchange waits for the next one`() throws {
        for delay in [0, 1] {
            var pair = try #require(
                Pair(
                    central: Flooder(target: Pair.address, frame: Self.frame, count: 1), peripheral: Listener(),
                    conditions: Self.phone))
            pair.world.run(until: .seconds(1)) {
                $0.host(AirDeviceID(2), as: Flooder.self)?.log.connections.isEmpty == true
            }
            let log = try #require(pair.world.host(pair.central, as: Flooder.self)).log
            let start = try #require(log.connectedAt)
            let link = try #require(log.connections.first).id
            // The central's packet is on the air from its anchor.
            pair.world.advance(to: start + .microseconds(16_249 + 2 * delay))
            pair.world.perform(.send(link, frame: Self.frame), by: pair.peripheral)
            pair.world.run(until: .seconds(1))
            let arrival = try #require(pair.world.host(pair.central, as: Flooder.self)?.log.frames.first).at
            let packet = 4 * (11 + 104)
            let first = delay == 0 ? packet : 15_000 + 44
            #expect(arrival.microseconds(since: start) == 16_250 + first + 150 + packet)
        }
    }

    @Test func `a frame of several packets arrives with the last of them`() throws {
        let frame = attFrame(pduBytes: 512)
        var pair = try #require(
            Pair(
                central: Flooder(target: Pair.address, frame: frame, count: 1), peripheral: Listener(),
                conditions: Self.phone))
        pair.world.run(until: .seconds(1))
        let log = try #require(pair.world.host(pair.peripheral, as: Listener.self)).log
        let start = try #require(log.connectedAt)
        #expect(log.frames.map(\.bytes) == [frame])
        #expect(log.frames[0].at.microseconds(since: start) == 15_000 + 1250 + 2 * 1392 + 4 * (11 + 14))
    }

    @Test func `an idle link causes no simulated events and keeps its anchors for ten hours`() throws {
        var pair = try #require(
            Pair(central: Listener(target: Pair.address), peripheral: Listener(), conditions: Self.phone))
        #expect(pair.world.run(until: .seconds(1)) == .quiet)
        #expect(pair.world.nextDeadline == nil)
        let log = try #require(pair.world.host(pair.central, as: Listener.self)).log
        let start = try #require(log.connectedAt)
        let link = try #require(log.connections.first).id
        var deliveries: [SimulatedAir.HostDelivery] = []
        var air = pair.world.air
        let later = MonotonicInstant.seconds(36_000.001)
        air.perform(.send(link, frame: Self.frame), by: pair.central, at: later, into: &deliveries)
        var steps = 0
        while let next = air.nextDeadline {
            air.advance(to: next, into: &deliveries)
            steps += 1
        }
        #expect(steps == 4)
        let arrival = try #require(deliveries.first)
        #expect(arrival.event == .received(link, frame: Self.frame))
        let delay = arrival.at.microseconds(since: start) - 1250 - 4 * (11 + 104)
        #expect(delay % 15_000 == 0)
        #expect((0...15_460).contains(arrival.at.microseconds(since: later)))
    }

    @Test(arguments: [true, false])
    func `a queue refilled on every acknowledgement extends the connection event`(fromCentral: Bool) throws {
        // The peripheral learns with the central's next packet that one arrived, so it needs two frames.
        let frame = attFrame(opcode: 0x1B, pduBytes: 247)
        let flooder = Flooder(target: fromCentral ? Pair.address : nil, frame: frame, window: fromCentral ? 1 : 2)
        let listener = Listener(target: fromCentral ? nil : Pair.address)
        var pair = try #require(
            fromCentral
                ? Pair(central: flooder, peripheral: listener, conditions: Self.phone, trace: nil)
                : Pair(central: listener, peripheral: flooder, conditions: Self.phone, trace: nil))
        pair.world.run(until: .seconds(5.1))
        let device = fromCentral ? pair.peripheral : pair.central
        let frames = try #require(pair.world.host(device, as: Listener.self)).log.frames
        #expect((3300...3400).contains(frames.count))
    }

    @Test func `with data at both ends each packet exchange carries data both ways`() throws {
        let frame = attFrame(opcode: 0x1B, pduBytes: 247)
        var pair = try #require(
            Pair(
                central: Flooder(target: Pair.address, frame: frame), peripheral: Flooder(target: nil, frame: frame),
                conditions: Self.phone, trace: nil))
        pair.world.run(until: .seconds(5.1))
        // Six exchanges of 2 × 1,048 and 300 microseconds fit into 15 milliseconds.
        for device in [pair.central, pair.peripheral] {
            let frames = try #require(pair.world.host(device, as: Flooder.self)).log.frames
            #expect((2020...2040).contains(frames.count))
        }
    }
}
