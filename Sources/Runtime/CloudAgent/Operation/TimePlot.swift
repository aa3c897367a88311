import ByteCoding
import Determinism
import WebTransport

/// A plot of some figures over time as SVG, without styles of its own: the page's style sheet has its colours.
struct TimePlot: Sendable {
    /// One curve of a plot; where a value is nil the line has a gap.
    struct Curve: Sendable {
        let name: String
        let values: [Double?]
    }

    private static let (width, height) = (640.0, 120.0)

    let title: String
    let lines: [Curve]
    /// The instants of the values.
    let times: [MonotonicInstant]
    let now: MonotonicInstant
    let span: MediatorStatusHistory.PlotSpan
    /// Writes a value with its unit.
    let text: @Sendable (Double) -> String

    /// The plot with its title, its legend with the last values, and the highest value at its left.
    var html: String {
        let highest = lines.flatMap(\.values).compactMap(\.self).max() ?? 0
        let top = Self.roundedUp(highest)
        let legend = lines.enumerated().map { index, line in
            let last = line.values.last.flatMap(\.self).map(text) ?? "–"
            return "<span class=\"line\(index)\">\(line.name) \(last)</span>"
        }
        let paths = lines.enumerated().map { index, line in
            "<path class=\"line\(index)\" d=\"\(path(of: line.values, top: top))\"/>"
        }
        let label = HTMLEscaping.escaped(title)
        return """
            <figure class="plot">
            <figcaption><b>\(label)</b> \(legend.joined(separator: " "))</figcaption>
            <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height) + 18)" role="img" aria-label="\(label)">
            <path class="frame" d="M0 1H\(Int(Self.width))M0 \(Int(Self.height))H\(Int(Self.width))"/>
            \(paths.joined(separator: "\n"))
            <text x="2" y="14">\(HTMLEscaping.escaped(text(top)))</text>
            <text x="2" y="\(Int(Self.height) + 15)">\(span == .hour ? "1 hour ago" : "1 day ago")</text>
            <text class="end" x="\(Int(Self.width) - 2)" y="\(Int(Self.height) + 15)">now</text>
            </svg>
            </figure>
            """
    }

    private func path(of values: [Double?], top: Double) -> String {
        var path = ""
        var isDrawing = false
        for (time, value) in zip(times, values) {
            guard let value else {
                isDrawing = false
                continue
            }
            let age = (now - time).inSeconds / span.duration.inSeconds
            guard age <= 1 else { continue }
            let x = Self.decimal((1 - max(0, age)) * Self.width)
            let y = Self.decimal(Self.height - min(1, value / top) * (Self.height - 1))
            path += "\(isDrawing ? "L" : "M")\(x) \(y)"
            isDrawing = true
        }
        // A dot where there is one value alone.
        return path.holds("L") || path.isEmpty ? path : path + "h1"
    }

    /// The next of 1, 2 or 5 times a power of ten; 1 for nothing.
    static func roundedUp(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        var scale = 1.0
        while scale * 10 <= value { scale *= 10 }
        while scale > value { scale /= 10 }
        return [1, 2, 5, 10].map { $0 * scale }.first { $0 >= value } ?? value
    }

    /// A coordinate with one digit after the point.
    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
