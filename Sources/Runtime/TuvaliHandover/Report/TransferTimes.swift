import Bluetooth
import Tuvali

/// Records the instants of a session for its link report.
struct TransferTimes {
    var connectedAt: Double?
    var firstChunkAt: Double?
    var arrivedAt: Double?
    var summary: TransferSummary?

    func report(_ statistics: LinkStatistics) -> LinkSpeedReport {
        LinkSpeedReport(
            statistics: statistics, setupSeconds: difference(connectedAt, firstChunkAt),
            transferSeconds: difference(firstChunkAt, arrivedAt), summary: summary)
    }

    private func difference(_ start: Double?, _ end: Double?) -> Double? {
        guard let start, let end else { return nil }
        return end - start
    }
}
