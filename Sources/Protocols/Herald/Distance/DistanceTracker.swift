public import Determinism

/// Estimates the distances of all nearby devices separately from the readings of a node (HP-43).
///
/// It looks at readings and changes none. A window that is over is answered for every device, however many there are,
/// when `nextDeadline` is reached. Only what this device's own radio measured counts; what others write is a claim of
/// theirs.
public struct DistanceTracker: Sendable {
    /// A distance estimate and the device it is for.
    public struct DeviceDistance: Hashable, Sendable {
        /// The device that the estimate is for.
        public var target: TargetID
        /// The estimated distance of the device.
        public var estimate: DistanceEstimate
    }

    private struct TrackedDevice: Sendable {
        let target: TargetID
        var peer: PhoneSystem?
        var estimator: DistanceEstimator
        var lastReading: MonotonicInstant
    }

    private let own: PhoneSystem?
    private let model: DistanceModel
    private let limit: Int
    /// The tracked devices, in the order of their targets.
    private var entries: [TrackedDevice] = []

    /// The end of the next window of readings; nil when none is open.
    public private(set) var nextDeadline: MonotonicInstant?

    /// Makes a tracker without devices.
    ///
    /// - Parameters:
    ///   - own: the system of this device; nil when it is neither.
    ///   - limit: the most devices that it follows, 5 KiB each; beyond it, the one heard longest ago is left out.
    public init(own: PhoneSystem?, model: DistanceModel = .shipped, limit: Int = 1024) {
        self.own = own
        self.model = model
        self.limit = max(1, limit)
    }

    /// Returns the last estimate of a device; nil before its first window has ended.
    public func latest(of target: TargetID) -> DistanceEstimate? {
        index(of: target).flatMap { entries[$0].estimator.latest }
    }

    /// Adds a reading; appends the estimate of a window of that device that ended before it.
    public mutating func take(_ reading: SignalReading, into answers: inout [DeviceDistance]) {
        guard reading.provenance.isOwnObservation else { return }
        let index = entry(for: reading.target, at: reading.at)
        let wasOpen = entries[index].estimator.nextDeadline
        let estimate = entries[index].estimator.take(rssi: Double(reading.rssi), at: reading.at)
        entries[index].lastReading = reading.at
        if let estimate { answers.append(DeviceDistance(target: reading.target, estimate: estimate)) }
        guard let deadline = entries[index].estimator.nextDeadline, deadline != wasOpen else { return }
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    /// Ends every window whose time has passed, and appends their estimates in the order of the devices.
    public mutating func advance(to now: MonotonicInstant, into answers: inout [DeviceDistance]) {
        guard let deadline = nextDeadline, now >= deadline else { return }
        nextDeadline = nil
        for index in entries.indices {
            if let estimate = entries[index].estimator.advance(to: now) {
                answers.append(DeviceDistance(target: entries[index].target, estimate: estimate))
            }
            guard let deadline = entries[index].estimator.nextDeadline else { continue }
            nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }
    }

    /// Sets the operating system of a device; a change resets its estimates.
    public mutating func setSystem(_ peer: PhoneSystem?, of target: TargetID, at now: MonotonicInstant) {
        let index = entry(for: target, at: now)
        guard entries[index].peer != peer else { return }
        entries[index].peer = peer
        entries[index].estimator = makeEstimator(peer)
    }

    /// Handles an event of a node: a reading, or a device that was forgotten or merged.
    ///
    /// Appends the estimates of windows that ended before the event.
    public mutating func take(_ event: HeraldEvent, into answers: inout [DeviceDistance]) {
        switch event {
        case .measured(let reading): take(reading, into: &answers)
        case .forgotten(let target), .merged(let target, _): forget(target)
        default: break
        }
    }

    /// Removes the readings of a device.
    public mutating func forget(_ target: TargetID) {
        if let index = index(of: target) { entries.remove(at: index) }
    }

    private func makeEstimator(_ peer: PhoneSystem?) -> DistanceEstimator {
        DistanceEstimator(pair: PhoneSystemPair(own: own, peer: peer), model: model)
    }

    /// Returns the index of a device's entry; adds one if it is new.
    private mutating func entry(for target: TargetID, at now: MonotonicInstant) -> Int {
        if let existing = index(of: target) { return existing }
        if entries.count >= limit, let oldest = entries.indices.min(by: { isOlder($0, $1) }) {
            entries.remove(at: oldest)
        }
        let index = lowerBound(of: target)
        let entry = TrackedDevice(target: target, peer: nil, estimator: makeEstimator(nil), lastReading: now)
        entries.insert(entry, at: index)
        return index
    }

    private func isOlder(_ left: Int, _ right: Int) -> Bool { entries[left].lastReading < entries[right].lastReading }

    private func index(of target: TargetID) -> Int? {
        let index = lowerBound(of: target)
        return index < entries.count && entries[index].target == target ? index : nil
    }

    private func lowerBound(of target: TargetID) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].target < target { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
