public import QRCode

/// A QR code as a terminal shows it, or the reason why it cannot.
public struct TerminalQRCode: Sendable {
    /// The lines to show: the symbol with its quiet zone, black on white where colours are allowed, else for light text
    /// on a dark ground; empty when the window is too small.
    public let lines: [String]

    /// The remark for the user when the code does not fit; nil when it does.
    public let remark: String?

    /// Makes the panel for a window, with the strongest error correction that fits.
    ///
    /// - Parameter spareRows: rows that other lines need beside the code.
    /// - Throws: as `QRCode.init(_:level:)`.
    public init(_ text: String, window: WindowSize, spareRows: Int = 1, palette: TerminalPalette) throws(QRCodeError) {
        let (code, fits) = try QRCode.best(for: text, columns: window.columns, rows: window.rows - spareRows)
        guard !fits else {
            lines = code.terminalLines(style: palette.isColoured ? .colours : .lightOnDark)
            remark = nil
            return
        }
        lines = []
        remark =
            "The QR code needs \(code.terminalColumns) columns and \(code.terminalRows + spareRows) rows, this window has "
            + "\(window.columns) by \(window.rows)."
    }

    /// Makes the panel for output without a window, such as a file; nil when the code is wider than 80 columns.
    ///
    /// - Throws: as `QRCode.init(_:level:)`.
    public init?(withoutWindow text: String) throws(QRCodeError) {
        let (code, fits) = try QRCode.best(for: text, columns: Self.textColumns, rows: .max)
        guard fits else { return nil }
        lines = code.terminalLines(style: .lightOnDark)
        remark = nil
    }

    /// Makes a panel with the code at the left of other lines, so that all fits a low window; nil when it does not fit.
    ///
    /// - Parameters:
    ///   - rows: how many lines are shown; the code and `texts` must fit into them.
    ///   - cover: a word that is shown in the place of the code, such as one that was used; nil shows the code.
    ///   - texts: the lines at the right, made for the number of columns that are left there.
    /// - Throws: as `QRCode.init(_:level:)`.
    public init?(
        _ text: String, columns: Int, rows: Int, palette: TerminalPalette, cover: String? = nil,
        beside texts: (_ columns: Int) -> [String]
    ) throws(QRCodeError) {
        let (code, fits) = try QRCode.best(
            for: text, columns: columns - Self.besideColumns, rows: rows, allowsNarrowZone: true)
        guard fits else { return nil }
        let beside = texts(columns - code.terminalColumns - Self.gap.count)
        guard beside.count <= rows else { return nil }
        let symbol =
            cover.map { Self.cover($0, columns: code.terminalColumns, rows: code.terminalRows, palette) }
            ?? code.terminalLines(style: palette.isColoured ? .colours : .lightOnDark)
        let blank = String(repeating: " ", count: code.terminalColumns)
        lines = (0..<max(symbol.count, beside.count)).map { row in
            let left = row < symbol.count ? symbol[row] : blank
            guard row < beside.count, !beside[row].isEmpty else { return left }
            return left + Self.gap + beside[row]
        }
        remark = nil
    }

    /// Draws shading with a word in its middle, in place of a code.
    private static func cover(_ word: String, columns: Int, rows: Int, _ palette: TerminalPalette) -> [String] {
        let inside = columns - 4
        let text = TerminalText.cut(word, to: inside)
        let before = (inside - TerminalText.width(of: text)) / 2
        let line = String(repeating: " ", count: before) + text
        let middle = (rows - 1) / 2
        return (0..<rows).map { row in
            guard abs(row - middle) <= 1 else { return palette(String(repeating: "░", count: columns), .dim) }
            let words = TerminalText.padded(row == middle ? line : "", to: inside)
            return palette("░░", .dim) + palette(words, .bold) + palette("░░", .dim)
        }
    }

    /// The most columns of a code in a file of text.
    private static let textColumns = 80
    /// The least columns for the lines to the right of a code, with the gap.
    private static let besideColumns = 28
    private static let gap = "  "
}
