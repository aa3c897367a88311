import Herald
import Terminal

/// A drawing of estimates against true distances, with the constant answer beside them.
enum DistancePlot {
    /// The most estimates that are drawn; of more, only every nth is.
    private static let maximumPoints = 4000
    private static let greatest = 5.0

    /// Draws the estimates; returns the bytes of an SVG document.
    static func bytes(_ answers: [DistancePrediction]) -> [UInt8] {
        let known = answers.compactMap { answer in answer.estimate.map { (truth: answer.window.metres, $0.metres) } }
        let step = max(1, known.count / maximumPoints)
        var plot = MarkupPlot(height: 420, label: "Estimated distance against true distance")
        let ticks = stride(from: 0.0, through: greatest, by: 1)
        plot.verticalAxis(
            ticks.map { ($0 / greatest, NumberText.decimal($0, places: 0) + ($0 == greatest ? " m estimated" : "")) })
        for tick in ticks {
            plot.label(
                NumberText.decimal(tick, places: 0) + (tick == greatest ? " m true" : ""), x: plot.x(tick / greatest),
                y: plot.y(0) + 17, anchor: tick == greatest ? "end" : "middle")
        }
        plot.line("truth", [(plot.x(0), plot.y(0)), (plot.x(1), plot.y(1))])
        let constant = plot.y(ReferenceDistanceModel.constantMetres / greatest)
        plot.line("constant", [(plot.x(0), constant), (plot.x(1), constant)])
        for index in Swift.stride(from: 0, to: known.count, by: step) {
            plot.line("estimate", [(plot.x(known[index].truth / greatest), plot.y(known[index].1 / greatest))])
        }
        let drawing = plot.finished().replacingPrefix(
            "<svg ", with: "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" ")
        let style =
            "<style>.grid{stroke:#d9dce3;fill:none}.tick{font:11px sans-serif;fill:#5c6270}.truth{stroke:#1c1e24;fill:none}"
            + ".constant{stroke:#c9302c;stroke-dasharray:4 3;fill:none}.estimate{fill:#8a3ffc;fill-opacity:.35}</style>"
        let end = drawing.firstIndex(of: ">").map { drawing.index(after: $0) } ?? drawing.endIndex
        return Array((drawing[..<end] + style + drawing[end...] + "\n").utf8)
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, with replacement: String) -> String {
        hasPrefix(prefix) ? replacement + dropFirst(prefix.count) : self
    }
}
