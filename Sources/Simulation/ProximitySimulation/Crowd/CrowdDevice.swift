import Air
import Bluetooth
import Determinism

/// One end of a connection in a crowd.
struct CrowdLink: Sendable {
    /// The number of the connection at this end.
    let number: UInt32
    let peer: Int
    /// The number of the connection at the other end.
    var peerNumber: UInt32
    let isCentral: Bool
    let openedAt: UInt64
    /// The time at which the last frame sent from this end arrives.
    var lastArrival: UInt64
    /// The number of scans in a row that found the signal of the connection too weak.
    var weakLooks = 0
    /// True when this end has requested the disconnect.
    var isClosing = false
}

/// A device of a crowd with its host; it belongs to one shard.
struct CrowdDevice: Sendable {
    /// The initial values of a device in a crowd.
    struct InitialState: Sendable {
        let index: Int
        let phone: CrowdPhoneProfile
        let host: any CrowdHost
        let random: SeededRandom
    }

    /// The figures and digest of a device at the end of a run.
    struct DeviceRunResult: Sendable {
        let index: Int
        let figures: CrowdDeviceFigures
        let digest: UInt64
        let misdeeds: Int
    }

    /// The connection attempt under way; its ticket is 0 when there is none.
    struct CrowdConnectAttempt: Sendable {
        var ticket: UInt32 = 0
        var address = DeviceAddress(value: 0, kind: .public)
    }

    /// The times at which the device scans.
    struct ScanPeriods: Sendable {
        var isScanning = false
        /// The instant since which it scans; `.max` while it does not.
        var since = UInt64.max
        /// The instant since which it does not scan.
        var deafSince: UInt64 = 0
        /// The time for which the device has scanned since the last look, in nanoseconds.
        var time: UInt64 = 0
    }

    /// The last numbers of what the device names.
    struct LastAssignedNumbers: Sendable {
        var event: UInt32 = 0
        var ticket: UInt32 = 0
        var link: UInt32 = 0
    }

    /// The figures of the device, and what they are measured with.
    struct DeviceStatistics: Sendable {
        var figures = CrowdDeviceFigures()
        fileprivate var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        /// The device behind each of its targets: 0 when not known, else the number plus one.
        private var owners: [UInt32] = []
        /// The true device behind each of its targets, for a log.
        var names: [UInt64: Int] = [:]

        fileprivate init() {}

        mutating func mix(_ word: UInt64) { digest = (digest ^ word) &* 0x0000_0100_0000_01B3 &+ (digest >> 29) }

        /// The device of a target; nil when that is not known.
        fileprivate func owner(of target: UInt64) -> Int? {
            guard target < UInt64(owners.count), owners[Int(target)] > 0 else { return nil }
            return Int(owners[Int(target)]) - 1
        }

        fileprivate mutating func setOwner(_ owner: Int, of target: UInt64) {
            guard target < 1 << 24 else { return }
            while UInt64(owners.count) <= target { owners.append(0) }
            owners[Int(target)] = UInt32(owner) + 1
        }
    }

    let index: Int
    let phone: CrowdPhoneProfile
    var host: any CrowdHost
    var random: SeededRandom
    /// The time at which the host is woken; `.max` when no wake-up is scheduled.
    var scheduled: UInt64 = .max
    var listening = ScanPeriods()
    var isAdvertising = false
    var attempt = CrowdConnectAttempt()
    var numbers = LastAssignedNumbers()
    /// The number of other devices that it heard at the last look.
    var heardCount = 0
    var links: [CrowdLink] = []
    var measurements = DeviceStatistics()

    init(_ beginning: InitialState) {
        index = beginning.index
        phone = beginning.phone
        host = beginning.host
        random = beginning.random
    }

    /// True while the device's radio hears advertisements.
    var canListen: Bool { listening.isScanning && !(phone.isDeafWhileConnecting && attempt.ticket != 0) }

    /// Updates the scanning times when scanning starts or stops.
    mutating func updateListening(at now: UInt64) {
        if canListen, listening.since == .max {
            listening.since = now
            measurements.figures.longestScanGap = max(
                measurements.figures.longestScanGap, now - min(listening.deafSince, now))
        } else if !canListen, listening.since != .max {
            listening.time += now - listening.since
            listening.since = .max
            listening.deafSince = now
        }
    }

    /// Reads a part of the memory that an event needs, so that it is prefetched for several devices at once.
    func prefetch() -> UInt64 {
        var sum =
            UInt64(index) &+ scheduled &+ measurements.digest &+ listening.since
            &+ UInt64(measurements.figures.linkBytes)
        sum &+= UInt64(links.count) &+ UInt64(measurements.figures.pairs.states.count)
        return sum
    }

    mutating func nextSequence() -> UInt32 {
        numbers.event &+= 1
        return numbers.event
    }

    /// The index of a connection in the list; nil for one that ended.
    func linkIndex(of number: UInt32) -> Int? {
        for position in links.indices where links[position].number == number { return position }
        return nil
    }

    /// Counts an event of the host; `peer` is the device that caused it.
    mutating func count(_ note: ProximityObservation, from peer: Int?, at now: UInt64) {
        let seconds = now / 1_000_000_000
        switch note {
        case .measured(let target, let rssi):
            measurements.mix(UInt64(bitPattern: Int64(rssi)) &+ target << 8)
            guard let peer else { return }
            if let owner = measurements.owner(of: target), owner != peer { measurements.figures.misattributed += 1 }
            measurements.figures.noteReading(of: peer, at: seconds)
        case .identified(let target, let payload):
            guard let owner = CrowdPayload.owner(of: payload) else { return }
            measurements.mix(UInt64(owner) ^ now)
            measurements.setOwner(owner, of: target)
            measurements.figures.noteIdentity(of: owner)
        case .payloadRead(let payload):
            if let peer { measurements.figures.noteRead(of: peer, payload: payload, at: seconds) }
        case .merged: break
        case .received: measurements.figures.messagesReceived += 1
        }
    }

    /// Ends the counting, and returns the device's figures.
    mutating func finish(at end: UInt64) -> DeviceRunResult {
        if !canListen {
            measurements.figures.longestScanGap = max(
                measurements.figures.longestScanGap, end - min(listening.deafSince, end))
        }
        for link in links where link.isCentral { measurements.figures.linkNanoseconds += end - min(link.openedAt, end) }
        measurements.figures.finish(at: end / 1_000_000_000)
        return DeviceRunResult(
            index: index, figures: measurements.figures, digest: measurements.digest, misdeeds: host.misdeeds)
    }
}
