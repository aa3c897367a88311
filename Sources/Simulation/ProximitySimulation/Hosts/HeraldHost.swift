public import Air
public import Bluetooth
public import Determinism
public import Herald

/// A device with Herald on any simulated air: the core as on a real radio, on a real GATT stack.
public struct HeraldHost: CrowdHost {
    /// The times at which the screen of an iPhone shows the application; otherwise that is in the background.
    public struct ScreenUseTimes: Hashable, Sendable {
        /// The time from one use of the screen to the next.
        public var period: Duration
        /// The length of each use of the screen.
        public var lasting: Duration
        /// The time at which the application is first in the foreground.
        public var first: Duration

        /// A screen that is never used: beyond the longest run.
        public static let never = ScreenUseTimes(
            period: .seconds(2 * 366 * 86_400), lasting: .seconds(1), first: .seconds(366 * 86_400))

        /// Makes screen times.
        public init(period: Duration, lasting: Duration, first: Duration) {
            self.period = period
            self.lasting = lasting
            self.first = first
        }
    }

    /// The use of the screen, which takes the application to the foreground and back.
    private struct ForegroundSchedule: Sendable {
        /// Nil for a device whose screen does not matter.
        let times: ScreenUseTimes?
        private(set) var isInBackground = false
        /// The time of the next change.
        private(set) var due: MonotonicInstant?

        init(times: ScreenUseTimes?) { self.times = times }

        mutating func start(at now: MonotonicInstant) {
            guard let times else { return }
            isInBackground = times.first > .zero
            due = now + (isInBackground ? times.first : times.lasting)
        }

        /// Turns the screen on or off; false where it does not matter.
        mutating func turn(at now: MonotonicInstant) -> Bool {
            guard let times else { return false }
            isInBackground.toggle()
            due = now + (isInBackground ? max(.seconds(1), times.period - times.lasting) : times.lasting)
            return true
        }
    }

    /// The advertisement of an iPhone whose application is in the background: the overflow area with Herald's bit.
    static let backgroundAdvertisement: [UInt8] =
        [0x02, 0x01, 0x1A, 0x14, 0xFF, 0x4C, 0x00, 0x01] + [UInt8](repeating: 0, count: 10) + [0x20]
        + [UInt8](repeating: 0, count: 5)

    private static let advertisingIntervalMicroseconds = 250_000

    // The most accessed properties come first, adjacent in memory.

    /// The Herald node of the device.
    public private(set) var node: HeraldNode

    private var stack: HostStack
    private var scratch = HostEventBuffers()
    private var outgoing: [(node: LinkID, air: LinkID)] = []
    private var centrals: [LinkID] = []
    private var connecting: LinkID?
    private var screen: ForegroundSchedule

    /// True when the host's events are kept for `drainEvents`.
    public var keepsEvents = false

    private var events: [HeraldEvent] = []
    /// The cancelled connection attempts whose end the controller has not reported yet.
    private var givenUp: [LinkID] = []
    private var advertisement: HeraldAdvertisement?
    private let origin: WallTime

    /// Makes a host around a node that has not begun.
    public init(
        _ node: HeraldNode, origin: WallTime = WallTime(millisecondsSinceEpoch: 1_767_225_600_000),
        screen: ScreenUseTimes? = nil, maximumMTU: Int = 185
    ) {
        self.node = node
        self.origin = origin
        self.screen = ForegroundSchedule(times: screen)
        stack = HostStack(maximumMTU: maximumMTU)
    }

    /// The number of records in the Herald core.
    public var recordCount: Int { node.deviceCount }

    /// Counts the records in the Herald core.
    public mutating func countRecords() -> Int { node.deviceCount }

    /// The earliest deadline of the node, the stack and the screen.
    public var nextDeadline: MonotonicInstant? {
        var next = node.nextDeadline
        if let due = stack.nextDeadline { next = min(next ?? due, due) }
        if let due = screen.due { next = min(next ?? due, due) }
        return next
    }

    /// The next deadline in nanoseconds; `.max` for none.
    public mutating func dueInstant() -> UInt64 {
        min(
            node.nextDeadline?.nanoseconds ?? .max, stack.nextDeadline?.nanoseconds ?? .max,
            screen.due?.nanoseconds ?? .max)
    }

    /// Reads a part of the memory that the next event needs, so that it is prefetched.
    public mutating func prefetch(_ depth: Int) -> UInt64 {
        node.prefetch(depth) &+ stack.prefetch(depth) &+ (depth == 0 ? UInt64(outgoing.count) : 0)
    }

    /// Reads a part of the records of these devices, so that they are prefetched.
    public mutating func prefetch(_ addresses: Span<DeviceAddress>) -> UInt64 { node.prefetch(addresses) }

    /// Swaps the host's lists for these.
    public mutating func exchange(_ scratch: inout HostEventBuffers) { swap(&self.scratch, &scratch) }

    /// Starts the node, in the foreground or in the background.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        screen.start(at: now)
        feed(.start(origin), at: now, into: &commands)
    }

    /// Handles an event of the controller.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if case .report(let report) = event {
            notice(
                report.address, kind: report.kind, rssi: report.rssi, data: report.data.span, at: now, into: &commands)
        } else {
            stack.handle(event, at: now, into: &commands, &scratch.stackEvents)
            settle(at: now, into: &commands)
        }
    }

    /// Handles a received advertisement.
    public mutating func hear(
        _ address: DeviceAddress, kind: AdvertisementReport.Kind, rssi: Int, data: Span<UInt8>,
        at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        notice(address, kind: kind, rssi: rssi, data: data, at: now, into: &commands)
    }

    /// Handles the deadlines that have passed.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let due = screen.due, due <= now { turnScreen(at: now, into: &commands) }
        if let due = stack.nextDeadline, due <= now {
            stack.wake(at: now, into: &commands, &scratch.stackEvents)
            settle(at: now, into: &commands)
        }
        if let due = node.nextDeadline, due <= now { feed(.tick, at: now, into: &commands) }
    }

    /// Sends a message of the application.
    public mutating func send(
        _ message: [UInt8], to recipients: HeraldNode.MessageTargets, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) throws(HeraldError) -> HeraldNode.DispatchedMessage {
        let dispatch = try node.send(message, to: recipients, at: now, into: &scratch.outputs)
        settle(at: now, into: &commands)
        return dispatch
    }

    /// Moves the events of the node into `notes`.
    public mutating func drainNotes(into notes: inout [ProximityObservation]) {
        guard !scratch.notes.isEmpty else { return }
        notes += scratch.notes
        scratch.notes.removeAll(keepingCapacity: true)
    }

    /// Appends the core's events since the last call to `events`.
    public mutating func drainEvents(into events: inout [HeraldEvent]) {
        events += self.events
        self.events.removeAll(keepingCapacity: true)
    }

    /// Reports to the core that the device has another address.
    public mutating func addressChanged(
        to address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        feed(.addressChanged, at: now, into: &commands)
    }

    // MARK: - Into the core

    private mutating func notice(
        _ address: DeviceAddress, kind: AdvertisementReport.Kind, rssi: Int?, data: Span<UInt8>,
        at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        // An application in the background does not hear others that are.
        if screen.isInBackground, Self.isInBackground(data) { return }
        node.hear(address, kind: kind, rssi: rssi, data: data, at: now, into: &scratch.outputs)
        settle(at: now, into: &commands)
    }

    private static func isInBackground(_ data: Span<UInt8>) -> Bool {
        guard data.count == backgroundAdvertisement.count else { return false }
        for index in data.indices where data[index] != backgroundAdvertisement[index] { return false }
        return true
    }

    private mutating func feed(
        _ input: HeraldNode.Input, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        node.handle(input, at: now, into: &scratch.outputs)
        settle(at: now, into: &commands)
    }

    /// Carries out the core's outputs and gives it the stack's events, until neither has any left.
    private mutating func settle(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while true {
            if !scratch.outputs.isEmpty {
                // Carrying out appends to the commands and to the stack's events, never to the outputs.
                for index in scratch.outputs.indices { carryOut(scratch.outputs[index], at: now, into: &commands) }
                scratch.outputs.removeAll(keepingCapacity: true)
            } else if !scratch.stackEvents.isEmpty {
                let event = scratch.stackEvents.removeFirst()
                if let input = input(for: event, into: &commands) {
                    node.handle(input, at: now, into: &scratch.outputs)
                }
            } else {
                return
            }
        }
    }

    private mutating func input(for event: HostStackEvent, into commands: inout [AirCommand]) -> HeraldNode.Input? {
        switch event {
        case .heard(let report): return .heard(report)
        case .connectCancelled:
            if !givenUp.isEmpty { return .connectFailed(givenUp.removeFirst()) }
            defer { connecting = nil }
            return connecting.map { .connectFailed($0) }
        case .connected(let link, let peer, let isCentral):
            guard isCentral else {
                centrals.append(link)
                return .centralConnected(link, peer)
            }
            guard let connecting else {
                commands.append(.disconnect(link))
                return nil
            }
            self.connecting = nil
            outgoing.append((connecting, link))
            return .connected(connecting)
        case .centralWrote(let link, let uuid, let value, let isCommand):
            return .centralWrote(link, uuid, value, isCommand: isCommand)
        case .centralSubscribed(let link, let uuid, let isOn):
            return .centralSubscribed(link, uuid, isOn)
        case .disconnected(let link): return disconnected(link)
        case .discovered(let link, let found):
            guard let link = name(link) else { return nil }
            guard let found else { return .discoveryFailed(link) }
            return .discovered(link, found.map(\.uuid))
        case .read(let link, let uuid, let value):
            if uuid == HeraldUUIDs.payload, let value { scratch.notes.append(.payloadRead(value)) }
            guard let link = name(link) else { return nil }
            guard let value else { return .readFailed(link, uuid) }
            return .read(link, uuid, value)
        case .mtu, .centralReads: return nil
        case .wrote(let link, _, let isDone): return name(link).map { isDone ? .written($0) : .writeFailed($0) }
        case .subscribed(let link, let isDone):
            return name(link).map { isDone ? .subscribed($0) : .subscribeFailed($0) }
        case .pushed(let link, let uuid, let value): return name(link).map { .notified($0, uuid, value) }
        case .rssi(let link, let rssi):
            guard let link = name(link) else { return nil }
            guard let rssi else { return .linkRSSIFailed(link) }
            return .linkRSSI(link, rssi)
        }
    }

    private mutating func disconnected(_ link: LinkID) -> HeraldNode.Input? {
        if let index = centrals.firstIndex(of: link) {
            centrals.remove(at: index)
            return .centralDisconnected(link)
        }
        guard let index = outgoing.firstIndex(where: { $0.air == link }) else { return nil }
        return .disconnected(outgoing.remove(at: index).node)
    }

    private func name(_ link: LinkID) -> LinkID? { outgoing.first { $0.air == link }?.node }

    // MARK: - Out of the core

    private mutating func carryOut(
        _ output: HeraldNode.Output, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch output {
        case .publish(let services): stack.publish(services)
        case .setValue(let value, let uuid): stack.setValue(value, of: uuid)
        case .startAdvertising(let advertisement):
            self.advertisement = advertisement
            advertise(into: &commands)
        case .stopAdvertising:
            advertisement = nil
            commands.append(.stopAdvertising)
        case .startScanning: commands.append(.startScanning(isActive: false))
        case .stopScanning: commands.append(.stopScanning)
        case .connect(let link, let address, _):
            connecting = link
            commands.append(.connect(address))
        case .disconnect(let link): disconnect(link, into: &commands)
        case .notify(let central, let uuid, let value):
            stack.notify(
                value, of: uuid, on: central, at: now, into: &commands)
        case .disconnectCentral(let central):
            commands.append(.disconnect(central))
        case .event(let event): report(event)
        case .discover(let link, let services):
            guard let link = air(link) else { return }
            stack.discover(services, on: link, at: now, into: &commands, &scratch.stackEvents)
        case .read(let link, let uuid):
            guard let link = air(link) else { return }
            stack.read(uuid, on: link, at: now, into: &commands, &scratch.stackEvents)
        case .write(let link, let uuid, let value):
            guard let link = air(link) else { return }
            stack.write(value, to: uuid, on: link, at: now, into: &commands, &scratch.stackEvents)
        case .subscribe(let link, let uuid):
            guard let link = air(link) else { return }
            stack.subscribe(to: uuid, on: link, at: now, into: &commands, &scratch.stackEvents)
        case .readRSSI(let link):
            if let link = air(link) { commands.append(.readStatistics(link)) }
        }
    }

    private func air(_ link: LinkID) -> LinkID? { outgoing.first { $0.node == link }?.air }

    private mutating func disconnect(_ link: LinkID, into commands: inout [AirCommand]) {
        if connecting == link {
            connecting = nil
            givenUp.append(link)
            commands.append(.cancelConnect)
        } else if let link = air(link) {
            commands.append(.disconnect(link))
        }
    }

    private mutating func report(_ event: HeraldEvent) {
        switch event {
        case .measured(let reading):
            scratch.notes.append(.measured(target: reading.target.number, rssi: Int(reading.rssi)))
        case .read(let target, let payload, _):
            scratch.notes.append(.identified(target: target.number, payload: payload))
        case .merged(let target, let other): scratch.notes.append(.merged(target: target.number, into: other.number))
        case .received(let message, _): scratch.notes.append(.received(message))
        case .state, .detected, .recognised, .shared, .distance, .transmitPower, .model, .sent, .notSent, .legacy,
            .contactBegan, .contactEnded, .visit, .forgotten, .ownPayload, .noPayload, .trouble:
            break
        }
        if keepsEvents { events.append(event) }
    }

    // MARK: - What the system does to an application in the background

    private mutating func advertise(into commands: inout [AirCommand]) {
        guard let advertisement else { return }
        commands.append(
            .startAdvertising(
                data: screen.isInBackground ? Self.backgroundAdvertisement : advertisement.data,
                scanResponse: screen.isInBackground ? [] : advertisement.scanResponse,
                intervalMicroseconds: Self.advertisingIntervalMicroseconds, isConnectable: true))
    }

    private mutating func turnScreen(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard screen.turn(at: now) else { return }
        advertise(into: &commands)
    }
}
