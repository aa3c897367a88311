import Bluetooth
import Radio

/// Names the links of a radio in both roles, and remembers the statistics of those that have ended.
final class LinkRegistry {
    /// The number of ended links that are remembered for their statistics.
    static let maximumEndedLinks = 256

    private var last: UInt64 = 0
    private var ended: [LinkID: LinkStatistics] = [:]

    /// The name of the next link.
    func next() -> LinkID {
        last += 1
        return LinkID(last)
    }

    /// Remembers a link that has ended, and forgets the oldest when there are too many.
    func remember(_ link: LinkID, _ statistics: LinkStatistics) {
        ended[link] = statistics
        if ended.count > Self.maximumEndedLinks, let oldest = ended.keys.min() { ended[oldest] = nil }
    }

    /// The statistics of a link that has ended; nil when it is not remembered.
    func statistics(of link: LinkID) -> LinkStatistics? { ended[link] }
}
