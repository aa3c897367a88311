/// Rows laid out in columns as wide as they need to be.
public struct TextTable: Sendable {
    /// One column of the table.
    public struct Column: Sendable {
        /// The title above the column.
        public let title: String
        /// True when the cells of the column are aligned right, as numbers are.
        public let alignsRight: Bool

        /// Makes a column of a table.
        public init(_ title: String, alignsRight: Bool = false) {
            self.title = title
            self.alignsRight = alignsRight
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// Makes a table without rows.
    public init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; missing cells are empty, surplus ones are left out.
    ///
    /// Cells must have been sanitised; a line break in one is the caller's mistake.
    public mutating func add(_ cells: [String]) {
        rows.append(columns.indices.map { $0 < cells.count ? cells[$0] : "" })
    }

    /// The lines of the table, the titles first unless all are empty; the last column is cut so that a line has at most
    /// `width` columns.
    public func lines(width: Int = .max, palette: TerminalPalette = .plain) -> [String] {
        let all = rows + [columns.map(\.title)]
        let widths = columns.indices.map { column in
            all.map { TerminalText.width(of: $0[column]) }.max() ?? 0
        }
        let titles =
            columns.contains { !$0.title.isEmpty } ? [palette(line(columns.map(\.title), widths, width), .dim)] : []
        return titles + rows.map { line($0, widths, width) }
    }

    private func line(_ cells: [String], _ widths: [Int], _ width: Int) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let isLast = index == cells.count - 1
            let padded =
                isLast && !columns[index].alignsRight
                ? cell : TerminalText.padded(cell, to: widths[index], alignsRight: columns[index].alignsRight)
            text += (index == 0 ? "" : "  ") + padded
        }
        let trimmed = String(text.reversed().drop { $0 == " " }.reversed())
        return TerminalText.width(of: trimmed) <= width ? trimmed : TerminalText.cut(trimmed, to: width - 1) + "…"
    }
}
