public import Air
public import Bluetooth
public import Determinism
public import Tuvali

/// A wallet on a simulated device: the core, a simulated stack, and nothing that decides.
///
/// It does in virtual time, on one thread and without tasks, the same as `TuvaliHandover` on a real clock.
public struct SimulatedWallet: SimulatedHost {
    /// The core, to look at.
    public private(set) var session: WalletSession

    /// All that it said, with the instants.
    public private(set) var record = HandOverEventLog<WalletEvent>()

    /// The wallet's answer to a request that it read over the session of these keys; nil ends the session.
    public typealias Answer = @Sendable (VerifierRequestMessage, SessionPublicKeys) -> [UInt8]?

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
    private var stack = HostStack()
    private var link: LinkID?
    private var connectDeadline: MonotonicInstant?
    private var heldCommand: (value: [UInt8], uuid: BluetoothUUID)?
    private var found: [BluetoothUUID] = []
    private var subscriptionsOwed = 0
    private var hasCancelled = false

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

    /// The earliest of the deadlines of core, stack and connection attempt.
    public var nextDeadline: MonotonicInstant? {
        guard !session.isFinished else { return nil }
        let cancel = hasCancelled ? nil : user.cancelsAt
        return [session.nextDeadline, stack.nextDeadline, connectDeadline, cancel, sendsAt].compactMap { $0 }.min()
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
        if let deadline = stack.nextDeadline, now >= deadline {
            run(at: now, into: &commands) { $0.wake(at: now, into: &$1, &$2) }
        }
        feed(.tick, at: now, into: &commands)
    }

    /// Tells the core that the radio cannot go on.
    public mutating func radioFailed(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        feed(.radioFailed("The radio was switched off."), at: now, into: &commands)
    }

    /// Handles an event of the controller.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        // A link of an earlier session does not concern this one.
        switch event {
        case .sent(let link), .received(let link, _), .disconnected(let link, _, _), .statistics(let link, _):
            guard link == self.link else { return }
        case .connected(let link, _, _, _, _): self.link = link
        case .report, .connectCancelled: break
        }
        run(at: now, into: &commands) { $0.handle(event, at: now, into: &$1, &$2) }
        switch event {
        case .sent(let link):
            guard let held = heldCommand, stack.hasRoom(on: link) else { return }
            heldCommand = nil
            write(held.value, to: held.uuid, withResponse: false, on: link, at: now, into: &commands)
        case .disconnected(_, let reason, let statistics):
            record.statistics = statistics
            self.link = nil
            heldCommand = nil
            feed(.disconnected(LinkEndCause(hci: reason)), at: now, into: &commands)
        case .report, .connected, .connectCancelled, .received, .statistics: break
        }
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
        case .disconnect: commands.append(link.map { .disconnect($0) } ?? .cancelConnect)
        case .event(let event): observe(event, at: now, into: &commands)
        case .finished(let ending): record.finish(ending, at: now)
        case .exchangeMTU, .discover, .subscribe, .write, .read:
            if let link { ask(output, of: link, at: now, into: &commands) }
        }
    }

    private mutating func ask(
        _ output: WalletSession.Output, of link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch output {
        case .exchangeMTU(let requested):
            run(at: now, into: &commands) { $0.exchangeMTU(requested, on: link, at: now, into: &$1, &$2) }
        case .discover(let profile):
            run(at: now, into: &commands) { $0.discover(only: profile.service, on: link, at: now, into: &$1, &$2) }
        case .subscribe(let uuids):
            let wanted = found.filter { uuids.contains($0) }
            subscriptionsOwed = wanted.count
            for uuid in wanted {
                run(at: now, into: &commands) { $0.subscribe(to: uuid, on: link, at: now, into: &$1, &$2) }
            }
        case .write(let characteristic, let uuid, let value, let withResponse):
            if characteristic == .submitResponse, record.firstChunkAt == nil { record.firstChunkAt = now }
            if withResponse || stack.hasRoom(on: link) {
                write(value, to: uuid, withResponse: withResponse, on: link, at: now, into: &commands)
            } else {
                heldCommand = (value, uuid)
            }
        case .read(_, let uuid):
            run(at: now, into: &commands) { $0.read(uuid, on: link, at: now, into: &$1, &$2) }
        case .startScanning, .stopScanning, .connect, .disconnect, .event, .finished: break
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

    private mutating func take(_ event: HostStackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .heard(let report): feed(.heard(report), at: now, into: &commands)
        case .connected:
            connectDeadline = nil
            record.connectedAt = now
            feed(.connected, at: now, into: &commands)
        case .connectCancelled:
            connectDeadline = nil
            feed(.connectFailed, at: now, into: &commands)
        case .mtu(_, let mtu):
            feed(mtu.map { .mtu($0) } ?? .mtuFailed(inForce: ATTPDU.minimumMTU), at: now, into: &commands)
        case .discovered(_, let characteristics):
            found = characteristics?.map(\.uuid) ?? []
            feed(found.isEmpty ? .discoveryFailed : .discovered(found), at: now, into: &commands)
        case .subscribed:
            subscriptionsOwed -= 1
            if subscriptionsOwed == 0 { feed(.subscribed(failed: []), at: now, into: &commands) }
        case .wrote(_, let uuid, let isDone):
            guard let characteristic = TuvaliCharacteristic(uuid) else { return }
            feed(isDone ? .written(characteristic) : .writeFailed(characteristic), at: now, into: &commands)
        case .read(_, let uuid, let value):
            guard let characteristic = TuvaliCharacteristic(uuid) else { return }
            feed(
                value.map { .valueRead(characteristic, $0) } ?? .readFailed(characteristic), at: now, into: &commands)
        case .pushed(_, let uuid, let value):
            guard let characteristic = TuvaliCharacteristic(uuid) else { return }
            feed(.received(characteristic, value), at: now, into: &commands)
        case .rssi, .disconnected, .centralWrote, .centralReads, .centralSubscribed: break
        }
    }

    /// Runs an action of the stack, and what it reports.
    private mutating func run(
        at now: MonotonicInstant, into commands: inout [AirCommand],
        _ action: (inout HostStack, inout [AirCommand], inout [HostStackEvent]) -> Void
    ) {
        var events: [HostStackEvent] = []
        action(&stack, &commands, &events)
        for event in events { take(event, at: now, into: &commands) }
    }

    private mutating func write(
        _ value: [UInt8], to uuid: BluetoothUUID, withResponse: Bool, on link: LinkID, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        run(at: now, into: &commands) {
            $0.write(value, to: uuid, on: link, withResponse: withResponse, at: now, into: &$1, &$2)
        }
    }
}
