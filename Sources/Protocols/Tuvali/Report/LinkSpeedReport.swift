public import Bluetooth

/// The speed of a hand-over, and the cause that limited it.
public struct LinkSpeedReport: Hashable, Sendable {
    /// The cause that limited the speed of a hand-over.
    public enum Bottleneck: String, Hashable, Sendable, CaseIterable {
        /// The link carried as much as it can.
        case link
        /// The ATT MTU in force wastes room in link-layer packets.
        case mtu
        /// The receiving host dropped write commands, which had to be sent again.
        case receiver
        /// Link-layer packets were lost and sent again.
        case interference
        /// The sender's queue ran empty, so that the sender limited the speed.
        case sender
        /// The transfer took only a few connection intervals: round trips, not throughput, limited it.
        case roundTrips = "round-trips"
        /// The radio's counters do not suffice to find the cause.
        case unknown
    }

    /// The counters of the radio.
    public var statistics: LinkStatistics

    /// The time from the connection to the first chunk, in seconds; nil when no chunk was sent.
    public var setupSeconds: Double?

    /// The time from the first chunk to the success report, in seconds; nil when there was no success report.
    public var transferSeconds: Double?

    /// The numbers of the transfer: bytes, chunks and repetitions; nil when it did not end successfully.
    public var summary: TransferSummary?

    /// Makes a link report from its parts.
    public init(
        statistics: LinkStatistics, setupSeconds: Double? = nil, transferSeconds: Double? = nil,
        summary: TransferSummary? = nil
    ) {
        self.statistics = statistics
        self.setupSeconds = setupSeconds
        self.transferSeconds = transferSeconds
        self.summary = summary
    }

    /// The speed in sealed bytes a second, from the first chunk to the success report.
    public var bytesPerSecond: Double? {
        guard let summary, let transferSeconds, transferSeconds > 0 else { return nil }
        return Double(summary.sealedBytes) / transferSeconds
    }

    /// The highest speed that the link could carry, in bytes a second.
    public var limitBytesPerSecond: Double? { statistics.parameters?.limitBytesPerSecond }

    /// The speed as a share of the link's limit, usually from 0 to 1.
    public var limitShare: Double? {
        guard let bytesPerSecond, let limitBytesPerSecond, limitBytesPerSecond > 0 else { return nil }
        return bytesPerSecond / limitBytesPerSecond
    }

    /// The cause that limited the speed, derived from the counters.
    public var bottleneck: Bottleneck {
        guard let limitShare, let parameters = statistics.parameters, let summary else { return .unknown }
        if limitShare >= 0.85 { return .link }
        if summary.failureFrameCount > 0 { return .receiver }
        let packets = max(statistics.packetsSent ?? 0, statistics.packetsReceived ?? 0)
        if let retransmissions = statistics.retransmissions, retransmissions * 20 > packets { return .interference }
        if parameters.bytesPerSecond(mtu: statistics.mtu) < 0.9 * parameters.limitBytesPerSecond { return .mtu }
        if let transferSeconds, transferSeconds * 1e6 < Double(parameters.intervalMicroseconds) * 12 {
            return .roundTrips
        }
        guard let idle = statistics.idleEvents, let busy = statistics.busyEvents, idle * 10 > busy else {
            return .roundTrips
        }
        return .sender
    }
}
