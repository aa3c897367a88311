import ByteCoding
import Terminal

/// Builds HTML and SVG; every text from a log passes through `text`.
struct MarkupBuilder: Sendable {
    private(set) var bytes: [UInt8] = []

    /// Adds trusted markup, which is not escaped.
    mutating func add(_ markup: String) { bytes += markup.utf8 }

    /// Escapes an untrusted text: control characters are shown as such, and no character of markup is left.
    static func text(_ text: String, limit: Int = 100) -> String {
        HTMLEscaping.escaped(TerminalText.sanitised(text, limit: limit))
    }

    /// Formats a number for a coordinate.
    static func number(_ value: Double) -> String {
        NumberText.decimal(value, places: value == value.rounded() ? 0 : 1)
    }

    /// Formats a share as per cent, with more digits near 100 %.
    static func percent(_ share: Double?) -> String {
        guard let share else { return "–" }
        let places = share >= 0.99 && share < 1 ? 3 : 1
        // A share below 1 is never rounded up to 100 %.
        return NumberText.decimal(share == 1 ? 100 : min(share * 100, 99.999), places: places) + " %"
    }

    /// Formats milliseconds since the start as hours and minutes, with seconds in short runs.
    static func clock(_ milliseconds: Int, of duration: Int) -> String {
        let seconds = milliseconds / 1000
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        guard duration < 600_000 else { return "\(seconds / 3600):\(two(seconds / 60 % 60))" }
        return "\(seconds / 60):\(two(seconds % 60))"
    }
}

/// A drawing of one width that scales with the page, with a plot inside its margins.
struct MarkupPlot {
    static let width = 760.0
    let left: Double
    let top = 8.0
    let height: Double
    var markup = MarkupBuilder()

    init(height: Double, left: Double = 46, label: String) {
        self.left = left
        self.height = height
        let total = MarkupBuilder.number(height + 34)
        markup.add(
            "<svg role=\"img\" aria-label=\"\(MarkupBuilder.text(label))\" viewBox=\"0 0 \(MarkupBuilder.number(Self.width)) "
                + "\(total)\">")
    }

    var plotWidth: Double { Self.width - left - 12 }

    func x(_ share: Double) -> Double { left + min(1, max(0, share)) * plotWidth }

    /// The vertical position of a share: from 0 at the lower edge to 1 at the upper one.
    func y(_ share: Double) -> Double { top + (1 - min(1, max(0, share))) * height }

    mutating func rectangle(_ kind: String, x: Double, y: Double, width: Double, height: Double, title: String? = nil) {
        let attributes = [("x", x), ("y", y), ("width", max(0.4, width)), ("height", height)]
            .map { " \($0.0)=\"\(MarkupBuilder.number($0.1))\"" }.joined()
        let content = title.map { "><title>\(MarkupBuilder.text($0))</title></rect>" } ?? "/>"
        markup.add("<rect class=\"\(kind)\"\(attributes)\(content)")
    }

    mutating func line(_ kind: String, _ points: [(x: Double, y: Double)]) {
        guard points.count > 1 else {
            for point in points {
                markup.add(
                    "<circle class=\"\(kind) dot\" cx=\"\(MarkupBuilder.number(point.x))\" "
                        + "cy=\"\(MarkupBuilder.number(point.y))\" r=\"1.6\"/>")
            }
            return
        }
        let coordinates = points.map { "\(MarkupBuilder.number($0.x)),\(MarkupBuilder.number($0.y))" }.joined(
            separator: " ")
        markup.add("<polyline class=\"\(kind)\" points=\"\(coordinates)\"/>")
    }

    mutating func area(_ kind: String, _ upper: [(x: Double, y: Double)], _ lower: [(x: Double, y: Double)]) {
        guard upper.count > 1 else { return }
        let coordinates = (upper + lower.reversed()).map {
            "\(MarkupBuilder.number($0.x)),\(MarkupBuilder.number($0.y))"
        }
        markup.add("<polygon class=\"\(kind)\" points=\"\(coordinates.joined(separator: " "))\"/>")
    }

    mutating func label(_ text: String, x: Double, y: Double, anchor: String = "start", kind: String = "tick") {
        markup.add(
            "<text class=\"\(kind)\" x=\"\(MarkupBuilder.number(x))\" y=\"\(MarkupBuilder.number(y))\" "
                + "text-anchor=\"\(anchor)\">\(MarkupBuilder.text(text))</text>")
    }

    /// Draws lines across the plot at these shares of its height, with their labels.
    mutating func verticalAxis(_ ticks: [(share: Double, label: String)]) {
        for tick in ticks {
            line("grid", [(x(0), y(tick.share)), (x(1), y(tick.share))])
            label(tick.label, x: left - 6, y: y(tick.share) + 4, anchor: "end")
        }
    }

    /// Draws the times below the plot.
    mutating func timeAxis(duration: Int) {
        let steps = [
            5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400, 604_800, 2_592_000,
        ].map { $0 * 1000 }
        let step = steps.first { duration / $0 <= 9 } ?? duration
        for time in stride(from: 0, through: duration, by: max(1, step)) {
            let position = x(Double(time) / Double(duration))
            line("grid", [(position, y(0)), (position, y(0) + 4)])
            label(MarkupBuilder.clock(time, of: duration), x: position, y: y(0) + 17, anchor: "middle")
        }
    }

    mutating func finished() -> String {
        markup.add("</svg>")
        return String(decoding: markup.bytes, as: UTF8.self)
    }
}
