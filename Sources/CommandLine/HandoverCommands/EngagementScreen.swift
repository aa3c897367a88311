import CommandProgram
import Determinism
import Terminal
import Tuvali

/// The terminal screen of a verifier during one hand-over.
///
/// It shows the QR code, beside it the check words and the URI, and the credential's content once it has arrived.
///
/// Where no terminal is, or its window is too low or narrow, everything is said as lines instead.
final class EngagementScreen: Sendable {
    private struct ShownCode {
        let engagement: EngagementCode
        var head: String
        let palette: TerminalPalette
        /// True once a wallet has the session, so that the code serves no other.
        var isTaken = false
    }

    private let shown = Lock<ShownCode?>(nil)

    /// Shows the code of `engagement` as a panel at the bottom of the window; false when it cannot.
    ///
    /// - Parameter which: which of several hand-overs, in brackets; empty for the only one.
    func show(
        _ engagement: EngagementCode, _ which: String, _ source: RadioSource, _ configuration: VerifierConfiguration,
        _ console: Console
    ) -> Bool {
        shown.withLock { $0 = nil }
        guard console.showsMovingLines else { return false }
        let name = TerminalText.sanitised(engagement.uri.name, limit: 40)
        let now = ShownCode(
            engagement: engagement, head: "\(name) waits for a wallet\(which).", palette: console.palette)
        let wait = NumberText.seconds(configuration.advertisingWait.inSeconds)
        var foot = [(label: "", value: "Waits for \(wait). Press Ctrl-C to stop.")]
        if case .air = source { foot.insert((label: "", value: "Simulated radio: no phone can reach it."), at: 0) }
        guard let lines = Self.lines(now, foot, console) else { return false }
        shown.withLock { $0 = now }
        console.showPanel(lines)
        return true
    }

    /// Replaces the QR code with a text, because the code serves no other wallet once one has identified itself.
    func showTaken(_ console: Console) {
        let now = shown.withLock { shown -> ShownCode? in
            shown?.isTaken = true
            shown?.head = "A wallet uses this code."
            return shown
        }
        if let now, let lines = Self.lines(now, [], console) { console.showPanel(lines) }
    }

    /// Shows the credential that arrived: in the panel above the question, or else as lines.
    func show(_ arrival: ArrivedCredential, asking: Bool, _ reporter: HandoverReporter) {
        let console = reporter.reporter.console
        let shown = shown.withLock { $0 }
        if asking, let shown, let lines = Self.lines(shown, arrival.rows, console) { return console.showPanel(lines) }
        console.clearTransient()
        for row in arrival.rows { reporter.say(row.label, row.value) }
    }

    /// The lines of the panel: at most as high as the window, less the line of progress or of the question.
    private static func lines(_ shown: ShownCode, _ foot: [ArrivedCredential.Row], _ console: Console) -> [String]? {
        let window = console.window
        let uri = shown.engagement.uri.text
        let panel = try? TerminalQRCode(
            uri, columns: window.columns - 1, rows: window.rows - 1, palette: shown.palette,
            cover: shown.isTaken ? "in use" : nil,
            beside: { columns in
                let words = folded(shown.engagement.words, columns).map { shown.palette($0, .bold) }
                let head =
                    folded(shown.head, columns) + ["", "check words:"] + words + [""] + folded(uri, columns) + [""]
                return head + folded(foot, columns, rows: window.rows - 1 - head.count)
            })
        return panel?.lines
    }

    /// Folds rows into lines: each has two at most, the check four; rows without room are left out from the end.
    private static func folded(_ rows: [ArrivedCredential.Row], _ columns: Int, rows room: Int) -> [String] {
        var lines: [String] = []
        for row in rows {
            let text = row.label.isEmpty ? row.value : "\(row.label): \(row.value)"
            // Further lines are indented, so that none looks like a row of its own.
            let parts = folded(text, columns - 2)
            var own = Array(parts.prefix(1)) + parts.dropFirst().map { "  " + $0 }
            let limit = row.label == ArrivedCredential.checkLabel ? 4 : 2
            if own.count > limit {
                own = Array(own.prefix(limit))
                own[limit - 1] = TerminalText.cut(own[limit - 1], to: columns - 1) + "…"
            }
            guard lines.count + own.count <= room else { break }
            lines += own
        }
        return lines
    }

    /// Lines of at most `columns`, broken between words where that is possible.
    private static func folded(_ text: String, _ columns: Int) -> [String] {
        TerminalText.folded(text, width: columns)
    }
}
