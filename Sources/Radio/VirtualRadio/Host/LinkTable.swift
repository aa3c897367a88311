import Air
import Bluetooth
import Determinism
import Radio

/// The links of a radio, and the statistics of those that have ended.
struct LinkTable {
    /// The number of ended links that are remembered for their statistics.
    private static let maximumEndedLinks = 256

    /// The sessions, by the number that the air gave them.
    private var sessions: [LinkID: VirtualLinkSession] = [:]
    private var ended: [LinkID: LinkStatistics] = [:]
    private var lastLink: UInt64 = 0

    var isEmpty: Bool { sessions.isEmpty }

    /// The links, oldest first.
    var ordered: [VirtualLinkSession] { sessions.values.sorted { $0.id < $1.id } }

    /// The earliest deadline of all sessions.
    var nextDeadline: MonotonicInstant? { sessions.values.compactMap(\.nextDeadline).min() }

    /// The name of the next link.
    mutating func nextLink() -> LinkID {
        lastLink += 1
        return LinkID(lastLink)
    }

    mutating func add(_ session: VirtualLinkSession) { sessions[session.air] = session }

    /// The link with this number of the air; nil when it is down.
    func session(onAir link: LinkID) -> VirtualLinkSession? { sessions[link] }

    /// The link with this name; nil when it is down.
    func session(_ link: LinkID) -> VirtualLinkSession? { sessions.values.first { $0.id == link } }

    /// Takes a link out; false when that was done before.
    mutating func remove(_ session: VirtualLinkSession) -> Bool { sessions.removeValue(forKey: session.air) != nil }

    /// Remembers the statistics of a link that has ended.
    mutating func remember(_ session: VirtualLinkSession) {
        ended[session.id] = session.statistics
        if ended.count > Self.maximumEndedLinks, let oldest = ended.keys.min() { ended[oldest] = nil }
    }

    /// The counters of a link, also for a while after its end.
    func statistics(of link: LinkID) -> LinkStatistics? { session(link)?.statistics ?? ended[link] }
}
