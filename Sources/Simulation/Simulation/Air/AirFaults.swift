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

    private var loss: SeededRandom
    private var drops: SeededRandom

    /// Takes the larger share of both ends; generators are drawn from `random`.
    init(central: AirConditions, peripheral: AirConditions, random: inout SeededRandom) {
        packetLossShare = max(central.packetLossShare, peripheral.packetLossShare)
        writeCommandDropShare = max(central.writeCommandDropShare, peripheral.writeCommandDropShare)
        loss = random.split()
        drops = random.split()
    }

    /// Whether nothing gets through at all.
    var isDeaf: Bool { packetLossShare >= 1 }

    /// Whether the packet that ends now arrived corrupted.
    mutating func corruptsPacket() -> Bool {
        packetLossShare > 0 && loss.chance(packetLossShare)
    }

    /// Whether the receiving host drops `frame`: an ATT write command from the central, if chance wills it.
    mutating func dropsFrame(_ frame: [UInt8], from side: AirSide) -> Bool {
        guard writeCommandDropShare > 0, side == .central, FrameSummary.isWriteCommand(frame) else { return false }
        return drops.chance(writeCommandDropShare)
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

    /// Whether a scanner misses the advertising event that happens now.
    mutating func missesReport() -> Bool {
        lossShare > 0 && loss.chance(lossShare)
    }
}
