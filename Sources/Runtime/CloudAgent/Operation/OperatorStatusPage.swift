import Aries
import ByteCoding
import WebAssets
import WebTransport

/// A page of numbers for the operator of a cloud agent: without scripts, readable on a phone.
enum OperatorStatusPage {
    static func html(
        _ status: MediatorStatus, _ plots: MediatorStatusPlots, version: String, showsInvitation: Bool = false
    ) -> String {
        let invitation = showsInvitation ? " <a href=\"/invitation\">Invitation</a>" : ""
        let counts = MediatorMetric.all.filter { !$0.isGauge }.map { metric in
            let value = metric.value(of: status.counts)
            return (upper(metric.words), metric.isBytes ? bytes(value) : count(value))
        }
        return document(
            "\(title(status)) – cloud agent",
            """
            <h1><span class="\(status.state.rawValue)">\(title(status))</span> Cloud agent</h1>
            <p>Symbolon \(version), running for \(span(Int(status.uptime.components.seconds))). This page renews itself.\(invitation)</p>
            <h2>Now</h2>
            \(list(now(status)))
            \(plots.html)
            <h2>Longest queues</h2>
            \(queues(status))
            <h2>Since the start</h2>
            \(list(counts))
            """, refreshes: true)
    }

    /// A page with the style sheet.
    static func document(_ title: String, _ body: String, refreshes: Bool) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        \(refreshes ? "<meta http-equiv=\"refresh\" content=\"15\">\n" : "")<title>\(title)</title>
        <link rel="stylesheet" href="\(PageAssets.statusStyle.path)">
        <main>
        \(body)
        </main>
        </html>

        """
    }

    private static func title(_ status: MediatorStatus) -> String {
        switch status.state {
        case .ready: "Ready"
        case .unready: "Not ready"
        case .draining: "Stopping"
        }
    }

    private static func now(_ status: MediatorStatus) -> [(String, String)] {
        let totals = status.totals
        var rows: [(String, String)] = []
        if let cause = status.cause, let time = status.causeTime {
            let words = [cause.code.rawValue + ":", cause.reason, status.nextStep].compactMap(\.self)
            rows.append(
                (
                    "Not ready for \(span(Int(time.components.seconds)))",
                    HTMLEscaping.escaped(words.joined(separator: " "))
                ))
        }
        if let loss = totals?.loss {
            let age = span(MediatorStatus.seconds(from: loss.time, to: status.time))
            rows.append(("Transactions lost \(age) ago", loss.steps.map { "up to \(count($0))" } ?? "all"))
        }
        if let replication = status.replication { rows.append(("Replication", replication.rawValue)) }
        return rows + [
            ("Accounts", count(totals?.accounts)), ("Keys of clients", count(totals?.keys)),
            ("Messages waiting", count(totals?.messages)), ("Their size", bytes(totals?.bytes)),
            ("Oldest message", totals == nil ? "?" : status.oldestSeconds.map(span) ?? "none"),
            ("Database", bytes(totals?.databaseBytes)), ("Memory", bytes(status.residentBytes)),
        ] + MediatorMetric.all.filter(\.isGauge).map { (upper($0.words), count($0.value(of: status.counts))) }
    }

    private static func queues(_ status: MediatorStatus) -> String {
        guard !status.queues.isEmpty else { return "<p>No messages wait.</p>" }
        let rows = status.queues.map { entry in
            let oldest = entry.queue.oldest.map { span(MediatorStatus.seconds(from: $0, to: status.time)) } ?? "–"
            return "<tr><td>\(entry.number)<td>\(count(entry.queue.count))<td>\(bytes(entry.queue.bytes))<td>\(oldest)"
        }
        return "<table><thead><tr><th>Account<th>Messages<th>Size<th>Oldest<tbody>\n"
            + rows.joined(separator: "\n") + "\n</table>"
    }

    private static func list(_ rows: [(String, String)]) -> String {
        "<dl>\n" + rows.map { "<div><dt>\($0.0)<dd>\($0.1)</div>" }.joined(separator: "\n") + "\n</dl>"
    }

    private static func upper(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() }

    /// A number with narrow spaces between its thousands; a question mark for one that is not known.
    private static func count(_ value: Int?) -> String {
        guard let value else { return "?" }
        let digits = Array(String(value))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "\u{202F}" }
            text.append(digit)
        }
        return text
    }

    /// Bytes in decimal units with at most three figures; a question mark for a number that is not known.
    static func bytes(_ value: Int?) -> String {
        guard let value else { return "?" }
        var (scaled, units) = (Double(max(0, value)), ["B", "kB", "MB", "GB", "TB"][...])
        while scaled >= 999.5, units.count > 1 {
            scaled /= 1000
            units.removeFirst()
        }
        return "\(figures(scaled, isWhole: units.first == "B"))\u{A0}\(units.first ?? "")"
    }

    /// Three figures of a number, without zeros at the end of its fraction.
    static func figures(_ value: Double, isWhole: Bool = false) -> String {
        let places = isWhole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
        let scale = [1, 10, 100][places]
        let whole = Int((value * Double(scale)).rounded())
        var fraction = String(whole % scale)
        fraction = String(repeating: "0", count: max(0, places - fraction.count)) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return fraction.isEmpty ? count(whole / scale) : "\(whole / scale).\(fraction)"
    }

    /// A time in its two greatest units.
    static func span(_ seconds: Int) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let rest = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return rest.isEmpty ? "0 s" : rest.map { "\($0.0)\u{A0}\($0.1)" }.joined(separator: "\u{A0}")
    }
}
