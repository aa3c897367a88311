/// A QR code (ISO/IEC 18004) as a square of dark and light modules.
public struct QRCode: Hashable, Sendable {
    /// The share of the symbol that may be unreadable; a greater share makes the symbol larger.
    public enum ErrorCorrection: CaseIterable, Sendable {
        /// About 7 % may be unreadable: at most 2953 bytes.
        case low
        /// About 15 % may be unreadable: at most 2331 bytes.
        case medium
        /// About 25 % may be unreadable: at most 1663 bytes.
        case quartile
        /// About 30 % may be unreadable: at most 1273 bytes.
        case high
    }

    /// The number of light modules that belong around the symbol on each side.
    public static let quietZone = 4

    /// The quiet zone in a terminal whose window holds no more; less than the standard asks for, and readers cope with
    /// it.
    public static let narrowQuietZone = 2

    /// The quiet zone of `terminalLines`.
    public private(set) var terminalQuietZone = QRCode.quietZone

    /// The level of error correction that was asked for.
    public let level: ErrorCorrection

    /// The version, 1…40: the smallest one that holds the text.
    public let version: Int

    /// Modules on each side, without the quiet zone: 17 + 4 · version.
    public let size: Int

    private let modules: [Bool]

    /// Encodes `text` in UTF-8, and denser where it has only digits or upper-case letters.
    ///
    /// Throws `qr.too-long` when no version holds it, `qr.invalid-text` when it is empty or holds the character NUL.
    public init(_ text: String, level: ErrorCorrection = .medium) throws(QRCodeError) {
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw QRCodeError(.invalidText, "a QR code holds at least one character, and no NUL")
        }
        let symbol = try QREncodeBackEnd.encode(text, level: level)
        self.level = level
        version = symbol.version
        size = symbol.size
        modules = symbol.modules
    }

    /// True when a module is dark; counted from the top left corner, and light everywhere outside.
    public subscript(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    /// The sturdiest code that a window of `columns` by `rows` characters can show as half blocks.
    ///
    /// That is level medium if it fits, else low, else, where that is allowed, low with the narrow quiet zone; `fits`
    /// is false when none does, and the code is then the one of level low. Throws as `init` does.
    public static func best(
        for text: String, columns: Int, rows: Int, allowsNarrowZone: Bool = false
    ) throws(QRCodeError) -> (code: QRCode, fits: Bool) {
        if let code = try? QRCode(text, level: .medium), code.fits(columns: columns, rows: rows) {
            return (code, true)
        }
        let code = try QRCode(text, level: .low)
        if code.fits(columns: columns, rows: rows) { return (code, true) }
        guard allowsNarrowZone else { return (code, false) }
        var narrow = code
        narrow.terminalQuietZone = narrowQuietZone
        return narrow.fits(columns: columns, rows: rows) ? (narrow, true) : (code, false)
    }

    private func fits(columns: Int, rows: Int) -> Bool { terminalColumns <= columns && terminalRows <= rows }
}

/// The symbol that the library returns, in Swift types.
struct QRSymbol {
    let version: Int
    let size: Int
    let modules: [Bool]
}
