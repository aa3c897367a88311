import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The drawings of a report on a log.
struct ProximityReportPlots: Sendable {
    /// The most rows of the timeline.
    static let maximumRows = 60
    /// The least side of a cell of the matrix in which a number is written.
    private static let leastNumberedCell = 20.0
    /// The most pairs of the table behind the timeline.
    static let maximumListed = 2000
    /// The most devices of the matrix, those first that the run lists.
    static let maximumMatrix = 48
    /// The most pairs whose readings are drawn: those with most readings.
    static let maximumSeries = 8
    /// The characters of a name that fit beside a plot.
    static let maximumLabel = 21
    /// The share of the height of the chart of gaps that lies above its highest line, for a number on the highest bar.
    private static let headroom = 0.12
    private static let windowMilliseconds = ProximityAnalysis.windowMilliseconds

    let analysis: ProximityAnalysis

    /// The shown name of a device: its name in the run, or the short name of its payload.
    func label(_ id: String) -> String {
        if let name = analysis.run.devices.first(where: { $0.id == id })?.name { return "\(id) \(name)" }
        guard !analysis.run.isSimulated, let identity = analysis.identities[id] else { return id }
        return "\(id) \(identity)"
    }

    func label(_ name: ProximityAnalysis.PairName) -> String { "\(label(name.device)) hears \(label(name.peer))" }

    // MARK: - Timeline

    /// Draws a row for each pair: its times in range, and the windows with a reading.
    func timeline() -> String {
        let names = analysis.names.filter { (analysis.pairs[$0]?.readings ?? 0) > 0 }
        let shown = names.prefix(Self.maximumRows)
        guard !shown.isEmpty else { return "<p>No reading was taken.</p>" }
        let rowHeight = 15.0
        var plot = MarkupPlot(height: rowHeight * Double(shown.count), left: 150, label: "Contacts over time")
        for (row, name) in shown.enumerated() {
            guard let pair = analysis.pairs[name] else { continue }
            let y = plot.top + Double(row) * rowHeight
            let text = TerminalText.sanitised("\(name.device) ← \(label(name.peer))", limit: Self.maximumLabel)
            plot.label(text, x: plot.left - 6, y: y + 11, anchor: "end")
            for range in pair.near {
                rectangle("near", range, y + 2, rowHeight - 4, "in range", in: &plot)
            }
            for range in Self.runs(of: pair.cells) {
                rectangle("heard", range, y + 4, rowHeight - 8, label(name), in: &plot)
            }
        }
        plot.timeAxis(duration: analysis.duration)
        return plot.finished()
    }

    /// The pairs that the timeline has no row for, as a table that opens on request; empty when it has all.
    func restOfTimeline() -> String {
        let names = analysis.names.filter { (analysis.pairs[$0]?.readings ?? 0) > 0 }.dropFirst(Self.maximumRows)
        guard !names.isEmpty else { return "" }
        let rows = names.prefix(Self.maximumListed).compactMap { name -> String? in
            guard let pair = analysis.pairs[name] else { return nil }
            let windows = analysis.windows(of: pair)
            let covered = windows.count { pair.cells[$0].isCovered }
            return "<tr><td>\(MarkupBuilder.text(label(name)))</td><td>\(NumberText.count(covered)) of "
                + "\(NumberText.count(windows.count))</td><td>\(NumberText.count(pair.readings))</td></tr>"
        }
        let more = names.count - rows.count
        return "<details><summary>\(NumberText.count(names.count)) more pairs, not drawn</summary>"
            + "<table><thead><tr><th>pair</th><th>windows with a reading</th><th>readings</th></tr></thead>"
            + "<tbody>\(rows.joined())</tbody></table>\(Self.rest(more, "pairs"))</details>"
    }

    private func rectangle(
        _ kind: String, _ range: Range<Int>, _ y: Double, _ height: Double, _ title: String, in plot: inout MarkupPlot
    ) {
        let duration = Double(analysis.duration)
        let (from, until) = (plot.x(Double(range.lowerBound) / duration), plot.x(Double(range.upperBound) / duration))
        let (start, end) = (clock(range.lowerBound), clock(range.upperBound))
        plot.rectangle(
            kind, x: from, y: y, width: until - from, height: height, title: "\(title), \(start) to \(end)")
    }

    private func clock(_ time: Int) -> String { MarkupBuilder.clock(time, of: analysis.duration) }

    /// Joins windows that follow each other, and returns them as ranges of time.
    private static func runs(of cells: PairWindows) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in cells.windows {
            let window = index * windowMilliseconds..<(index + 1) * windowMilliseconds
            if let last = runs.last, last.upperBound == window.lowerBound {
                runs[runs.count - 1] = last.lowerBound..<window.upperBound
            } else {
                runs.append(window)
            }
        }
        return runs
    }

    private static func rest(_ count: Int, _ what: String) -> String {
        count > 0 ? "<p class=\"note\">\(NumberText.count(count)) more \(what) are not shown.</p>" : ""
    }

    // MARK: - Readings and distances

    /// The pairs whose readings are drawn: those with most readings.
    var series: [ProximityAnalysis.PairName] {
        let heard = analysis.names.filter { (analysis.pairs[$0]?.readings ?? 0) > 0 }
        let most = heard.enumerated().map { (index: $0, name: $1, readings: analysis.pairs[$1]?.readings ?? 0) }
            .sorted { $0.readings == $1.readings ? $0.index < $1.index : $0.readings > $1.readings }
        return most.prefix(Self.maximumSeries).map(\.name)
    }

    /// Plots the signal strength of a pair: the mean, the least and the greatest of each window.
    func readings(_ name: ProximityAnalysis.PairName) -> String {
        guard let pair = analysis.pairs[name] else { return "" }
        var plot = MarkupPlot(height: 96, left: 60, label: "Signal strength: \(label(name))")
        plot.verticalAxis(
            stride(from: -100, through: -40, by: 20).map { (Self.level($0), $0 == -40 ? "-40 dBm" : "\($0)") })
        for run in Self.runs(of: pair.cells) {
            let windows = run.lowerBound / Self.windowMilliseconds..<run.upperBound / Self.windowMilliseconds
            let cells = windows.map { (x: self.x($0, plot), cell: pair.cells[$0]) }
            plot.area(
                "spread", cells.map { ($0.x, plot.y(Self.level(Int($0.cell.greatest)))) },
                cells.map { ($0.x, plot.y(Self.level(Int($0.cell.least)))) })
            plot.line("level", cells.map { ($0.x, plot.y(Self.level($0.cell.mean ?? 0))) })
        }
        plot.timeAxis(duration: analysis.duration)
        return plot.finished()
    }

    /// Plots the distance of a pair: estimates with their bounds, and the truth where it is known.
    func distances(_ name: ProximityAnalysis.PairName) -> String? {
        guard let pair = analysis.pairs[name], !pair.estimates.isEmpty else { return nil }
        let shown = pair.estimates + pair.truth.filter { $0.centimetres <= 1000 }
        let highest = max(200, min(1000, shown.map { max($0.centimetres, $0.high ?? 0) }.max() ?? 0))
        func y(_ centimetres: Int) -> Double { Double(centimetres) / Double(highest) }
        var plot = MarkupPlot(height: 96, left: 60, label: "Distance: \(label(name))")
        let step = highest > 500 ? 200 : highest > 250 ? 100 : 50
        plot.verticalAxis(
            stride(from: 0, through: highest, by: step).map { centimetres in
                let unit = centimetres + step > highest ? " m" : ""
                return (
                    y(centimetres), NumberText.decimal(Double(centimetres) / 100, places: step < 100 ? 1 : 0) + unit
                )
            })
        for estimates in Self.pieces(of: pair.estimates) {
            let points = estimates.map { (x: plot.x(Double($0.at) / Double(analysis.duration)), estimate: $0) }
            plot.area(
                "bounds", points.map { ($0.x, plot.y(y($0.estimate.high ?? $0.estimate.centimetres))) },
                points.map { ($0.x, plot.y(y($0.estimate.low ?? $0.estimate.centimetres))) })
            plot.line("distance", points.map { ($0.x, plot.y(y($0.estimate.centimetres))) })
        }
        for truth in Self.pieces(of: pair.truth) {
            plot.line(
                "truth", truth.map { (plot.x(Double($0.at) / Double(analysis.duration)), plot.y(y($0.centimetres))) })
        }
        plot.timeAxis(duration: analysis.duration)
        return plot.finished()
    }

    private func x(_ window: Int, _ plot: MarkupPlot) -> Double {
        plot.x((Double(window) + 0.5) * Double(Self.windowMilliseconds) / Double(analysis.duration))
    }

    /// Maps a signal strength of −110 to −30 dBm to a share of the plot's height.
    private static func level(_ rssi: Int) -> Double { level(Double(rssi)) }

    private static func level(_ rssi: Double) -> Double { (rssi + 110) / 80 }

    /// Splits distances into pieces at pauses of more than two windows.
    private static func pieces(of distances: [TimedDistance]) -> [[TimedDistance]] {
        var pieces: [[TimedDistance]] = []
        for distance in distances {
            if let last = pieces.last?.last, distance.at - last.at <= 3 * windowMilliseconds {
                pieces[pieces.count - 1].append(distance)
            } else {
                pieces.append([distance])
            }
        }
        return pieces
    }

    // MARK: - Matrix and gaps

    /// Plots the devices that each device heard: the share of windows in range that have a reading.
    func matrix() -> String {
        let rows = analysis.run.devices.map(\.id).prefix(Self.maximumMatrix)
        let columns = analysis.devices.prefix(Self.maximumMatrix)
        let size = min(26.0, max(8, (MarkupPlot.width - 162) / Double(max(1, columns.count))))
        var plot = MarkupPlot(height: size * Double(rows.count) + 16, left: 150, label: "Which device heard which")
        // One name for every `step` columns, so that names do not overlap.
        let step = max(1, Int((26 / size).rounded(.up)))
        for (column, peer) in columns.enumerated() where column % step == 0 {
            plot.label(
                TerminalText.cut(peer, to: 4), x: plot.left + (Double(column) + 0.5) * size, y: 14, anchor: "middle")
        }
        for (row, device) in rows.enumerated() {
            let y = 20 + Double(row) * size
            if size >= 10 {
                let text = TerminalText.sanitised(label(device), limit: Self.maximumLabel)
                plot.label(text, x: plot.left - 6, y: y + size / 2 + 4, anchor: "end")
            }
            for (column, peer) in columns.enumerated() {
                let name = ProximityAnalysis.PairName(device: device, peer: peer)
                let (kind, title, share) = device == peer ? ("self", label(device), nil) : cell(name)
                plot.rectangle(
                    kind, x: plot.left + Double(column) * size + 0.5, y: y + 0.5, width: size - 1, height: size - 1,
                    title: title)
                // The share, so that colours alone need not tell it.
                guard let share, share < 0.999, size >= Self.leastNumberedCell else { continue }
                let percent = NumberText.decimal((share * 100).rounded(.down), places: 0)
                plot.label(
                    percent, x: plot.left + (Double(column) + 0.5) * size, y: y + size / 2 + 4, anchor: "middle",
                    kind: "share")
            }
        }
        return plot.finished()
            + Self.rest(analysis.devices.count - columns.count, "devices")
    }

    private func cell(_ name: ProximityAnalysis.PairName) -> (kind: String, title: String, share: Double?) {
        guard let pair = analysis.pairs[name] else { return ("never", "\(label(name)): never in range", nil) }
        let windows = analysis.windows(of: pair)
        let covered = windows.count { pair.cells[$0].count > 0 }
        let share = windows.isEmpty ? (pair.readings > 0 ? 1 : 0) : Double(covered) / Double(windows.count)
        let title =
            "\(label(name)): \(covered) of \(windows.count) windows, \(pair.readings) readings"
            + (pair.isIdentified ? "" : ", never identified")
        if windows.isEmpty, pair.readings == 0 { return ("never", title, nil) }
        guard pair.isIdentified || pair.readings > 0 else { return ("missed", title, 0) }
        let step = share >= 0.999 ? 4 : share >= 0.99 ? 3 : share >= 0.9 ? 2 : share > 0 ? 1 : 0
        return (step == 0 ? "missed" : "seen\(step)", title, share)
    }

    /// Draws the chart of gaps between readings by their length.
    func gaps() -> String {
        let names = ["< 1 s", "1–2 s", "2–5 s", "5–10 s", "10–20 s", "20–30 s", "30–60 s", "> 60 s"]
        let most = max(1, analysis.gaps.max() ?? 1)
        var plot = MarkupPlot(height: 120, left: 78, label: "Gaps between readings")
        // The axis is logarithmic: each grid line is ten times the one before.
        let decades = max(1, String(most).count)
        func share(_ magnitude: Double) -> Double { magnitude / Double(decades) * (1 - Self.headroom) }
        plot.verticalAxis(
            (0...decades).map { decade in
                let count = (0..<decade).reduce(1) { value, _ in value * 10 }
                return (share(Double(decade)), NumberText.count(count))
            })
        let slot = plot.plotWidth / Double(names.count)
        for (index, count) in analysis.gaps.enumerated() {
            let x = plot.left + (Double(index) + 0.15) * slot
            plot.label(names[index], x: x + slot * 0.35, y: plot.y(0) + 17, anchor: "middle")
            guard count > 0 else { continue }
            let top = plot.y(max(0.02, share(log10(Double(count)))))
            plot.rectangle(
                index >= 6 ? "gap long" : "gap", x: x, y: top, width: slot * 0.7, height: plot.y(0) - top,
                title: "\(names[index]): \(count)")
            plot.label(NumberText.count(count), x: x + slot * 0.35, y: top - 3, anchor: "middle", kind: "value")
        }
        return plot.finished()
    }
}
