/// Decides which links stay open on a device that cannot advertise (HP-14).
///
/// It writes to many devices again and again, and a write on an open link takes a twentieth of a second.
struct LinkRetentionPolicy: Sendable {
    /// The largest number of devices that are written to in turn over short links; beyond it, links stay open.
    ///
    /// In turn each takes two seconds, and of half a minute scanning and failures take some.
    static let writtenInTurn = 9
    /// The number of links that remain free for short connections.
    private static let unkeptLinks = 2

    /// The number of devices to write to, and the time of the count; nil before the first.
    private var readers: (count: Int, at: UInt64)?

    /// Returns true when the link to a device may stay open.
    ///
    /// - Parameters:
    ///   - isKept: true when it has been kept before.
    ///   - kept: the number of links that are kept.
    mutating func mayKeep(_ slot: Int, isKept: Bool, kept: Int, _ records: DeviceRecords, at now: UInt64) -> Bool {
        let settings = records.settings
        guard !settings.platform.canAdvertise, settings.configuration.writesUnasked,
            records[slot].signal.writable != nil
        else { return false }
        let readers = countReaders(records, at: now)
        let wanted = min(readers - Self.writtenInTurn, settings.platform.linkLimit - Self.unkeptLinks)
        // The limit to go on is lower than that to begin, so that a number at the edge does not make links come and go.
        return isKept ? kept <= wanted + 2 && readers > Self.writtenInTurn - 2 : kept < wanted
    }

    /// Returns the number of devices to write to, counted at most every five seconds.
    private mutating func countReaders(_ records: DeviceRecords, at now: UInt64) -> Int {
        if let readers, now &- readers.at < 5 * .second { return readers.count }
        let recency = HeraldParameters.sendRecency
        let count = records.count {
            $0.signal.writable != nil && $0.age(at: now) <= recency && $0.verdict != .foreign && !$0.isReceiveOnly
        }
        readers = count > 0 ? (count, now) : nil
        return count
    }
}
