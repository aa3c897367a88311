public import QRCode

/// A QR code as a terminal shows it, or the reason why it cannot.
public struct QRPanel: Sendable {
    /// The lines to show: the symbol with its quiet zone, black on white where colours are allowed, else for light text
    /// on a dark ground; empty when the window is too small.
    public let lines: [String]

    /// The remark for the user when the code does not fit; nil when it does.
    public let remark: String?

    /// Chooses the error correction that the window holds.
    ///
    /// - Parameter spareRows: rows that other lines need beside the code.
    /// - Throws: as `QRCode.init(_:level:)`.
    public init(_ text: String, window: WindowSize, spareRows: Int = 1, palette: Palette) throws(QRCodeError) {
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
}
