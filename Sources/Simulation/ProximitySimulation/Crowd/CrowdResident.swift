import Bluetooth
import Determinism
import Simulation

/// One end of a connection in a crowd.
struct CrowdLink: Sendable {
    /// The name at this end.
    let number: UInt32
    let peer: Int
    /// The name at the other end.
    var peerNumber: UInt32
    let isCentral: Bool
    let openedAt: UInt64
    /// When the last frame from here arrives there.
    var lastArrival: UInt64
    /// Looks in a row that found the signal too weak.
    var weakLooks = 0
    /// Whether this end has asked for the end.
    var isClosing = false
}

/// A device of a crowd, with who lives on it; of one shard alone.
struct CrowdResident: Sendable {
    /// What a device begins with.
    struct Beginning: Sendable {
        let index: Int
        let phone: CrowdPhone
        let host: any CrowdHost
        let random: SeededRandom
    }

    /// A connect under way; its ticket is 0 when there is none.
    struct Attempt: Sendable {
        var ticket: UInt32 = 0
        var address = DeviceAddress(value: 0, kind: .public)
    }

    let index: Int
    let phone: CrowdPhone
    var host: any CrowdHost
    var random: SeededRandom
    var sequence: UInt32 = 0
    /// When the host is woken; `.max` when it is not.
    var scheduled: UInt64 = .max
    var isScanning = false
    var isAdvertising = false
    var attempt = Attempt()
    var lastTicket: UInt32 = 0
    /// Since when it has been listening; `.max` while it is not.
    var listeningSince = UInt64.max
    /// Since when it has not been listening.
    var deafSince: UInt64 = 0
    /// For how long it has listened since the last look.
    var listened: UInt64 = 0
    /// How many others it heard at the last look.
    var heardCount = 0
    var links: [CrowdLink] = []
    var lastLink: UInt32 = 0
    /// Whose each target of its is; 0: not known, else the number and one.
    var owners: [UInt32] = []
    /// Who is really behind each target of its, for a log.
    var names: [UInt64: Int] = [:]
    var figures = DeviceFigures()
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ beginning: Beginning) {
        index = beginning.index
        phone = beginning.phone
        host = beginning.host
        random = beginning.random
    }

    /// Whether its radio hears advertisements now.
    var canListen: Bool { isScanning && !(phone.isDeafWhileConnecting && attempt.ticket != 0) }

    /// Takes note of whether it listens from now on.
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

    /// Reads a little of all that an event needs.
    func touch() -> UInt64 {
        var sum = UInt64(index) &+ scheduled &+ digest &+ listeningSince &+ UInt64(figures.linkBytes)
        sum &+= UInt64(links.count) &+ UInt64(figures.pairs.states.count)
        return sum
    }

    mutating func nextSequence() -> UInt32 {
        sequence &+= 1
        return sequence
    }

    mutating func mix(_ word: UInt64) { digest = (digest ^ word) &* 0x0000_0100_0000_01B3 &+ (digest >> 29) }
}
