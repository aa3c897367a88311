import Aries

/// A page of numbers for whoever runs a cloud agent: one text, without scripts, readable on a phone.
enum StatusPage {
    static func html(_ status: AgentStatus, version: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="refresh" content="15">
        <title>\(title(status)) – cloud agent</title>
        <style>\(style)</style>
        <main>
        <h1><span class="\(status.state.rawValue)">\(title(status))</span> Cloud agent</h1>
        <p>Symbolon \(version), running for \(span(Int(status.uptime.components.seconds))). This page renews itself.</p>
        <h2>Now</h2>
        \(list(now(status)))
        <h2>Longest queues</h2>
        \(queues(status))
        <h2>Since the start</h2>
        \(list(AgentFigure.all.filter { !$0.isGauge }.map { (upper($0.words), count($0.value(of: status.counts))) }))
        </main>
        </html>

        """
    }

    private static func title(_ status: AgentStatus) -> String {
        switch status.state {
        case .ready: "Ready"
        case .unready: "Not ready"
        case .draining: "Stopping"
        }
    }

    private static func now(_ status: AgentStatus) -> [(String, String)] {
        let totals = status.totals
        return [
            ("Accounts", count(totals?.accounts)), ("Keys of clients", count(totals?.keys)),
            ("Messages waiting", count(totals?.messages)), ("Bytes waiting", count(totals?.bytes)),
            ("Oldest message", totals == nil ? "?" : status.oldestSeconds.map(span) ?? "none"),
        ] + AgentFigure.all.filter(\.isGauge).map { (upper($0.words), count($0.value(of: status.counts))) }
    }

    private static func queues(_ status: AgentStatus) -> String {
        guard !status.queues.isEmpty else { return "<p>No messages wait.</p>" }
        let rows = status.queues.map { entry in
            let oldest = entry.queue.oldest.map { span(AgentStatus.seconds(from: $0, to: status.time)) } ?? "–"
            return "<tr><td>\(entry.number)<td>\(count(entry.queue.count))<td>\(count(entry.queue.bytes))<td>\(oldest)"
        }
        return "<table><thead><tr><th>Account<th>Messages<th>Bytes<th>Oldest<tbody>\n"
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

    /// A time in its two greatest units.
    static func span(_ seconds: Int) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let rest = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return rest.isEmpty ? "0 s" : rest.map { "\($0.0)\u{A0}\($0.1)" }.joined(separator: "\u{A0}")
    }

    private static let style = """
        :root{color-scheme:light dark;--line:#8884}
        body{margin:0;font:16px/1.5 system-ui,sans-serif}
        main{max-width:44rem;margin:0 auto;padding:1rem}
        h1{font-size:1.4rem;margin:0}h2{font-size:1rem;margin:1.5rem 0 .25rem}p{margin:.25rem 0;opacity:.8}
        h1 span{font-size:.9rem;padding:.15rem .6rem;border-radius:1rem;color:#fff;background:#b3261e;vertical-align:.1em}
        h1 .ready{background:#1b6e3c}h1 .draining{background:#7a5900}
        dl{margin:0}dl div{display:flex;justify-content:space-between;gap:1rem;border-bottom:1px solid var(--line);padding:.3rem 0}
        dd{margin:0;font-variant-numeric:tabular-nums;white-space:nowrap}
        table{width:100%;font-size:.9rem;border-collapse:collapse;font-variant-numeric:tabular-nums}
        th,td{text-align:right;white-space:nowrap;padding:.3rem 0 .3rem .5rem;border-bottom:1px solid var(--line);font-weight:inherit}
        th:first-child,td:first-child{text-align:left;padding-left:0}th{opacity:.8}
        """
}
