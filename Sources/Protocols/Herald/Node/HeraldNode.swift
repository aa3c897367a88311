public import Bluetooth
public import Determinism

/// One Herald device: finds nearby devices, reads and serves payloads, and measures signal strengths.
///
/// A value without I/O. Its inputs say what the radio heard and did; its outputs say what the radio is to do next and
/// what the user should know, in that order. Nothing that others send makes it trap or grow beyond its limits, and
/// every state that a radio reports has a time-out (HP-21, HP-22). Sources: Herald protocol specification (2020-12-09),
/// and the behaviour of the deployed libraries 2.2 where that is silent.
///
/// This type routes; its parts decide, each with private state. They append outputs themselves, and return what
/// concerns other parts.
public struct HeraldNode: StateMachine, Sendable {
    private enum Phase: Hashable, Sendable {
        /// The node waits for `start`; no other input has an effect.
        case idle
        /// The node runs: between `start` and `stop`.
        case running
        /// The node has stopped; no input has an effect.
        case stopped
    }

    /// The earliest deadline of the parts, as it was computed last.
    private struct Deadline: Sendable {
        var instant: MonotonicInstant?
        /// True when it must be computed again; advertisements seldom move it.
        var isStale = false
    }

    private var phase = Phase.idle
    private var radio = RadioState.on
    private var deadline = Deadline()

    private(set) var records: DeviceRecords
    private var addresses: AddressTracker
    private var links = OutgoingLinks()
    private var queues = ConnectQueues()
    private var scan = ScanSchedule()
    private var incoming = IncomingLinks()
    private var peerWrites = PeerWriteHandler()
    private var messages = OutgoingHeraldMessages()
    private var own: NodeIdentity

    /// Makes a node, which does nothing before `start`.
    ///
    /// - Parameters:
    ///   - supplier: the source of the node's payload.
    ///   - random: the source of pseudo addresses, the key of the tables and the jitter of retries.
    /// - Throws: `herald.configuration.invalid` for a setting outside its range; `herald.advertisement.too-long`.
    public init(
        supplier: any PayloadSupplier, random: any RandomSource,
        configuration: HeraldConfiguration = HeraldConfiguration()
    ) throws(HeraldError) {
        try HeraldConfigurationRules(configuration).check()
        records = DeviceRecords(configuration, random: random)
        addresses = AddressTracker(configuration.detection)
        own = NodeIdentity(supplier: supplier)
    }

    /// The latest time at which the caller gives the input `tick`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? { deadline.instant }

    /// The settings of the node; it adapts them when the radio cannot advertise.
    public var configuration: HeraldConfiguration { records.settings.configuration }

    private mutating func updateDeadline() {
        deadline.isStale = false
        _ = records.takeDeadlineChange()
        guard phase == .running else {
            deadline.instant = nil
            return
        }
        let next = min(
            records.nextDeadline, scan.nextDeadline, own.nextDeadline, links.nextDeadline, incoming.nextDeadline)
        deadline.instant = next == .max ? nil : MonotonicInstant(nanoseconds: next)
    }

    // MARK: - Inputs

    /// Handles one input, and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .idle: if case .start(let wall) = input { start(wall, at: now.nanoseconds, into: &outputs) }
        case .running: take(input, at: now, into: &outputs)
        case .stopped: break
        }
        updateDeadline()
    }

    private mutating func take(_ input: Input, at instant: MonotonicInstant, into outputs: inout [Output]) {
        let now = instant.nanoseconds
        switch input {
        case .start: break
        case .stop: stop(at: now, into: &outputs)
        case .tick: expire(at: now, into: &outputs)
        case .wallTime(let wall):
            own.setWall(wall, at: now)
            own.refreshPayload(&records, incoming, radio, at: now, into: &outputs)
        case .radio(let state): radioChanged(to: state, at: now, into: &outputs)
        case .cannotAdvertise(let reason): stopAdvertising(reason, at: now, into: &outputs)
        case .addressChanged: own.addressChanged(&records, radio, at: now, into: &outputs)
        case .heard(let report):
            hear(
                report.address, kind: report.kind, rssi: report.rssi, data: report.data.span, at: instant,
                into: &outputs)
        case .connected, .connectFailed, .discovered, .discoveryFailed, .read, .readFailed, .written, .writeFailed,
            .subscribed, .subscribeFailed, .notified, .linkRSSI, .linkRSSIFailed, .disconnected:
            follow(takeFromLink(input, at: now, into: &outputs), at: now, into: &outputs)
        case .centralConnected(let link, let address):
            admit(link, AddressIndexKey.key(of: address), at: now, into: &outputs)
        case .centralWrote(let link, let uuid, let value, let isCommand):
            let taken = incoming.take(link, uuid, value, isCommand: isCommand, records.settings, at: now)
            guard let (address, write) = taken else { return }
            peerWrites.take(write, from: address, own: own, &records, &links, at: now, into: &outputs)
        case .centralSubscribed(let link, let uuid, let wants):
            incoming.subscribed(link, uuid, wants, records.settings, at: now)
        case .centralDisconnected(let link): leave(link, at: now, into: &outputs)
        }
    }

    private mutating func takeFromLink(_ input: Input, at now: UInt64, into outputs: inout [Output]) -> LinkConsequence
    {
        switch input {
        case .connected(let link): return links.connected(link, &records, at: now, into: &outputs)
        case .connectFailed(let link): return links.connectFailed(link, &records, at: now, into: &outputs)
        case .discovered(let link, let uuids):
            return links.discovered(link, uuids, &records, &messages, at: now, into: &outputs)
        case .discoveryFailed(let link):
            links.discoveryFailed(link, &records, at: now, into: &outputs)
            return .none
        case .read(let link, let uuid, let value):
            let wall = own.wall(at: now)
            return links.hasRead(link, uuid, value, wall: wall, &records, &messages, at: now, into: &outputs)
        case .readFailed(let link, _): return links.readFailed(link, &records, &messages, at: now, into: &outputs)
        case .written(let link): return links.written(link, &records, &messages, at: now, into: &outputs)
        case .writeFailed(let link): return links.writeFailed(link, &records, &messages, at: now, into: &outputs)
        case .subscribed(let link), .subscribeFailed(let link):
            return links.subscribed(link, &records, &messages, at: now, into: &outputs)
        case .notified(let link, _, _):
            links.notified(link, &records, at: now)
            return .none
        case .linkRSSI(let link, let rssi):
            return links.measured(link, rssi, &records, &messages, at: now, into: &outputs)
        case .linkRSSIFailed(let link):
            return links.measured(link, nil, &records, &messages, at: now, into: &outputs)
        case .disconnected(let link): return links.disconnected(link, &records, &messages, at: now, into: &outputs)
        case .start, .wallTime, .radio, .cannotAdvertise, .addressChanged, .heard, .centralConnected, .centralWrote,
            .centralSubscribed, .centralDisconnected, .tick, .stop:
            preconditionFailure("the input is not about a link")
        }
    }

    /// Handles an advertisement or a scan response like the input `heard`, but without an array.
    ///
    /// - Parameter rssi: in dBm; nil when the radio did not measure it.
    public mutating func hear(
        _ address: DeviceAddress, kind: AdvertisementReport.Kind, rssi: Int?, data: Span<UInt8>,
        at instant: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard phase == .running, radio == .on else { return }
        let now = instant.nanoseconds
        if scan.heard(at: now) { updateDeadline() }
        let key = AddressIndexKey.key(of: address)
        let reading = addresses.read(data)
        guard let (slot, change) = addresses.record(key, reading, rssi: rssi, in: &records, at: now, into: &outputs)
        else { return }
        switch change {
        case .none: break
        case .moved: links.leaveOldAddress(of: slot, &records, at: now, into: &outputs)
        case .merged(let ended):
            links.replace(ended, by: slot, &records)
            links.leaveOldAddress(of: slot, &records, at: now, into: &outputs)
        }
        guard records.note(reading, kind, slot, at: now, into: &outputs) else { return }
        if let rssi, kind != .scanResponse {
            records.measure(slot, rssi, .advertisement, at: now, into: &outputs)
        }
        let (work, waiting) = (records[slot].work, records[slot].waiting)
        if work.contains(.wanted), !work.contains(.linked), !waiting.isQueued, records[slot].retryAt <= now {
            queue(slot, at: now, into: &outputs)
        } else if waiting.isInFaint {
            queues.promote(slot, &records)
        }
        if records.takeDeadlineChange() || deadline.isStale { updateDeadline() }
    }

    // MARK: - Connects

    /// Queues a device for a link, and opens the links that are allowed.
    private mutating func queue(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        queues.add(slot, &records)
        if !records[slot].isCandidate { links.interruptCandidate(&records, at: now, into: &outputs) }
        if !records[slot].isDoubtful { links.shortenDoubtful() }
        connect(at: now, into: &outputs)
    }

    /// Opens as many links as are allowed.
    private mutating func connect(at now: UInt64, into outputs: inout [Output]) {
        deadline.isStale = true
        guard radio == .on, phase == .running else { return }
        let settings = records.settings
        while links.mayOpen,
            let slot = queues.next(endsScan: scan.isEndedByConnect(settings), &records, at: now)
        {
            guard scan.yieldToConnect(settings, at: now, into: &outputs),
                links.makeRoom(for: slot, &records, at: now, into: &outputs)
            else {
                queues.putBack(slot, &records)
                break
            }
            links.open(slot, &records, at: now, into: &outputs)
        }
        scan.resume(isConnecting: links.isConnecting, settings, at: now, into: &outputs)
    }

    private mutating func follow(_ fact: LinkConsequence, at now: UInt64, into outputs: inout [Output]) {
        switch fact {
        case .none: break
        case .mayConnect: connect(at: now, into: &outputs)
        case .ended(let token):
            if let slot = records.slot(of: token) {
                records[slot].work.remove(.linked)
                records.updateWanted(slot, at: now)
                let device = records[slot]
                // A device that left its address while it was connected to was heard under the new one just now, and
                // soon leaves that too.
                let isPressing = device.work.contains(.message) || device.isFleeting
                if isPressing, device.work.contains(.wanted), device.retryAt <= now { queues.add(slot, &records) }
                records.schedule(slot, at: now)
            }
            connect(at: now, into: &outputs)
        }
    }

    // MARK: - Incoming connections

    private mutating func admit(_ link: LinkID, _ address: UInt64, at now: UInt64, into outputs: inout [Output]) {
        guard radio == .on else { return }
        switch incoming.admit(link, address, records.settings, at: now, into: &outputs) {
        case .known: break
        case .refused: own.resumeAdvertising(records, radio, into: &outputs)
        case .admitted:
            own.resumeAdvertising(records, radio, into: &outputs)
            connectBack(address, at: now, into: &outputs)
        }
    }

    /// Queues a device that connected to this one, because it is reachable now.
    ///
    /// That is believed once a minute, so that no device gets more than its share of connects.
    private mutating func connectBack(_ address: UInt64, at now: UInt64, into outputs: inout [Output]) {
        guard let slot = records.find(address), records[slot].address == address else { return }
        let device = records[slot]
        guard device.work.contains(.wanted), !device.work.contains(.linked), !device.reads.contains(.payload),
            device.verdict != .foreign, !device.isCandidate, device.failures > 0 || device.isFaint,
            records[details: slot].connectedToUsAt.map({ now &- min($0, now) >= 60 * .second }) ?? true
        else { return }
        records[details: slot].connectedToUsAt = now
        records[slot].retryAt = min(device.retryAt, now)
        records[slot].work.insert(.justConnected)
        queues.removeFromFaint(slot, &records)
        queues.add(slot, &records)
        links.shortenDoubtful()
        connect(at: now, into: &outputs)
    }

    private mutating func leave(_ link: LinkID, at now: UInt64, into outputs: inout [Output]) {
        guard let (address, wasIncomplete) = incoming.remove(link) else { return }
        if wasIncomplete {
            let target = records.find(address).map { records[$0].id }
            records.report(
                .frameIncomplete, "A link ended in the middle of a frame.", target, at: now, into: &outputs)
        }
        own.releasePayload(&records, incoming, radio, at: now, into: &outputs)
    }

    // MARK: - Start, stop and the radio

    private mutating func start(_ wall: WallTime, at now: UInt64, into outputs: inout [Output]) {
        phase = .running
        own.setWall(wall, at: now)
        outputs.append(.event(.state(radio)))
        beginRadio(at: now, into: &outputs)
    }

    private mutating func beginRadio(at now: UInt64, into outputs: inout [Output]) {
        own.start(&records, incoming, at: now, into: &outputs)
        scan.start(records.settings, at: now, into: &outputs)
    }

    private mutating func stop(at now: UInt64, into outputs: inout [Output]) {
        links.stop(into: &outputs)
        incoming.stop(into: &outputs)
        scan.stop(into: &outputs)
        own.stop(into: &outputs)
        for slot in records.slotsInOrder {
            let error = HeraldError(.sendTimeout, "The node was stopped.")
            messages.failAll(of: slot, error, &records, into: &outputs)
            records.endContact(of: slot, at: now, into: &outputs)
        }
        phase = .stopped
    }

    private mutating func radioChanged(to state: RadioState, at now: UInt64, into outputs: inout [Output]) {
        guard state != radio else { return }
        radio = state
        outputs.append(.event(.state(state)))
        scan = ScanSchedule()
        own.radioLost()
        links.removeAll(&records)
        incoming.removeAll()
        guard state == .on else { return }
        beginRadio(at: now, into: &outputs)
        connect(at: now, into: &outputs)
    }

    /// Switches to writing to others what they cannot read from this device (HP-13, HP-14).
    private mutating func stopAdvertising(_ reason: String, at now: UInt64, into outputs: inout [Output]) {
        guard configuration.platform.canAdvertise else { return }
        records.stopAdvertising()
        own.loseAdvertising()
        outputs.append(.event(.trouble(HeraldError(.advertisingUnsupported, reason), nil)))
        for slot in records.slotsInOrder { update(slot, at: now, into: &outputs) }
        connect(at: now, into: &outputs)
    }

    // MARK: - Deadlines

    private mutating func expire(at now: UInt64, into outputs: inout [Output]) {
        while let slot = records.popDue(at: now) { update(slot, at: now, into: &outputs) }
        var index = 0
        while let due = links.firstDue(from: index, at: now) {
            let fact = links.expire(
                due.index, othersWait: !queues.isIdle, &records, &messages, at: now, into: &outputs)
            follow(fact, at: now, into: &outputs)
            index = links.contains(due.link, at: due.index) ? due.index + 1 : due.index
        }
        incoming.expire(at: now, into: &outputs)
        scan.expire(isConnecting: links.isConnecting, records.settings, at: now, into: &outputs)
        own.expire(&records, incoming, radio, at: now, into: &outputs)
        connect(at: now, into: &outputs)
    }

    /// Does the pending work for a device.
    private mutating func update(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        messages.expire(of: slot, &records, at: now, into: &outputs)
        records.expireContact(of: slot, at: now, into: &outputs)
        let isLinked = records[slot].work.contains(.linked)
        if !isLinked, records[slot].age(at: now) >= records.settings.timing.$recordExpiry {
            let error = HeraldError(.sendTimeout, "The device has not been noticed for long.")
            messages.failAll(of: slot, error, &records, into: &outputs)
            links.close(records.token(slot), &records, at: now, into: &outputs)
            return records.forget(slot, at: now, into: &outputs)
        }
        records.updateWanted(slot, at: now)
        if records[slot].work.contains(.wanted) {
            if isLinked {
                let fact = links.rouse(slot, &records, &messages, at: now, into: &outputs)
                follow(fact, at: now, into: &outputs)
            } else if records[slot].retryAt <= now {
                queues.add(slot, &records)
            }
        }
        records.schedule(slot, at: now)
    }

    // MARK: - Messages

    /// Queues a message of the application; `sent` or `notSent` reports the outcome for each target.
    ///
    /// It is the next thing that is done with each of its targets (HP-50).
    ///
    /// - Parameter message: 1 to 510 bytes; 1 to 509 for devices that are not compliant.
    /// - Throws: `herald.send.too-large`, `herald.send.unknown-target`, `herald.send.queue-full`; nothing is sent then.
    public mutating func send(
        _ message: [UInt8], to recipients: MessageTargets, at instant: MonotonicInstant, into outputs: inout [Output]
    ) throws(HeraldError) -> DispatchedMessage {
        let now = instant.nanoseconds
        let (dispatch, slots) = try messages.accept(
            message, to: recipients, isRunning: phase == .running, &records, at: now, into: &outputs)
        for slot in slots {
            if !records[slot].work.contains(.linked) { queues.add(slot, &records) }
            records.schedule(slot, at: now)
        }
        connect(at: now, into: &outputs)
        for target in dispatch.targets {
            guard let slot = records.slot(of: target) else { continue }
            let fact = links.rouse(slot, &records, &messages, at: now, into: &outputs)
            follow(fact, at: now, into: &outputs)
        }
        updateDeadline()
        return dispatch
    }

    // MARK: - Look-ups

    /// Returns the snapshot of a device; nil when it has no record.
    public func device(_ target: TargetID) -> DeviceSnapshot? { records.slot(of: target).map(records.snapshot) }

    /// The snapshots of all device records, in the order in which the devices were noticed.
    public var devices: [DeviceSnapshot] { records.slotsInOrder.map(records.snapshot) }

    /// The number of devices that have a record.
    public var deviceCount: Int { records.count }

    /// The payload that this device serves; nil without one.
    public var ownPayload: [UInt8]? { records.ownPayload }

    /// The pseudo address that this device advertises; nil without one.
    public var ownPseudoAddress: PseudoDeviceAddress? { own.pseudoAddress }

    /// Reads part of what `hear` needs for these devices into the CPU's caches, without a change.
    ///
    /// So memory fetches it for all at once.
    ///
    /// For simulations of many nodes, whose state does not fit the cache. The sum has no meaning; it keeps the reads
    /// from being left out.
    package func prefetch(_ addresses: Span<DeviceAddress>) -> UInt64 { records.prefetch(addresses) }

    /// Reads part of what the next input needs into the CPU's caches, like the other `prefetch`.
    ///
    /// Prefetches the node's own memory (`depth` 0), or the memory that it refers to (1).
    package func prefetch(_ depth: Int) -> UInt64 {
        guard depth > 0 else {
            return scan.nextDeadline &+ own.nextDeadline &+ UInt64(records.count) &+ (nextDeadline?.nanoseconds ?? 0)
        }
        return records.nextDeadline &+ links.nextDeadline &+ incoming.nextDeadline
    }

    /// Returns the payload of a device; nil while it is not known.
    public func payload(of target: TargetID) -> [UInt8]? { records.slot(of: target).flatMap(records.payload) }
}
