import Determinism

/// Every decision of chance that the air takes about one connection, in one place.
///
/// Each kind of misfortune draws from a generator of its own, so that switching one on does not move the others. A new
/// kind is a new method here and one call where it strikes.
struct AirLinkFaults: Sendable {
    /// The share of link-layer packets that arrive corrupted.
    let packetLossShare: Double

    /// The share of the central's write commands that the peripheral's host drops.
    let writeCommandDropShare: Double

    private let droppedWriteCommands: Set<Int>
    private let droppedNotifications: Set<Int>
    private var writeCommandCount = 0
    private var notificationCount = 0
    private let outages: [Outage]
    private var loss: SeededRandom
    private var drops: SeededRandom
    private var bursts = SeededRandom(seed: 0)

    /// An outage of one end, as the link sees it: its time, its loss share and the ends whose packets are lost.
    private struct Outage: Sendable {
        let from: MonotonicInstant
        let until: MonotonicInstant
        let share: Double
        let silencesCentral: Bool
        let silencesPeripheral: Bool

        init(_ outage: AirOutage, of side: AirLinkRole) {
            from = outage.from
            until = outage.until
            share = outage.lossShare
            let sends = outage.direction != .receiving
            let receives = outage.direction != .sending
            silencesCentral = side == .central ? sends : receives
            silencesPeripheral = side == .central ? receives : sends
        }

        /// Returns true when the outage, in force at `now`, loses every packet of the directions that it affects.
        func isSilence(at now: MonotonicInstant) -> Bool { share >= 1 && from <= now && now < until }

        func strikes(_ side: AirLinkRole, at now: MonotonicInstant) -> Bool {
            from <= now && now < until && (side == .central ? silencesCentral : silencesPeripheral)
        }
    }

    /// Makes a link's faults: the larger share of both ends and the outages of both; generators come from `random`.
    init(central: DeviceRadioConditions, peripheral: DeviceRadioConditions, random: inout SeededRandom) {
        packetLossShare = max(central.packetLossShare, peripheral.packetLossShare)
        writeCommandDropShare = max(central.writeCommandDropShare, peripheral.writeCommandDropShare)
        outages =
            central.outages.map { Outage($0, of: .central) } + peripheral.outages.map { Outage($0, of: .peripheral) }
        droppedWriteCommands = central.droppedWriteCommands.union(peripheral.droppedWriteCommands)
        droppedNotifications = central.droppedNotifications.union(peripheral.droppedNotifications)
        loss = random.split()
        drops = random.split()
        // Drawn only when needed, so that an air without outages has the luck that it always had.
        if !outages.isEmpty { bursts = random.split() }
    }

    /// True when all packets of the link are lost.
    var isDeaf: Bool { packetLossShare >= 1 }

    /// Decides that the packet of `side` that ends now arrived corrupted, or not at all.
    mutating func corruptsPacket(from side: AirLinkRole, at now: MonotonicInstant) -> Bool {
        if packetLossShare > 0, loss.chance(packetLossShare) { return true }
        for outage in outages where outage.strikes(side, at: now) {
            if bursts.chance(outage.share) { return true }
        }
        return false
    }

    /// Returns true when one direction or both are dead at `now`, so that even a link without data is in danger.
    func isSilenced(at now: MonotonicInstant) -> Bool { outages.contains { $0.isSilence(at: now) } }

    /// The beginning of the first silence, which may have passed; nil when there is none.
    var firstSilence: MonotonicInstant? { outages.lazy.filter { $0.share >= 1 }.map(\.from).min() }

    /// The beginning of the next silence after `now`; nil when there is none.
    func nextSilence(after now: MonotonicInstant) -> MonotonicInstant? {
        outages.lazy.filter { $0.share >= 1 && $0.from > now }.map(\.from).min()
    }

    /// Returns true when the receiving host drops `frame`.
    ///
    /// It drops an ATT write command from the central, by chance or by its number, or a notification from the
    /// peripheral, by its number.
    mutating func dropsFrame(_ frame: [UInt8], from side: AirLinkRole) -> Bool {
        if side == .peripheral {
            guard !droppedNotifications.isEmpty, L2CAPFrameSummary.isNotification(frame) else { return false }
            notificationCount += 1
            return droppedNotifications.contains(notificationCount)
        }
        guard L2CAPFrameSummary.isWriteCommand(frame) else { return false }
        writeCommandCount += 1
        if droppedWriteCommands.contains(writeCommandCount) { return true }
        return writeCommandDropShare > 0 && drops.chance(writeCommandDropShare)
    }
}

/// Every decision of chance that the air takes about advertising.
struct AdvertisingFaults: Sendable {
    /// The share of advertising events that one scanner misses, each scanner on its own.
    let lossShare: Double

    private var loss: SeededRandom

    init(lossShare: Double, random: inout SeededRandom) {
        self.lossShare = lossShare
        loss = random.split()
    }

    /// Returns true when a scanner misses the advertising event that happens now.
    mutating func missesReport() -> Bool {
        lossShare > 0 && loss.chance(lossShare)
    }
}
