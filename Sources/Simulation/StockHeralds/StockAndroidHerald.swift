public import Air
public import Bluetooth
public import Determinism

/// A phone with the deployed Android library: scans for four seconds, rests, connects to the found devices one after
/// the other.
public struct StockAndroidHerald: ProximityHost {
    /// The phase of the library's schedule.
    private enum Phase: Hashable, Sendable { case scanning, resting, processing, off }

    /// The phase, and what is worked off in it.
    private struct Schedule: Sendable {
        var phase = Phase.off
        var phaseEnds = MonotonicInstant.zero
        var workEnds: MonotonicInstant?
        var processingSince = MonotonicInstant.zero
        var processed = 0
        var queue: [UInt64] = []
    }

    /// The one connection that the library has at a time.
    private struct ActiveConnection: Sendable {
        enum Stage: Sendable { case connecting, discovering, working, closing }
        let target: UInt64
        var link: LinkID?
        var stage = Stage.connecting
        var pieces: [[UInt8]] = []
        var isMessage = false
    }

    /// The Herald library that is modelled.
    public let library: StockHeraldLibrary
    /// True when the phone can advertise.
    public let canAdvertise: Bool
    /// The payload that the phone serves.
    public let payload: [UInt8]

    private var stack = HostStack(maximumMTU: 517)
    private var records = StockHeraldRecords()
    private var work: ActiveConnection?
    private var notes: [ProximityObservation] = []
    private var events: [HostStackEvent] = []
    /// The incomplete writes of centrals, by their addresses.
    private var buffers: [DeviceAddress: [UInt8]] = [:]
    private var centrals: [(link: LinkID, address: DeviceAddress)] = []
    private var schedule = Schedule()
    private let pseudo: [UInt8]

    /// Makes a phone with a Herald library.
    ///
    /// - Parameter pseudo: six bytes by which it is known when its address changes; C++ and iOS have none.
    public init(
        _ library: StockHeraldLibrary = .android22, payload: [UInt8], canAdvertise: Bool = true,
        pseudo: [UInt8] = [1, 2, 3, 4, 5, 6]
    ) {
        self.library = library
        self.payload = payload
        self.canAdvertise = canAdvertise
        self.pseudo = pseudo
    }

    /// The number of records of other devices.
    public var recordCount: Int { records.all.count }

    /// The next time at which the library acts without an input.
    public var nextDeadline: MonotonicInstant? {
        var next = schedule.phase == .processing ? schedule.workEnds ?? schedule.phaseEnds : schedule.phaseEnds
        if let due = stack.nextDeadline { next = min(next, due) }
        return next
    }

    /// Moves the events of the library into `notes`.
    public mutating func drainNotes(into notes: inout [ProximityObservation]) {
        notes += self.notes
        self.notes.removeAll(keepingCapacity: true)
    }

    /// Queues a message for the device of record `target`; false when that is unknown or the library sends none.
    public mutating func send(_ message: [UInt8], to target: UInt64) -> Bool {
        guard library != .android1, let index = records.index(ofTarget: target) else { return false }
        records[index].messages.append(message)
        return true
    }

    /// Starts the library.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if canAdvertise {
            stack.publish(StockHeraldWire.services(of: library, payload: payload))
            advertise(into: &commands)
        }
        scan(at: now, into: &commands)
    }

    private func advertise(into commands: inout [AirCommand]) {
        guard canAdvertise else { return }
        commands.append(
            .startAdvertising(
                data: StockHeraldWire.advertisement(of: library, pseudo: pseudo), scanResponse: [],
                intervalMicroseconds: 250_000, isConnectable: true))
    }

    /// Handles an event of the controller.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if case .report(let report) = event { return hear(report, at: now) }
        stack.handle(event, at: now, into: &commands, &events)
        settle(at: now, into: &commands)
    }

    /// Advances the library's schedule: scanning, resting, processing.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let due = stack.nextDeadline, due <= now { stack.wake(at: now, into: &commands, &events) }
        if schedule.phase == .processing {
            if let due = schedule.workEnds, due <= now { abandon(at: now, into: &commands) }
        } else if schedule.phaseEnds <= now {
            switch schedule.phase {
            case .scanning:
                commands.append(.stopScanning)
                schedule.phase = .resting
                schedule.phaseEnds = now + .seconds(1)
            case .resting: process(at: now, into: &commands)
            case .off, .processing: scan(at: now, into: &commands)
            }
        }
        settle(at: now, into: &commands)
    }

    private mutating func settle(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while !events.isEmpty { take(events.removeFirst(), at: now, into: &commands) }
    }

    // MARK: - The schedule

    private mutating func scan(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        schedule.phase = .scanning
        schedule.phaseEnds = now + .seconds(4)
        commands.append(.startScanning(isActive: true))
    }

    private mutating func process(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        schedule.phase = .processing
        schedule.processingSince = now
        schedule.processed = 0
        if now.nanoseconds > 900_000_000_000 {
            records.forget(before: MonotonicInstant(nanoseconds: now.nanoseconds - 900_000_000_000))
        }
        schedule.queue = records.all.filter { task(for: $0, at: now) != nil && $0.updated + .seconds(8) > now }.map(
            \.target)
        processNext(at: now, into: &commands)
    }

    /// Connects to the next device that has a task, unless processing would exceed a minute.
    private mutating func processNext(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        work = nil
        schedule.workEnds = nil
        let elapsed = (now - schedule.processingSince).inSeconds
        let predicted = schedule.processed == 0 ? 0 : elapsed / Double(schedule.processed)
        while elapsed + predicted < 60, !schedule.queue.isEmpty {
            let target = schedule.queue.removeFirst()
            guard let index = records.index(ofTarget: target), task(for: records[index], at: now) != nil else {
                continue
            }
            schedule.processed += 1
            work = ActiveConnection(target: target)
            schedule.workEnds = now + .seconds(8)
            return commands.append(.connect(records[index].address))
        }
        schedule.phase = .off
        schedule.phaseEnds = now + .seconds(2)
    }

    /// Abandons the device at work after its time-out.
    private mutating func abandon(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let work else { return processNext(at: now, into: &commands) }
        switch work.stage {
        case .connecting:
            self.work?.stage = .closing
            schedule.workEnds = now + .seconds(2)
            commands.append(.cancelConnect)
        case .closing: processNext(at: now, into: &commands)
        case .discovering, .working:
            self.work?.stage = .closing
            schedule.workEnds = now + .seconds(2)
            if let link = work.link { commands.append(.disconnect(link)) }
        }
    }

    private mutating func extendWork(at now: MonotonicInstant) { schedule.workEnds = now + .seconds(60) }

    // MARK: - What is heard

    private mutating func hear(_ report: AdvertisementReport, at now: MonotonicInstant) {
        let known = records.index(of: report.address)
        let isSame = known.map { records[$0].lastData == report.data } ?? false
        let index: Int
        if isSame, let known {
            index = known
        } else {
            let reading = StockHeraldWire.read(report.data)
            let isHerald = reading.hasDocumented || library == .android22 && reading.hasAssigned
            guard isHerald || reading.isApple && !reading.isExcludedApple else { return }
            index = records.index(of: report.address, pseudo: reading.pseudo, at: now)
            records[index].lastData = report.data
            records[index].isHerald = isHerald
            if !records[index].isConfirmed, records[index].system != .ignored {
                records[index].system =
                    reading.pseudo != nil ? .guessedAndroid : reading.isApple ? .guessedIOS : .guessedAndroid
            }
        }
        records[index].updated = now
        records[index].rssi = report.rssi
        notes.append(.measured(target: records[index].target, rssi: report.rssi ?? 0))
    }

    // MARK: - What is done on links, and what others do

    private enum ConnectionTask: Hashable { case readPayload, send, writePayload, share, writeRSSI }

    /// Returns the next task for a device; nil when there is none.
    private func task(for record: StockHeraldRecord, at now: MonotonicInstant) -> ConnectionTask? {
        if record.system == .ignored {
            guard let until = record.ignoredUntil, until <= now else { return nil }
            return .readPayload
        }
        if record.isReceiveOnly { return nil }
        if !record.isConfirmed { return .readPayload }
        if !record.messages.isEmpty { return .send }
        if record.payload == nil { return .readPayload }
        if !canAdvertise {
            if isDue(record.payloadWritten, .seconds(300), at: now) { return .writePayload }
            if record.system == .ios, isDue(record.shared, .seconds(15), at: now), !shareable(record, at: now).isEmpty {
                return .share
            }
            return isDue(record.rssiWritten, .seconds(15), at: now) && record.rssi != nil ? .writeRSSI : nil
        }
        guard record.system == .ios else { return nil }
        if library == .android22, record.payloadWritten == nil { return .writePayload }
        return isDue(record.shared, .seconds(15), at: now) && !shareable(record, at: now).isEmpty ? .share : nil
    }

    private func isDue(_ last: MonotonicInstant?, _ interval: Duration, at now: MonotonicInstant) -> Bool {
        last.map { $0 + interval <= now } ?? true
    }

    /// Joins the payloads of iPhones that were heard in the last five minutes, except the recipient's.
    private func shareable(_ recipient: StockHeraldRecord, at now: MonotonicInstant) -> [UInt8] {
        var joined: [UInt8] = []
        for record in records.all.sorted(by: { $0.updated > $1.updated }) {
            guard let payload = record.payload, record.target != recipient.target, record.system == .ios,
                record.updated + .seconds(300) > now, joined.count + payload.count <= 510
            else { continue }
            joined += payload
        }
        return joined
    }

    private mutating func take(_ event: HostStackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .connectCancelled: if work?.link == nil { processNext(at: now, into: &commands) }
        case .connected(let link, let peer, let isCentral):
            guard isCentral else {
                centrals.append((link, peer))
                return advertise(into: &commands)
            }
            guard work?.stage == .connecting else { return commands.append(.disconnect(link)) }
            work?.link = link
            work?.stage = .discovering
            extendWork(at: now)
            stack.discover(
                [StockHeraldWire.assignedService, StockHeraldWire.documentedService], on: link, at: now,
                into: &commands, &events)
        case .discovered(let link, let found): discovered(link, found, at: now, into: &commands)
        case .read(let link, let uuid, let value):
            if uuid == StockHeraldWire.payload { hasRead(link, value, at: now, into: &commands) }
        case .wrote(let link, _, let isDone): wrote(link, isDone, at: now, into: &commands)
        case .disconnected(let link):
            buffers[centrals.first { $0.link == link }?.address ?? DeviceAddress(value: 0, kind: .public)] = nil
            centrals.removeAll { $0.link == link }
            if work?.link == link { processNext(at: now, into: &commands) }
        case .centralWrote(let link, let uuid, let value, _):
            if uuid == StockHeraldWire.androidSignal { received(value, on: link, at: now) }
        case .heard, .subscribed, .mtu, .pushed, .rssi, .centralReads, .centralSubscribed: break
        }
    }

    private mutating func discovered(
        _ link: LinkID, _ found: [RemoteCharacteristic]?, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let work, work.link == link, let index = records.index(ofTarget: work.target) else { return }
        let uuids = found?.map(\.uuid) ?? []
        if uuids.contains(StockHeraldWire.androidSignal) {
            records[index].system = .android
        } else if uuids.contains(StockHeraldWire.iosSignal) {
            records[index].system = .ios
        } else {
            let last = records[index].ignoreSeconds
            records[index].ignoreSeconds = last == 0 ? 60 : last < 180 ? (last * 12 + 5) / 10 : last
            records[index].ignoredUntil = now + .seconds(records[index].ignoreSeconds)
            records[index].system = .ignored
            return close(into: &commands)
        }
        if records[index].payload == nil {
            self.work?.stage = .working
            stack.read(StockHeraldWire.payload, on: link, at: now, into: &commands, &events)
        } else {
            advance(at: now, into: &commands)
        }
    }

    private mutating func hasRead(
        _ link: LinkID, _ value: [UInt8]?, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let work, work.link == link, let index = records.index(ofTarget: work.target) else { return }
        guard let value, !value.isEmpty else { return close(into: &commands) }
        records[index].payload = value
        notes.append(.payloadRead(value))
        notes.append(.identified(target: work.target, payload: value))
        advance(at: now, into: &commands)
    }

    private mutating func wrote(
        _ link: LinkID, _ isDone: Bool, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let work, work.link == link, let index = records.index(ofTarget: work.target) else { return }
        guard isDone else { return close(into: &commands) }
        guard work.pieces.isEmpty else { return writeNext(at: now, into: &commands) }
        if work.isMessage, !records[index].messages.isEmpty { records[index].messages.removeFirst() }
        self.work?.isMessage = false
        advance(at: now, into: &commands)
    }

    private mutating func close(into commands: inout [AirCommand]) {
        guard let link = work?.link else { return }
        work?.stage = .closing
        commands.append(.disconnect(link))
    }

    /// Starts the next task of the device on its link; closes the link when there is none.
    private mutating func advance(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let work, let link = work.link, let index = records.index(ofTarget: work.target) else { return }
        self.work?.stage = .working
        switch task(for: records[index], at: now) {
        case nil: close(into: &commands)
        case .readPayload?: stack.read(StockHeraldWire.payload, on: link, at: now, into: &commands, &events)
        case .send?:
            self.work?.isMessage = true
            write(.immediate(records[index].messages[0]), index, at: now, into: &commands)
        case .writePayload?:
            records[index].payloadWritten = now
            write(.payload(payload), index, at: now, into: &commands)
        case .share?:
            records[index].shared = now
            let joined = shareable(records[index], at: now)
            write(.sharing(rssi: records[index].rssi ?? 0, joined), index, at: now, into: &commands)
        case .writeRSSI?:
            records[index].rssiWritten = now
            write(.rssi(records[index].rssi ?? 0), index, at: now, into: &commands)
        }
    }

    private mutating func write(
        _ frame: StockHeraldWire.Frame, _ index: Int, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        let bytes = StockHeraldWire.bytes(frame)
        // To an iPhone a frame goes in one write, which the stack cuts as it must.
        work?.pieces = records[index].system == .ios ? [bytes] : StockHeraldWire.pieces(bytes)
        writeNext(at: now, into: &commands)
    }

    private mutating func writeNext(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let work, let link = work.link, let index = records.index(ofTarget: work.target), !work.pieces.isEmpty
        else { return }
        let piece = work.pieces[0]
        self.work?.pieces.removeFirst()
        let signal = records[index].system == .ios ? StockHeraldWire.iosSignal : StockHeraldWire.androidSignal
        stack.write(piece, to: signal, on: link, at: now, into: &commands, &events)
    }

    // MARK: - What others write

    /// Handles a write: joins pieces by address; only a payload empties the buffer, so a link's second frame is lost.
    private mutating func received(_ value: [UInt8], on link: LinkID, at now: MonotonicInstant) {
        guard let address = centrals.first(where: { $0.link == link })?.address else { return }
        let bytes = buffers[address, default: []] + value
        buffers[address] = bytes
        guard let frame = StockHeraldWire.frame(bytes) else { return }
        let index = records.index(of: address, at: now)
        records[index].updated = now
        let target = records[index].target
        switch frame {
        case .payload(let payload):
            buffers[address] = nil
            records[index].isReceiveOnly = true
            records[index].system = .android
            records[index].payload = payload
            notes.append(.identified(target: target, payload: payload))
        case .rssi(let rssi): notes.append(.measured(target: target, rssi: rssi))
        // A message is taken apart and thrown away; what is shared is reported under the payload's own name.
        case .immediate, .sharing: break
        }
    }
}
