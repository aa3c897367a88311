import Air
import Bluetooth
import Determinism

/// A link as one of its hosts knows it.
struct OpenLink: Hashable, Sendable {
    let id: LinkID
    let parameters: LinkParameters
    let capacity: Int
}

/// A host that keeps its queue as full as it may: `frame`, numbered, `count` times or for ever.
struct Flooder: SimulatedHost {
    let target: DeviceAddress?
    let frame: [UInt8]
    let count: Int
    let window: Int
    let disconnectsAtEnd: Bool
    private(set) var log = HostLog()
    private var begun = 0

    init(
        target: DeviceAddress?, frame: [UInt8], count: Int = .max, window: Int = .max, disconnectsAtEnd: Bool = false
    ) {
        self.target = target
        self.frame = frame
        self.count = count
        self.window = window
        self.disconnectsAtEnd = disconnectsAtEnd
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

    /// The number of a frame of at least nine bytes.
    static func number(of frame: [UInt8]) -> Int {
        frame[5..<9].reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func send(on link: LinkID, into commands: inout [AirCommand]) {
        guard begun < count else { return }
        var numbered = frame
        if frame.count >= 9 {
            for (place, shift) in zip(5..<9, [24, 16, 8, 0]) {
                numbered[place] = UInt8(truncatingIfNeeded: begun >> shift)
            }
        }
        begun += 1
        commands.append(.send(link, frame: numbered))
        if begun == count, disconnectsAtEnd { commands.append(.disconnect(link)) }
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

/// A host that does nothing unasked.
struct Idler: SimulatedHost {
    private(set) var log = HostLog()

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        log.add(event, at: now)
    }
}

/// All events of a host, with their times.
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
        conditions: DeviceRadioConditions = DeviceRadioConditions(), trace: SimulationTrace? = SimulationTrace()
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

/// The air was full.
struct AirIsFull: Error {}

extension SimulatedWorld {
    /// Adds a device, which must find room.
    mutating func join(
        _ host: some SimulatedHost, address: DeviceAddress? = nil,
        conditions: DeviceRadioConditions = DeviceRadioConditions()
    ) throws -> AirDeviceID {
        guard let device = add(host, address: address, conditions: conditions) else { throw AirIsFull() }
        return device
    }
}

extension SimulatedAir {
    /// Attaches a device, which must find room.
    mutating func join(address: DeviceAddress? = nil) throws -> (device: AirDeviceID, address: DeviceAddress) {
        guard let attached = attach(address: address) else { throw AirIsFull() }
        return attached
    }
}
