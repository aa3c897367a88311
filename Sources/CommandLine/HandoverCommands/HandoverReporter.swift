import Bluetooth
import ByteCoding
import CommandProgram
import Determinism
import Radio
import Terminal
import Tuvali
import TuvaliHandover

/// Reports one side of a hand-over, as text and as events.
struct HandoverReporter: Sendable {
    /// The side of a hand-over that the command plays.
    enum HandoverSide: String, Sendable {
        case wallet
        case verifier
    }

    let role: HandoverSide
    let reporter: EventReporter
    /// True when both sides report, so that each line names its side.
    let isOneOfTwo: Bool
    private let clock: any MonotonicClock
    private let meter = Lock<TransferEstimate?>(nil)

    init(_ role: HandoverSide, _ context: CommandContext, isOneOfTwo: Bool = false) {
        self.role = role
        self.reporter = context.reporter
        self.isOneOfTwo = isOneOfTwo
        clock = context.environment.clock
    }

    private var console: Console { reporter.console }
    private var roleField: JSONText.Member { .init("role", .string(role.rawValue)) }

    /// Writes a line, with the side before it when both sides report.
    func say(_ line: String) {
        let label = isOneOfTwo ? console.palette(TerminalText.padded(role.rawValue, to: 10), .dim) : ""
        console.say(label + line)
    }

    /// Writes a label and a value, whose further lines stand below its first one.
    func say(_ label: String, _ value: String) {
        let width = console.talkIsTerminal ? console.window.columns : .max
        // A coloured value is short, and has no width that can be counted.
        let isColoured = value.utf8.contains(0x1B)
        let shown = isColoured ? value : TerminalText.hanging(value, indent: isOneOfTwo ? 23 : 13, width: width)
        say(console.palette(TerminalText.padded(label, to: 13), .dim) + shown)
    }

    /// Shows the radio's measurements of a hand-over with `--verbose`.
    func figures(_ report: LinkSpeedReport, _ context: CommandContext) {
        guard context.arguments[Options.verbose] else { return }
        for row in LinkReportText.rows(report) { say(row.label, row.value) }
    }

    func event(_ name: JSONEventName, _ fields: [JSONText.Member]) { reporter.event(name, fields) }

    /// Reports that a link is connected, or ready.
    func connected(mtu: Int?) {
        event(.connected, [roleField, .init("mtu", .integer(mtu))])
    }

    func secureChannel(mtu: Int?) {
        event(.secureChannel, [roleField, .init("mtu", .integer(mtu))])
    }

    /// Reports progress; when both sides report, only the verifier draws the bar, because it counts the arrived chunks.
    func progress(_ progress: TransferProgress) {
        let now = clock.now()
        let shown = meter.withLock { meter -> TransferEstimate? in
            var current = meter ?? TransferEstimate(total: progress.totalBytes, startedAt: now)
            let isDue = current.update(bytes: progress.bytes, at: now)
            meter = current
            return isDue ? current : nil
        }
        guard let shown else { return }
        event(
            .progress,
            [roleField, .init("bytes", .integer(progress.bytes)), .init("totalBytes", .integer(progress.totalBytes))])
        guard !isOneOfTwo || role == .verifier else { return }
        console.showTransient(shown.line(width: console.window.columns, palette: console.palette))
        if progress.bytes == progress.totalBytes { console.keepTransient() }
    }

    func retry(missing: Int) {
        event(.retry, [roleField, .init("missing", .integer(missing))])
        guard !isOneOfTwo || role == .verifier else { return }
        let chunks = missing == 1 ? "1 chunk" : "\(missing) chunks"
        say("\(chunks) missing; sent again.")
    }

    func status(_ status: VerificationStatus) {
        let word = status == .accepted ? "accepted" : "rejected"
        event(.status, [roleField, .init("status", .string(word))])
    }

    func link(_ report: LinkSpeedReport) {
        let statistics = report.statistics
        event(
            .link,
            [
                roleField, .init("phy", .string(LinkReportText.phy(report))), .init("mtu", .integer(statistics.mtu)),
                .init(
                    "intervalMilliseconds",
                    .number(statistics.parameters.map { Double($0.intervalMicroseconds) / 1000 }, places: 3)),
                .init("packets", .integer(LinkReportText.packets(report))),
                .init("retransmissions", .integer(statistics.retransmissions)),
                .init("dropped", .integer(statistics.droppedByHost)),
                .init("repeatedChunks", .integer(report.summary?.repeatedChunkCount)),
                .init("setupSeconds", .number(report.setupSeconds, places: 3)),
                .init("transferSeconds", .number(report.transferSeconds, places: 3)),
                .init("bytesPerSecond", .number(report.bytesPerSecond, places: 0)),
                .init("limitBytesPerSecond", .number(report.limitBytesPerSecond, places: 0)),
                .init("shareOfLimit", .number(report.limitShare, places: 3)),
                .init("bottleneck", .string(report.bottleneck.rawValue)),
            ])
    }
}
