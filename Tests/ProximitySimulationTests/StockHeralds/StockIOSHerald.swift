import Air
import Bluetooth
import Determinism

@testable import StockHeralds

/// An iPhone with the deployed iOS library in front: a short scan every two seconds, and links to its like that stay.
struct StockIOSHerald: ProximityHost {
    private struct Peer: Sendable {
        let target: UInt64
        var link: LinkID
        var isIOS = false
        var isKept = false
        var pollDue: MonotonicInstant?
    }

    private static let scanInterval = Duration.seconds(2)

    /// The payload that it serves.
    let payload: [UInt8]

    private var stack = HostStack(maximumMTU: 517)
    private var records = StockHeraldRecords()
    private var peers: [Peer] = []
    private var centrals: [(link: LinkID, address: DeviceAddress, wakeDue: MonotonicInstant?)] = []
    private var attempt: (target: UInt64, due: MonotonicInstant)?
    private var scanDue = MonotonicInstant.zero
    private var heardInThisScan: Set<DeviceAddress> = []
    private var events: [HostStackEvent] = []
    private var notes: [ProximityObservation] = []

    /// Makes an iPhone.
    init(payload: [UInt8]) { self.payload = payload }

    /// The time of the next timer; nil for none.
    var nextDeadline: MonotonicInstant? {
        var next = scanDue
        if let attempt { next = min(next, attempt.due) }
        for due in peers.compactMap(\.pollDue) + centrals.compactMap(\.wakeDue) { next = min(next, due) }
        if let due = stack.nextDeadline { next = min(next, due) }
        return next
    }

    /// Returns its events.
    mutating func drainNotes(into notes: inout [ProximityObservation]) {
        notes += self.notes
        self.notes.removeAll(keepingCapacity: true)
    }

    /// Begins.
    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        stack.publish(StockHeraldWire.services(of: .ios22, payload: payload))
        advertise(into: &commands)
        commands.append(.startScanning(isActive: false))
        scanDue = now + Self.scanInterval
    }

    private func advertise(into commands: inout [AirCommand]) {
        commands.append(
            .startAdvertising(
                data: StockHeraldWire.advertisement(of: .ios22, pseudo: []), scanResponse: [],
                intervalMicroseconds: 250_000, isConnectable: true))
    }

    /// Handles an event of the Bluetooth controller.
    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        stack.handle(event, at: now, into: &commands, &events)
        settle(at: now, into: &commands)
    }

    /// Goes on with the schedule.
    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let due = stack.nextDeadline, due <= now { stack.wake(at: now, into: &commands, &events) }
        if let attempt, attempt.due <= now {
            fail(attempt.target, at: now)
            commands.append(.cancelConnect)
            self.attempt?.due = now + .seconds(12)
        }
        for index in peers.indices where peers[index].pollDue.map({ $0 <= now }) ?? false {
            peers[index].pollDue = nil
            stack.write(
                [], to: StockHeraldWire.iosSignal, on: peers[index].link, at: now, into: &commands, &events)
        }
        for index in centrals.indices where centrals[index].wakeDue.map({ $0 <= now }) ?? false {
            centrals[index].wakeDue = nil
            stack.notify([], of: StockHeraldWire.iosSignal, on: centrals[index].link, at: now, into: &commands)
        }
        if scanDue <= now {
            scanDue = now + Self.scanInterval
            heardInThisScan = []
            connectNext(at: now, into: &commands)
        }
        settle(at: now, into: &commands)
    }

    private mutating func settle(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while !events.isEmpty { take(events.removeFirst(), at: now, into: &commands) }
    }

    private mutating func take(_ event: HostStackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .heard(let report): hear(report, at: now)
        case .connectCancelled: attempt = nil
        case .connected(let link, let peer, let isCentral):
            connected(link, peer, isCentral, at: now, into: &commands)
        case .discovered(let link, let found): discovered(link, found, at: now, into: &commands)
        case .read(let link, let uuid, let value):
            if uuid == StockHeraldWire.payload { hasRead(link, value, at: now, into: &commands) }
        case .subscribed(let link, _):
            guard let index = peers.firstIndex(where: { $0.link == link }) else { return }
            peers[index].pollDue = now
        case .wrote(let link, _, _), .pushed(let link, _, _):
            if peers.contains(where: { $0.link == link && $0.isKept }), case .wrote = event {
                commands.append(.readStatistics(link))
            }
        case .rssi(let link, let rssi):
            guard let index = peers.firstIndex(where: { $0.link == link && $0.isKept }) else { return }
            peers[index].pollDue = now + Self.scanInterval
            if let rssi { notes.append(.measured(target: peers[index].target, rssi: rssi)) }
        case .disconnected(let link):
            peers.removeAll { $0.link == link }
            centrals.removeAll { $0.link == link }
        case .centralWrote(let link, let uuid, let value, _):
            if uuid == StockHeraldWire.iosSignal { received(value, on: link, at: now) }
        case .mtu, .centralReads, .centralSubscribed: break
        }
    }

    // MARK: - As a central

    /// Takes an advertisement; records one signal strength for each address and scan.
    private mutating func hear(_ report: AdvertisementReport, at now: MonotonicInstant) {
        guard heardInThisScan.insert(report.address).inserted else { return }
        let reading = StockHeraldWire.read(report.data)
        guard reading.hasAssigned || reading.hasDocumented else { return }
        let recordIndex = records.index(of: report.address, pseudo: reading.pseudo, at: now)
        records[recordIndex].updated = now
        records[recordIndex].rssi = report.rssi
        records[recordIndex].isHerald = true
        notes.append(.measured(target: records[recordIndex].target, rssi: report.rssi ?? 0))
    }

    private mutating func connectNext(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard attempt == nil, peers.count < 12 else { return }
        let found = records.all.first { record in
            record.isHerald && record.retryAt <= now && record.updated + .seconds(10) > now
                && !peers.contains { $0.target == record.target }
                && (record.payload == nil || record.system == .ios)
        }
        guard let found else { return }
        attempt = (found.target, now + .seconds(12))
        commands.append(.connect(found.address))
    }

    /// The pause after failures is an exclusive-or where a power was meant.
    private mutating func fail(_ target: UInt64, at now: MonotonicInstant) {
        guard let recordIndex = records.index(ofTarget: target) else { return }
        records[recordIndex].retryAt = now + .seconds(1 + (3 ^ records[recordIndex].failures))
        records[recordIndex].failures += 1
    }

    private mutating func connected(
        _ link: LinkID, _ peer: DeviceAddress, _ isCentral: Bool, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        guard isCentral else {
            centrals.append((link, peer, nil))
            return advertise(into: &commands)
        }
        guard let attempt else { return commands.append(.disconnect(link)) }
        self.attempt = nil
        peers.append(Peer(target: attempt.target, link: link))
        stack.discover(
            [StockHeraldWire.assignedService, StockHeraldWire.documentedService], on: link, at: now, into: &commands,
            &events)
    }

    private mutating func discovered(
        _ link: LinkID, _ found: [RemoteCharacteristic]?, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let index = peers.firstIndex(where: { $0.link == link }),
            let recordIndex = records.index(ofTarget: peers[index].target)
        else { return commands.append(.disconnect(link)) }
        let uuids = found?.map(\.uuid) ?? []
        guard uuids.contains(StockHeraldWire.payload) else {
            // A device without services is never tried again.
            records[recordIndex].isHerald = false
            return commands.append(.disconnect(link))
        }
        peers[index].isIOS = uuids.contains(StockHeraldWire.iosSignal)
        records[recordIndex].system = peers[index].isIOS ? .ios : .android
        if records[recordIndex].payload == nil {
            stack.read(StockHeraldWire.payload, on: link, at: now, into: &commands, &events)
        } else {
            keepOrLeave(index, at: now, into: &commands)
        }
    }

    private mutating func hasRead(
        _ link: LinkID, _ value: [UInt8]?, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let index = peers.firstIndex(where: { $0.link == link }),
            let recordIndex = records.index(ofTarget: peers[index].target)
        else { return }
        if let value, !value.isEmpty {
            records[recordIndex].payload = value
            notes.append(.payloadRead(value))
            notes.append(.identified(target: peers[index].target, payload: value))
        }
        keepOrLeave(index, at: now, into: &commands)
    }

    private mutating func keepOrLeave(_ index: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard peers[index].isIOS else { return commands.append(.disconnect(peers[index].link)) }
        peers[index].isKept = true
        stack.subscribe(
            to: StockHeraldWire.iosSignal, on: peers[index].link, at: now, into: &commands, &events)
    }

    // MARK: - As a peripheral

    /// Each write is a frame of its own; an empty one is answered by an empty push two seconds later.
    private mutating func received(_ value: [UInt8], on link: LinkID, at now: MonotonicInstant) {
        guard let index = centrals.firstIndex(where: { $0.link == link }) else { return }
        guard !value.isEmpty else {
            centrals[index].wakeDue = now + .seconds(2)
            return
        }
        let recordIndex = records.index(of: centrals[index].address, at: now)
        records[recordIndex].updated = now
        let target = records[recordIndex].target
        switch StockHeraldWire.frame(value) {
        case .payload(let payload)?:
            records[recordIndex].payload = payload
            notes.append(.identified(target: target, payload: payload))
        case .rssi(let rssi)?, .sharing(let rssi, _)?: notes.append(.measured(target: target, rssi: rssi))
        case .immediate(let message)?: notes.append(.received(message))
        case nil: break
        }
    }
}
