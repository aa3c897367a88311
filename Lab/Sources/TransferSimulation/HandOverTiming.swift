import Air
public import Bluetooth
import Determinism
import Tuvali

/// The lengths of the parts of one simulated hand-over, in virtual time.
public struct HandOverTiming: Hashable, Sendable {
    /// Zipped and sealed bytes.
    public var sealedBytes: Int

    /// The seconds from the connection to the first chunk at the controller.
    public var setupSeconds: Double

    /// The seconds from the first chunk at the controller to the success report at the wallet.
    public var transferSeconds: Double

    /// Bytes of ATT PDUs that the wallet's controller sent, first tries only.
    public var airBytes: Int

    /// Takes the times of a run; nil when it did not end in a success report.
    public init?(_ result: HandOverScenario.Result) {
        let wallet = result.wallet
        var summary: TransferSummary?
        let sentAt = wallet.instant { event in
            guard case .sent(let sent) = event else { return false }
            summary = sent
            return true
        }
        guard let summary, let sentAt, let connectedAt = wallet.connectedAt, let firstChunkAt = wallet.firstChunkAt
        else {
            return nil
        }
        sealedBytes = summary.sealedBytes
        setupSeconds = (firstChunkAt - connectedAt).inSeconds
        transferSeconds = (sentAt - firstChunkAt).inSeconds
        airBytes = wallet.statistics?.bytesSent ?? 0
    }

    /// The set-up in connection intervals of `link`.
    public func setupIntervals(on link: LinkParameters) -> Double {
        setupSeconds * 1e6 / Double(link.intervalMicroseconds)
    }

    /// The seconds that the transfer would take at the limit of `link`.
    public func limitSeconds(on link: LinkParameters) -> Double {
        Double(sealedBytes) / link.limitBytesPerSecond
    }

    /// The share of that limit which was reached.
    public func limitShare(on link: LinkParameters) -> Double { limitSeconds(on: link) / transferSeconds }
}
