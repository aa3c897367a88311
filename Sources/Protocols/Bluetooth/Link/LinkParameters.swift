/// The physical layer of a link: its symbol rate.
public enum PHY: UInt8, Hashable, Sendable, CaseIterable {
    /// The PHY LE 1M: one megasymbol a second; every device has it.
    case le1M = 1
    /// The PHY LE 2M: two megasymbols a second, optional since version 5.0.
    case le2M = 2

    /// The time that one byte takes on this PHY, in microseconds.
    public var microsecondsPerByte: Int { self == .le1M ? 8 : 4 }

    /// The number of preamble bytes before the access address: 1 on LE 1M, 2 on LE 2M.
    public var preambleBytes: Int { self == .le1M ? 1 : 2 }
}

/// The parameters agreed by the controllers that limit the throughput of a connection.
///
/// Source: Core Specification 5.3, Vol 6 Part B §2.4, §4.1 (inter-frame space), §4.5 (connection events).
public struct LinkParameters: Hashable, Sendable {
    /// The inter-frame space, in microseconds.
    public static let interFrameSpaceMicroseconds = 150

    /// The physical layer, the same in both directions.
    public var phy: PHY

    /// The connection interval in microseconds, a multiple of 1250.
    public var intervalMicroseconds: Int

    /// The most payload bytes of one link-layer data packet: 27 to 251.
    public var dataLengthBytes: Int

    /// The most packets that the central may send in one connection event; nil: as many as the interval holds.
    public var packetsPerEvent: Int?

    /// The largest ATT MTU that both hosts accept: 23 to 517.
    public var maximumMTU: Int

    /// True when the link is encrypted, which adds four bytes to each packet that is not empty.
    public var isEncrypted: Bool

    /// The supervision time-out in milliseconds: 100 to 32,000.
    public var supervisionTimeoutMilliseconds: Int

    /// Makes link parameters without a check, because a simulated link may have wrong ones.
    public init(
        phy: PHY, intervalMicroseconds: Int, dataLengthBytes: Int = 251, packetsPerEvent: Int? = nil,
        maximumMTU: Int = 517, isEncrypted: Bool = false, supervisionTimeoutMilliseconds: Int = 5000
    ) {
        self.phy = phy
        self.intervalMicroseconds = intervalMicroseconds
        self.dataLengthBytes = dataLengthBytes
        self.packetsPerEvent = packetsPerEvent
        self.maximumMTU = maximumMTU
        self.isEncrypted = isEncrypted
        self.supervisionTimeoutMilliseconds = supervisionTimeoutMilliseconds
    }

    /// Returns the time that a packet with `payload` bytes takes to send, in microseconds.
    ///
    /// Counted are preamble, access address (4), header (2), payload, MIC (4, on an encrypted link and not on an empty
    /// packet) and CRC (3).
    public func packetMicroseconds(payload: Int) -> Int {
        let integrityBytes = isEncrypted && payload > 0 ? 4 : 0
        return phy.microsecondsPerByte * (phy.preambleBytes + 4 + 2 + payload + integrityBytes + 3)
    }

    /// Returns the time that one exchange of a packet in each direction takes, in microseconds.
    ///
    /// An exchange is a packet from the central, the inter-frame space, the peripheral's answer and another space.
    public func exchangeMicroseconds(centralPayload: Int, peripheralPayload: Int) -> Int {
        packetMicroseconds(payload: centralPayload) + packetMicroseconds(payload: peripheralPayload)
            + 2 * Self.interFrameSpaceMicroseconds
    }

    /// Returns the number of link-layer packets that carry one L2CAP frame whose ATT PDU has `pduBytes` bytes.
    ///
    /// The L2CAP header adds four bytes.
    public func packetCount(pduBytes: Int) -> Int {
        (pduBytes + 4 + dataLengthBytes - 1) / dataLengthBytes
    }

    /// Returns the highest throughput of write commands or notifications in value bytes a second at an ATT MTU.
    ///
    /// It is reached when the queue is never empty and nothing is lost.
    ///
    /// Packets are laid into one interval after the other as long as the next exchange fits and the link's cap allows;
    /// a packet is never split. Where a frame's packets differ in length, intervals differ too: then this is their mean
    /// over the period after which they repeat.
    public func bytesPerSecond(mtu: Int) -> Double {
        let value = mtu - 3
        guard value > 0, dataLengthBytes > 0, intervalMicroseconds > 0 else { return 0 }
        let fragments = packetCount(pduBytes: mtu)
        var before = [(events: Int, packets: Int)?](repeating: nil, count: fragments)
        var events = 0
        var packets = 0
        while true {
            let phase = packets % fragments
            if let start = before[phase] {
                let frames = Double(packets - start.packets) / Double(fragments)
                return frames * Double(value) / (Double(events - start.events) * Double(intervalMicroseconds) / 1e6)
            }
            before[phase] = (events, packets)
            packets += packetsInEvent(pduBytes: mtu, startingAt: phase)
            events += 1
        }
    }

    /// Returns the packets of a stream of frames that fit one event, at least one, from packet `phase` of a frame on.
    private func packetsInEvent(pduBytes: Int, startingAt phase: Int) -> Int {
        let fragments = packetCount(pduBytes: pduBytes)
        let last = pduBytes + 4 - (fragments - 1) * dataLengthBytes
        let cap = max(1, packetsPerEvent ?? .max)
        var used = 0
        var count = 0
        while count < cap {
            let isLast = (phase + count) % fragments == fragments - 1
            used += exchangeMicroseconds(centralPayload: isLast ? last : dataLengthBytes, peripheralPayload: 0)
            guard used <= intervalMicroseconds || count == 0 else { break }
            count += 1
        }
        return count
    }

    /// The highest throughput of the link in value bytes a second.
    ///
    /// Whole packets per interval, up to the link's cap, times the most value bytes that a packet carries with any ATT
    /// MTU up to `maximumMTU`.
    public var limitBytesPerSecond: Double { bytesPerSecond(mtu: bestMTU) }

    /// The ATT MTU up to `maximumMTU` with which packets carry most value bytes on average.
    ///
    /// The smallest if several do.
    ///
    /// With 251 bytes a packet it is 498 (two full packets), or 247 (one) where less than 492 is allowed. That an
    /// interval may hold one packet more of a smaller size is not looked at, because no controller promises such a
    /// timing.
    public var bestMTU: Int {
        guard dataLengthBytes > 0 else { return ATTPDU.minimumMTU }
        return (ATTPDU.minimumMTU...max(ATTPDU.minimumMTU, maximumMTU)).reduce(ATTPDU.minimumMTU) { best, mtu in
            // Compares (mtu − 3) / packets as products, so that equal shares are equal.
            let share = (mtu - 3) * packetCount(pduBytes: best)
            return share > (best - 3) * packetCount(pduBytes: mtu) ? mtu : best
        }
    }

    /// Named link parameters for commands: two ideal links at 7.5 ms, and two like those of deployed phones.
    public static let named: [(name: String, parameters: LinkParameters)] = [
        ("ideal-1m", LinkParameters(phy: .le1M, intervalMicroseconds: 7500)),
        ("ideal-2m", LinkParameters(phy: .le2M, intervalMicroseconds: 7500)),
        (
            "phone-4.2",
            LinkParameters(phy: .le1M, intervalMicroseconds: 30_000, packetsPerEvent: 6, maximumMTU: 185)
        ),
        ("phone-5", LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)),
    ]
}
