public import Bluetooth
public import Determinism
public import Simulation

/// A phone with the deployed Android library: scans for four seconds, rests, works off what it found, one device after the other.
public struct StockAndroidHerald: ProximityHost {
    /// Where the schedule stands.
    enum Phase: Hashable, Sendable { case scanning, resting, processing, off }

    /// The one connection that there is at a time.
    struct Work: Sendable {
        enum Stage: Sendable { case connecting, discovering, working, closing }
        let target: UInt64
        var link: LinkID?
        var stage = Stage.connecting
        var pieces: [[UInt8]] = []
        var isMessage = false
    }

    /// Which library.
    public let library: StockHeraldLibrary
    /// Whether the phone can advertise.
    public let canAdvertise: Bool
    /// The payload that it serves.
    public let payload: [UInt8]

    var stack = HostStack(maximumMTU: 517)
    var records = StockHeraldRecords()
    var work: Work?
    var notes: [ProximityNote] = []
    var events: [StackEvent] = []
    /// What centrals wrote and was not whole yet, by their addresses.
    var buffers: [DeviceAddress: [UInt8]] = [:]
    var centrals: [(link: LinkID, address: DeviceAddress)] = []
    private var phase = Phase.off
    private var phaseEnds = MonotonicInstant.zero
    private var workEnds: MonotonicInstant?
    private var processingSince = MonotonicInstant.zero
    private var processed = 0
    private var queue: [UInt64] = []
    private let pseudo: [UInt8]

    /// Makes a phone.
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

    /// How many records it has.
    public var recordCount: Int { records.all.count }

    /// When something is due by itself.
    public var nextDeadline: MonotonicInstant? {
        var next = phase == .processing ? workEnds ?? phaseEnds : phaseEnds
        if let due = stack.nextDeadline { next = min(next, due) }
        return next
    }

    /// Hands over what it noticed.
    public mutating func drainNotes(into notes: inout [ProximityNote]) {
        notes += self.notes
        self.notes.removeAll(keepingCapacity: true)
    }

    /// Queues a message for the device that it calls `target`; false when it does not know it or cannot send any.
    public mutating func send(_ message: [UInt8], to target: UInt64) -> Bool {
        guard library != .android1, let place = records.place(ofTarget: target) else { return false }
        records[place].messages.append(message)
        return true
    }

    /// Begins.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if canAdvertise {
            stack.publish(StockHeraldWire.services(of: library, payload: payload))
            advertise(into: &commands)
        }
        scan(at: now, into: &commands)
    }

    func advertise(into commands: inout [AirCommand]) {
        guard canAdvertise else { return }
        commands.append(
            .startAdvertising(
                data: StockHeraldWire.advertisement(of: library, pseudo: pseudo), scanResponse: [],
                intervalMicroseconds: 250_000, isConnectable: true))
    }

    /// Takes what the controller says.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if case .report(let report) = event { return hear(report, at: now) }
        stack.handle(event, at: now, into: &commands, &events)
        settle(at: now, into: &commands)
    }

    /// Goes on with the schedule.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let due = stack.nextDeadline, due <= now { stack.wake(at: now, into: &commands, &events) }
        if phase == .processing {
            if let due = workEnds, due <= now { abandon(at: now, into: &commands) }
        } else if phaseEnds <= now {
            switch phase {
            case .scanning:
                commands.append(.stopScanning)
                (phase, phaseEnds) = (.resting, now + .seconds(1))
            case .resting: process(at: now, into: &commands)
            default: scan(at: now, into: &commands)
            }
        }
        settle(at: now, into: &commands)
    }

    private mutating func settle(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while !events.isEmpty { take(events.removeFirst(), at: now, into: &commands) }
    }

    // MARK: - The schedule

    private mutating func scan(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        (phase, phaseEnds) = (.scanning, now + .seconds(4))
        commands.append(.startScanning(isActive: true))
    }

    private mutating func process(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        phase = .processing
        processingSince = now
        processed = 0
        if now.nanoseconds > 900_000_000_000 {
            records.forget(before: MonotonicInstant(nanoseconds: now.nanoseconds - 900_000_000_000))
        }
        queue = records.all.filter { task(for: $0, at: now) != nil && $0.updated + .seconds(8) > now }.map(\.target)
        processNext(at: now, into: &commands)
    }

    /// The next device that has a task, unless a minute is over or would be.
    mutating func processNext(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        work = nil
        workEnds = nil
        let elapsed = (now - processingSince).inSeconds
        let predicted = processed == 0 ? 0 : elapsed / Double(processed)
        while elapsed + predicted < 60, !queue.isEmpty {
            let target = queue.removeFirst()
            guard let place = records.place(ofTarget: target), task(for: records[place], at: now) != nil else {
                continue
            }
            processed += 1
            work = Work(target: target)
            workEnds = now + .seconds(8)
            return commands.append(.connect(records[place].address))
        }
        (phase, phaseEnds) = (.off, now + .seconds(2))
    }

    /// The device at work takes too long.
    private mutating func abandon(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let work else { return processNext(at: now, into: &commands) }
        switch work.stage {
        case .connecting:
            self.work?.stage = .closing
            workEnds = now + .seconds(2)
            commands.append(.cancelConnect)
        case .closing: processNext(at: now, into: &commands)
        default:
            self.work?.stage = .closing
            workEnds = now + .seconds(2)
            if let link = work.link { commands.append(.disconnect(link)) }
        }
    }

    mutating func extendWork(at now: MonotonicInstant) { workEnds = now + .seconds(60) }

    // MARK: - What is heard

    private mutating func hear(_ report: AdvertisementReport, at now: MonotonicInstant) {
        let known = records.place(of: report.address)
        let isSame = known.map { records[$0].lastData == report.data } ?? false
        let place: Int
        if isSame, let known {
            place = known
        } else {
            let reading = StockHeraldWire.read(report.data)
            let isHerald = reading.hasDocumented || library == .android22 && reading.hasAssigned
            guard isHerald || reading.isApple && !reading.isExcludedApple else { return }
            place = records.place(of: report.address, pseudo: reading.pseudo, at: now)
            records[place].lastData = report.data
            records[place].isHerald = isHerald
            if !records[place].isConfirmed, records[place].system != .ignored {
                records[place].system =
                    reading.pseudo != nil ? .guessedAndroid : reading.isApple ? .guessedIOS : .guessedAndroid
            }
        }
        records[place].updated = now
        records[place].rssi = report.rssi
        notes.append(.measured(target: records[place].target, rssi: report.rssi ?? 0))
    }
}
