public import Air
public import Bluetooth
public import Determinism
public import Tuvali

/// A wallet on a simulated device: the core, a GATT client, and nothing that decides.
///
/// It does in virtual time, on one thread and without tasks, the same as `TuvaliHandover` on a real clock.
public struct SimulatedWallet: SimulatedHost {
    /// The core, to look at.
    public private(set) var session: WalletSession

    /// All that it said, with the instants.
    public private(set) var record = HandOverEventLog<WalletEvent>()

    /// The wallet's answer to a request that it read over the session of these keys; nil ends the session.
    public typealias Answer = @Sendable (RequestMessage, ChannelKeys) -> [UInt8]?

    /// The steps of the hand-over as a model of it names them.
    public private(set) var steps = WalletSteps()

    /// The stages that the core has been in, in the order of the first visits, with the times of these.
    public private(set) var stageTimes: [(stage: WalletSession.Stage, at: MonotonicInstant)] = [(.idle, .zero)]

    /// The stages that the core has been in, in the order of the first visits.
    public var stages: [WalletSession.Stage] { stageTimes.map(\.stage) }

    private var payload: [UInt8]
    private let user: SimulatedUser
    private let answer: Answer?
    private var sendsAt: MonotonicInstant?
    private var client = GATTClient()
    private var queue: FrameQueue<Never>?
    private var connectDeadline: MonotonicInstant?
    private var lastID: UInt64 = 0
    private var purposes: [UInt64: Purpose] = [:]
    private var characteristics: [RemoteCharacteristic] = []
    private var heldCommand: (pdu: [UInt8], handle: UInt16)?
    private var subscriptionsOwed = 0
    private var hasCancelled = false

    private enum Purpose {
        case mtu
        case services
        case characteristics
        case subscription
        case write(TuvaliCharacteristic)
        case read(TuvaliCharacteristic)
    }

    /// Makes a wallet that hands `payload` over as soon as it may.
    ///
    /// - Parameters:
    ///   - user: how long its user thinks before sending, and when they give up.
    ///   - answer: makes what is sent to the verifier's request; nil sends `payload` whatever the verifier asks.
    public init(
        session: WalletSession, payload: [UInt8], user: SimulatedUser = SimulatedUser(), answer: Answer? = nil
    ) {
        self.session = session
        self.payload = payload
        self.user = user
        self.answer = answer
    }

    /// The earliest of the deadlines of core, client and connection attempt.
    public var nextDeadline: MonotonicInstant? {
        guard !session.isFinished else { return nil }
        let cancel = hasCancelled ? nil : user.cancelsAt
        return [session.nextDeadline, client.nextDeadline, connectDeadline, cancel, sendsAt].compactMap { $0 }.min()
    }

    /// Begins to look for the verifier.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        feed(.start, at: now, into: &commands)
    }

    /// Handles the deadlines that have passed.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let cancelsAt = user.cancelsAt, !hasCancelled, now >= cancelsAt {
            hasCancelled = true
            feed(.cancel, at: now, into: &commands)
        }
        if let instant = sendsAt, now >= instant { send(at: now, into: &commands) }
        if let deadline = connectDeadline, now >= deadline {
            connectDeadline = nil
            commands.append(.cancelConnect)
        }
        if let deadline = client.nextDeadline, now >= deadline { ask(.deadline, at: now, into: &commands) }
        feed(.tick, at: now, into: &commands)
    }

    /// Tells the core that the radio cannot go on.
    public mutating func radioFailed(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        feed(.radioFailed("The radio was switched off."), at: now, into: &commands)
    }

    /// Handles an event of the controller.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .report(let report): feed(.heard(report), at: now, into: &commands)
        case .connected(let link, _, _, _, let capacity):
            connectDeadline = nil
            client = GATTClient()
            queue = FrameQueue(link: link, capacity: capacity)
            record.connectedAt = now
            feed(.connected, at: now, into: &commands)
        case .connectCancelled:
            connectDeadline = nil
            feed(.connectFailed, at: now, into: &commands)
        case .sent(let link):
            if queue?.link == link { frameSent(at: now, into: &commands) }
        case .received(let link, let frame):
            guard queue?.link == link, let pdu = attributePDU(in: frame) else { return }
            ask(.received(pdu), at: now, into: &commands)
        case .statistics: break
        case .disconnected(let link, let reason, let statistics):
            // The end of a link of an earlier session does not concern this one.
            guard queue?.link == link else { return }
            record.statistics = statistics
            queue = nil
            heldCommand = nil
            ask(.linkDown, at: now, into: &commands)
            feed(.disconnected(LinkEnd(hci: reason)), at: now, into: &commands)
        }
    }

    private mutating func frameSent(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        queue?.sent(into: &commands)
        guard let held = heldCommand, queue?.hasRoom == true else { return }
        heldCommand = nil
        perform(.writeCommand(held.pdu, handle: held.handle), as: .write(.submitResponse), at: now, into: &commands)
    }

    private mutating func feed(
        _ input: WalletSession.Input, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        var outputs: [WalletSession.Output] = []
        let stage = session.stage
        session.handle(input, at: now, into: &outputs)
        steps.add(input, in: stage, causing: outputs, at: now)
        visitStage(at: now)
        apply(outputs, at: now, into: &commands)
    }

    private mutating func apply(
        _ outputs: [WalletSession.Output], at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        for output in outputs { apply(output, at: now, into: &commands) }
    }

    private mutating func apply(
        _ output: WalletSession.Output, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch output {
        case .startScanning: commands.append(.startScanning(isActive: true))
        case .stopScanning: commands.append(.stopScanning)
        case .connect(let address, let timeout):
            connectDeadline = now + timeout
            commands.append(.connect(address))
        case .exchangeMTU(let requested): perform(.exchangeMTU(requested), as: .mtu, at: now, into: &commands)
        case .discover(let profile):
            perform(.discoverServices(profile.service), as: .services, at: now, into: &commands)
        case .subscribe(let uuids): subscribe(uuids, at: now, into: &commands)
        case .write(let characteristic, let uuid, let value, let withResponse):
            write(value, to: characteristic, uuid, withResponse: withResponse, at: now, into: &commands)
        case .read(let characteristic, let uuid): read(characteristic, uuid, at: now, into: &commands)
        case .disconnect: commands.append(queue.map { .disconnect($0.link) } ?? .cancelConnect)
        case .event(let event): observe(event, at: now, into: &commands)
        case .finished(let ending): record.finish(ending, at: now)
        }
    }

    private mutating func observe(
        _ event: WalletEvent, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        record.add(event, at: now)
        if let answer, case .requested(let request, let keys) = event {
            guard let answered = answer(request, keys) else { return feed(.cancel, at: now, into: &commands) }
            payload = answered
        }
        guard event == .secureChannelEstablished else { return }
        guard user.thinks > .zero else { return send(at: now, into: &commands) }
        sendsAt = now + user.thinks
    }

    private mutating func send(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sendsAt = nil
        var outputs: [WalletSession.Output] = []
        do {
            try session.send(payload, at: now, into: &outputs)
        } catch {
            session.handle(.cancel, at: now, into: &outputs)
        }
        steps.add(nil, in: .ready, causing: outputs, at: now)
        visitStage(at: now)
        apply(outputs, at: now, into: &commands)
    }

    private mutating func visitStage(at now: MonotonicInstant) {
        let stage = session.stage
        guard stageTimes.last?.stage != stage, !stageTimes.contains(where: { $0.stage == stage }) else { return }
        stageTimes.append((stage, now))
    }
}

// Requests of the core to the link.
extension SimulatedWallet {
    private mutating func subscribe(
        _ uuids: [BluetoothUUID], at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        let wanted = characteristics.filter { uuids.contains($0.uuid) }
        subscriptionsOwed = wanted.count
        for characteristic in wanted {
            perform(.subscribe(characteristic, isOn: true), as: .subscription, at: now, into: &commands)
        }
    }

    private mutating func write(
        _ value: [UInt8], to characteristic: TuvaliCharacteristic, _ uuid: BluetoothUUID, withResponse: Bool,
        at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let handle = characteristics.first(where: { $0.uuid == uuid })?.valueHandle else {
            return feed(.writeFailed(characteristic), at: now, into: &commands)
        }
        if characteristic == .submitResponse, record.firstChunkAt == nil { record.firstChunkAt = now }
        if withResponse {
            perform(.write(value, handle: handle), as: .write(characteristic), at: now, into: &commands)
        } else if queue?.hasRoom == true {
            perform(.writeCommand(value, handle: handle), as: .write(characteristic), at: now, into: &commands)
        } else {
            heldCommand = (value, handle)
        }
    }

    private mutating func read(
        _ characteristic: TuvaliCharacteristic, _ uuid: BluetoothUUID, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        guard let handle = characteristics.first(where: { $0.uuid == uuid })?.valueHandle else {
            return feed(.readFailed(characteristic), at: now, into: &commands)
        }
        perform(.read(handle: handle), as: .read(characteristic), at: now, into: &commands)
    }

    private mutating func perform(
        _ procedure: GATTClient.Procedure, as purpose: Purpose, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        lastID += 1
        purposes[lastID] = purpose
        ask(.perform(id: lastID, procedure), at: now, into: &commands)
    }

    private mutating func ask(
        _ input: GATTClient.Input, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        for output in client.handle(input, at: now) {
            switch output {
            case .send(let pdu): queue?.add(pdu, into: &commands)
            case .mtuChanged(let mtu): feed(.mtu(mtu), at: now, into: &commands)
            case .completed(let id, let outcome): completed(id, outcome, at: now, into: &commands)
            case .failed(let id, _): failed(id, at: now, into: &commands)
            case .value(let value, let handle, _): pushed(value, handle: handle, at: now, into: &commands)
            case .dropped: break
            case .linkFailed: if let link = queue?.link { commands.append(.disconnect(link)) }
            }
        }
    }

    private mutating func completed(
        _ id: UInt64, _ outcome: GATTClient.GATTProcedureResult, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch (purposes.removeValue(forKey: id), outcome) {
        case (.mtu, .mtu(let mtu)): feed(.mtu(mtu), at: now, into: &commands)
        case (.services, .services(let services)):
            guard let service = services.first else {
                return feed(.discoveryFailed, at: now, into: &commands)
            }
            perform(.discoverCharacteristics(of: service), as: .characteristics, at: now, into: &commands)
        case (.characteristics, .characteristics(let found)):
            characteristics = found
            feed(.discovered(found.map(\.uuid)), at: now, into: &commands)
        case (.subscription, _): subscriptionEnded(at: now, into: &commands)
        case (.write(let characteristic), _): feed(.written(characteristic), at: now, into: &commands)
        case (.read(let characteristic), .value(let value)):
            feed(.valueRead(characteristic, value), at: now, into: &commands)
        default: break
        }
    }

    private mutating func failed(_ id: UInt64, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        let purpose = purposes.removeValue(forKey: id)
        // A request that fails because the link is down is no failure of its own: the core hears of the link.
        guard queue != nil else { return }
        switch purpose {
        case .mtu: feed(.mtuFailed(inForce: ATTPDU.minimumMTU), at: now, into: &commands)
        case .services, .characteristics: feed(.discoveryFailed, at: now, into: &commands)
        case .subscription: subscriptionEnded(at: now, into: &commands)
        case .write(let characteristic): feed(.writeFailed(characteristic), at: now, into: &commands)
        case .read(let characteristic): feed(.readFailed(characteristic), at: now, into: &commands)
        case nil: break
        }
    }

    private mutating func subscriptionEnded(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        subscriptionsOwed -= 1
        if subscriptionsOwed == 0 { feed(.subscribed(failed: []), at: now, into: &commands) }
    }

    private mutating func pushed(
        _ value: [UInt8], handle: UInt16, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let uuid = characteristics.first(where: { $0.valueHandle == handle })?.uuid,
            let characteristic = WireProfile.allCases.lazy.compactMap({ $0.characteristic(with: uuid) }).first
        else { return }
        feed(.received(characteristic, value), at: now, into: &commands)
    }
}
