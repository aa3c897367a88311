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
        let phone: CrowdPhone
        let host: any CrowdHost
        let random: SeededRandom
    }

    /// The figures and digest of a device at the end of a run.
    struct DeviceCounts: Sendable {
        let index: Int
        let figures: DeviceFigures
        let digest: UInt64
        let misdeeds: Int
    }

    /// The connection attempt under way; its ticket is 0 when there is none.
    struct Attempt: Sendable {
        var ticket: UInt32 = 0
        var address = DeviceAddress(value: 0, kind: .public)
    }

    let index: Int
    let phone: CrowdPhone
    var host: any CrowdHost
    var random: SeededRandom
    private var sequence: UInt32 = 0
    /// The time at which the host is woken; `.max` when no wake-up is scheduled.
    var scheduled: UInt64 = .max
    var isScanning = false
    var isAdvertising = false
    var attempt = Attempt()
    var lastTicket: UInt32 = 0
    /// The instant since which the device scans, in nanoseconds; `.max` while it does not.
    var listeningSince = UInt64.max
    /// The instant since which the device does not scan, in nanoseconds.
    var deafSince: UInt64 = 0
    /// The time for which the device has scanned since the last report of advertisements, in nanoseconds.
    var listened: UInt64 = 0
    /// The number of other devices that the last report of advertisements contained.
    var heardCount = 0
    var links: [CrowdLink] = []
    var lastLink: UInt32 = 0
    /// The number plus one of the device behind each Herald target of this device; 0 while it is unknown.
    private var owners: [UInt32] = []
    /// The device behind each Herald target of this device, for a log.
    var names: [UInt64: Int] = [:]
    var figures = DeviceFigures()
    private var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ beginning: InitialState) {
        index = beginning.index
        phone = beginning.phone
        host = beginning.host
        random = beginning.random
    }

    /// True while the device's radio hears advertisements.
    var canListen: Bool { isScanning && !(phone.isDeafWhileConnecting && attempt.ticket != 0) }

    /// Updates the scanning times when scanning starts or stops.
    mutating func updateListening(at now: UInt64) {
        if canListen, listeningSince == .max {
            listeningSince = now
            figures.longestScanGap = max(figures.longestScanGap, now - min(deafSince, now))
        } else if !canListen, listeningSince != .max {
            listened += now - listeningSince
            listeningSince = .max
            deafSince = now
        }
    }

    /// Reads a part of the memory that an event needs, so that it is prefetched for several devices at once.
    func prefetch() -> UInt64 {
        var sum = UInt64(index) &+ scheduled &+ digest &+ listeningSince &+ UInt64(figures.linkBytes)
        sum &+= UInt64(links.count) &+ UInt64(figures.pairs.states.count)
        return sum
    }

    mutating func nextSequence() -> UInt32 {
        sequence &+= 1
        return sequence
    }

    mutating func mix(_ word: UInt64) { digest = (digest ^ word) &* 0x0000_0100_0000_01B3 &+ (digest >> 29) }

    /// Returns the device behind a Herald target; nil while it is unknown.
    private func owner(of target: UInt64) -> Int? {
        guard target < UInt64(owners.count), owners[Int(target)] > 0 else { return nil }
        return Int(owners[Int(target)]) - 1
    }

    private mutating func setOwner(_ owner: Int, of target: UInt64) {
        guard target < 1 << 24 else { return }
        while UInt64(owners.count) <= target { owners.append(0) }
        owners[Int(target)] = UInt32(owner) + 1
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
            mix(UInt64(bitPattern: Int64(rssi)) &+ target << 8)
            guard let peer else { return }
            if let owner = owner(of: target), owner != peer { figures.misattributed += 1 }
            figures.noteReading(of: peer, at: seconds)
        case .identified(let target, let payload):
            guard let owner = CrowdPayload.owner(of: payload) else { return }
            mix(UInt64(owner) ^ now)
            setOwner(owner, of: target)
            figures.noteIdentity(of: owner)
        case .payloadRead(let payload):
            if let peer { figures.noteRead(of: peer, payload: payload, at: seconds) }
        case .merged: break
        case .received: figures.messagesReceived += 1
        }
    }

    /// Ends the counting, and returns the device's figures.
    mutating func finish(at end: UInt64) -> DeviceCounts {
        if !canListen { figures.longestScanGap = max(figures.longestScanGap, end - min(deafSince, end)) }
        for link in links where link.isCentral { figures.linkNanoseconds += end - min(link.openedAt, end) }
        figures.finish(at: end / 1_000_000_000)
        return DeviceCounts(index: index, figures: figures, digest: digest, misdeeds: host.misdeeds)
    }
}
