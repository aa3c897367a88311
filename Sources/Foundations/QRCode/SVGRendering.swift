extension QRCode {
    /// Returns the symbol with its quiet zone as an SVG document: one white path behind and one black path.
    ///
    /// - Parameter moduleSize: the width of a module in pixels unless the page says otherwise, 1…64.
    public func svg(moduleSize: Int = 8) -> String {
        precondition((1...64).contains(moduleSize), "a module is 1…64 pixels wide")
        let side = size + 2 * Self.quietZone
        let path = (0..<size).flatMap { row in
            darkRuns(in: row).map { run in
                "M\(run.lowerBound + Self.quietZone) \(row + Self.quietZone)h\(run.count)v1h-\(run.count)z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(side * moduleSize)" height="\(side * moduleSize)" \
            viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path d="\(path.joined())"/></svg>

            """
    }

    /// Returns the column ranges of adjacent dark modules in a row.
    private func darkRuns(in row: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for column in 0...size {
            if self[row, column] {
                start = start ?? column
            } else if let first = start {
                runs.append(first..<column)
                start = nil
            }
        }
        return runs
    }
}
