public import Determinism

/// The progress of a transfer: the bytes carried, the rate and the time left.
///
/// The rate is that of the last two seconds, so that it follows a link that changes; the time left comes from it. Shown
/// at most ten times a second.
public struct TransferEstimate: Sendable {
    private static let memory: Duration = .seconds(2)
    private static let pause: Duration = .milliseconds(100)

    private let total: Int
    private var samples: [(instant: MonotonicInstant, bytes: Int)]
    private var shownAt: MonotonicInstant?

    /// Starts a transfer of `total` bytes.
    public init(total: Int, startedAt now: MonotonicInstant) {
        self.total = max(0, total)
        samples = [(now, 0)]
    }

    /// Notes that `bytes` have been carried; more than the total counts as the total, fewer than before as before.
    ///
    /// - Returns: true when it is time to show the line again: not within 100 ms of the last time, always at the end.
    public mutating func update(bytes: Int, at now: MonotonicInstant) -> Bool {
        let known = samples.last?.bytes ?? 0
        let carried = min(max(bytes, known), total)
        samples.append((now, carried))
        while samples.count > 2, now - samples[1].instant > Self.memory { samples.removeFirst() }
        if samples.count > 256 { samples.remove(at: 1) }
        let isEnd = carried == total && known < total
        guard isEnd || shownAt.map({ now - $0 >= Self.pause }) ?? true else { return false }
        shownAt = now
        return true
    }

    /// The number of bytes carried so far.
    public var bytes: Int { samples.last?.bytes ?? 0 }

    /// The share of the total carried so far; 1 for a transfer of nothing.
    public var share: Double { total == 0 ? 1 : Double(bytes) / Double(total) }

    /// The recent rate in bytes a second; nil while it is unknown.
    public var rate: Double? {
        guard let first = samples.first, let last = samples.last, last.bytes > first.bytes else { return nil }
        let seconds = (last.instant - first.instant).inSeconds
        return seconds > 0 ? Double(last.bytes - first.bytes) / seconds : nil
    }

    /// The seconds until the end at the present rate; nil while that is unknown.
    public var secondsLeft: Double? { rate.map { Double(total - bytes) / $0 } }

    /// Draws the progress bar with bytes, rate and time left, `width` columns at most.
    public func line(width: Int, palette: TerminalPalette = .plain) -> String {
        let figures = [
            TerminalText.padded(NumberText.percent((share * 100).rounded(.down) / 100), to: 5, alignsRight: true),
            "\(NumberText.bytes(bytes)) of \(NumberText.bytes(total))",
            rate.map(NumberText.rate) ?? "",
            bytes == total ? "" : "\(NumberText.clock(secondsLeft)) left",
        ]
        let text = figures.filter { !$0.isEmpty }.joined(separator: "  ")
        let room = width - 54
        guard room >= 4 else { return TerminalText.cut(text, to: max(0, width - 1)) }
        return "  " + bar(columns: min(room, 40), palette: palette) + " " + text
    }

    private func bar(columns: Int, palette: TerminalPalette) -> String {
        let eighths = Int((share * Double(columns * 8)).rounded(.down))
        let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        let filled = String(repeating: "█", count: eighths / 8) + partial
        let empty = String(repeating: "░", count: columns - eighths / 8 - (partial.isEmpty ? 0 : 1))
        return palette(filled, .green) + palette(empty, .dim)
    }
}
