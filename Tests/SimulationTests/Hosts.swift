import Bluetooth
import Determinism
import Simulation

/// A link as one of its hosts knows it.
struct OpenLink: Hashable, Sendable {
    let id: AirLinkID
    let parameters: LinkParameters
    let capacity: Int
}

/// A host that keeps its queue as full as it may: `frame` again and again, `count` times or for ever.
struct Flooder: SimulatedHost {
    let target: DeviceAddress?
    let frame: [UInt8]
    var remaining: Int
    var window: Int = .max
    private(set) var log = HostLog()

    init(target: DeviceAddress?, frame: [UInt8], count: Int = .max, window: Int = .max) {
        self.target = target
        self.frame = frame
        remaining = count
        self.window = window
    }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        commands.append(target.map { .connect($0) } ?? .advertise())
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        log.add(event, at: now)
        switch event {
        case .connected(let link, _, _, _, let capacity):
            for _ in 0..<min(capacity, window) { send(on: link, into: &commands) }
        case .sent(let link):
            send(on: link, into: &commands)
        default: break
        }
    }

    private mutating func send(on link: AirLinkID, into commands: inout [AirCommand]) {
        guard remaining > 0 else { return }
        remaining -= 1
        commands.append(.send(link, frame: frame))
    }
}

/// A host that advertises (or connects to `target`) and otherwise only listens, or echoes every frame.
struct Listener: SimulatedHost {
    var target: DeviceAddress?
    var echoes = false
    var advertisesAgain = false
    private(set) var log = HostLog()

    init(target: DeviceAddress? = nil, echoes: Bool = false, advertisesAgain: Bool = false) {
        self.target = target
        self.echoes = echoes
        self.advertisesAgain = advertisesAgain
    }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        commands.append(target.map { .connect($0) } ?? .advertise())
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        log.add(event, at: now)
        if case .connected = event, advertisesAgain { commands.append(.advertise()) }
        if case .received(let link, let frame) = event, echoes { commands.append(.send(link, frame: frame)) }
    }
}

/// A host that does nothing by itself.
struct Idler: SimulatedHost {
    private(set) var log = HostLog()

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        log.add(event, at: now)
    }
}

/// All that a host was told, and when.
struct HostLog: Hashable, Sendable {
    private(set) var entries: [(at: MonotonicInstant, event: AirEvent)] = []

    static func == (left: HostLog, right: HostLog) -> Bool {
        left.entries.map(\.at) == right.entries.map(\.at) && left.entries.map(\.event) == right.entries.map(\.event)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(entries.count) }

    mutating func add(_ event: AirEvent, at now: MonotonicInstant) { entries.append((now, event)) }

    var connections: [OpenLink] {
        entries.compactMap {
            guard case .connected(let id, _, _, let parameters, let capacity) = $0.event else { return nil }
            return OpenLink(id: id, parameters: parameters, capacity: capacity)
        }
    }

    var connectedAt: MonotonicInstant? {
        entries.first {
            if case .connected = $0.event { true } else { false }
        }?.at
    }

    var frames: [(at: MonotonicInstant, bytes: [UInt8])] {
        entries.compactMap {
            guard case .received(_, let frame) = $0.event else { return nil }
            return ($0.at, frame)
        }
    }

    var sentAt: [MonotonicInstant] {
        entries.compactMap {
            guard case .sent = $0.event else { return nil }
            return $0.at
        }
    }

    var reports: [(at: MonotonicInstant, report: AdvertisementReport)] {
        entries.compactMap {
            guard case .report(let report) = $0.event else { return nil }
            return ($0.at, report)
        }
    }

    var ends: [(at: MonotonicInstant, reason: UInt8, statistics: AirLinkStatistics)] {
        entries.compactMap {
            guard case .disconnected(_, let reason, let statistics) = $0.event else { return nil }
            return ($0.at, reason, statistics)
        }
    }
}

extension AirCommand {
    /// Connectable advertising with made-up data.
    static func advertise(interval: Int = 100_000, isConnectable: Bool = true) -> AirCommand {
        .startAdvertising(
            data: [0x02, 0x01, 0x06], scanResponse: [0x02, 0x0A, 0x04], intervalMicroseconds: interval,
            isConnectable: isConnectable)
    }
}

/// An L2CAP frame on the ATT channel: `opcode`, then zeros up to an ATT PDU of `pduBytes`.
func attFrame(opcode: UInt8 = 0x52, pduBytes: Int, mark: UInt8 = 0) -> [UInt8] {
    var pdu = [UInt8](repeating: mark, count: pduBytes)
    pdu[0] = opcode
    return [UInt8(truncatingIfNeeded: pduBytes), UInt8(truncatingIfNeeded: pduBytes >> 8), 0x04, 0x00] + pdu
}

/// A peripheral and a central that connects to it.
struct Pair {
    static let address = DeviceAddress(staticRandom: 1)
    var world: SimulatedWorld
    let central: AirDeviceID
    let peripheral: AirDeviceID

    init?(
        seed: UInt64 = 1, central: some SimulatedHost, peripheral: some SimulatedHost,
        conditions: AirConditions = AirConditions(), trace: Trace? = Trace()
    ) {
        world = SimulatedWorld(seed: seed, trace: trace)
        guard let other = world.add(peripheral, address: Self.address, conditions: conditions),
            let one = world.add(central, conditions: conditions)
        else { return nil }
        self.central = one
        self.peripheral = other
    }
}

extension MonotonicInstant {
    static func seconds(_ count: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: UInt64(count * 1e9)) }

    func microseconds(since earlier: MonotonicInstant) -> Int { Int((self - earlier).wholeNanoseconds / 1000) }
}
