public import Determinism
public import Herald

/// An event of a device of a crowd, or a true position, with the time.
///
/// Events come in the order of time.
public struct CrowdLogEntry: Hashable, Sendable {
    /// The content of a log entry.
    public enum Content: Hashable, Sendable {
        /// An event of the core, and the true device that it is about.
        case event(HeraldEvent, about: Int?)
        /// The device and another were in range of each other from an instant until now.
        case near(Int, since: MonotonicInstant)
        /// The distance between the device and another, in metres.
        case distance(Int, Double)
    }

    /// The number of the device, from 0.
    public var device: Int
    /// The time of the entry.
    public var at: MonotonicInstant
    /// The content of the entry.
    public var content: Content
}

/// Collects the log of the devices of one shard.
struct CrowdLog: Sendable {
    private let look: UInt64
    private var entries: [CrowdLogEntry] = []

    /// Makes an empty log.
    ///
    /// - Parameter look: nanoseconds between two reports of advertisements.
    init(look: UInt64) { self.look = look }

    /// Returns the entries since the last call.
    mutating func drain() -> [CrowdLogEntry] {
        defer { entries = [] }
        return entries
    }

    private mutating func add(_ content: CrowdLogEntry.Content, of device: CrowdDevice, at instant: UInt64) {
        entries.append(
            CrowdLogEntry(device: device.index, at: MonotonicInstant(nanoseconds: instant), content: content))
    }

    /// Logs the events of a device's host, which `peer` caused.
    mutating func noteEvents(of device: inout CrowdDevice, from peer: Int?, at now: UInt64) {
        var events: [HeraldEvent] = []
        device.host.drainEvents(into: &events)
        for event in events {
            // The device behind a target is the one that caused its detection.
            if case .detected(let target) = event, let peer { device.measurements.names[target.number] = peer }
            let known = event.target.flatMap { device.measurements.names[$0.number] }
            add(.event(event, about: known), of: device, at: now)
        }
    }

    /// Logs the time for which two devices were in range, and every ten seconds their distance.
    ///
    /// - Parameter pairIndex: the index of the pair in the device's table.
    mutating func noteNear(
        _ device: inout CrowdDevice, _ other: Int, _ pairIndex: Int, _ positions: DevicePositions, at now: UInt64
    ) {
        // Each device looks at a moment of its own within the interval; windows count whole intervals.
        let moment = now / look * look
        let state = device.measurements.figures.pairs.details[pairIndex]
        if let since = state.nearSince, moment - min(state.nearUntil, moment) > look {
            add(.near(other, since: MonotonicInstant(nanoseconds: since)), of: device, at: state.nearUntil + look)
            device.measurements.figures.pairs.details[pairIndex].nearSince = moment
        }
        if state.nearSince == nil { device.measurements.figures.pairs.details[pairIndex].nearSince = moment }
        device.measurements.figures.pairs.details[pairIndex].nearUntil = moment
        guard now / look % max(1, 10_000_000_000 / look) == 0 else { return }
        let square = positions.antennas[other].position.squaredDistance(to: positions.antennas[device.index].position)
        add(.distance(other, square.squareRoot()), of: device, at: now)
    }

    /// Logs the times in range that have not ended when the run ends.
    mutating func noteRest(of device: CrowdDevice, at end: UInt64) {
        for (pairIndex, state) in device.measurements.figures.pairs.details.enumerated() {
            guard let since = state.nearSince else { continue }
            let other = Int(device.measurements.figures.pairs.others[pairIndex])
            let until = min(state.nearUntil + look, end)
            add(.near(other, since: MonotonicInstant(nanoseconds: since)), of: device, at: until)
        }
    }
}

extension HeraldEvent {
    /// The device that the event is about; nil when it is about the device itself.
    fileprivate var target: TargetID? {
        switch self {
        case .state, .ownPayload, .noPayload: nil
        case .detected(let target), .recognised(let target), .forgotten(let target), .merged(let target, _): target
        case .read(let target, _, _), .legacy(let target, _, _), .contactBegan(let target, _, _): target
        case .shared(_, let target, _), .received(_, let target), .sent(_, let target): target
        case .notSent(_, let target, _), .transmitPower(let target, _), .model(let target, _): target
        case .measured(let reading): reading.target
        case .distance(let target, _): target
        case .contactEnded(let contact): contact.target
        case .visit(let visit): visit.target
        case .trouble(_, let target): target
        }
    }
}
