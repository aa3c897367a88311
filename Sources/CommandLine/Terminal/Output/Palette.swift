/// Colours and weights, or none.
public struct Palette: Hashable, Sendable {
    /// A look that means something everywhere in the program.
    public enum Style: String, CaseIterable, Sendable {
        /// What stands out: names and results.
        case bold = "1"
        /// What may be overlooked: units, titles, hints.
        case dim = "2"
        /// Errors.
        case red = "31"
        /// Success.
        case green = "32"
        /// Warnings.
        case yellow = "33"
        /// Questions and places.
        case cyan = "36"
    }

    /// Writes text as it is.
    public static let plain = Palette(isColoured: false)

    /// Writes escape sequences.
    public static let coloured = Palette(isColoured: true)

    /// Whether escape sequences are written.
    public let isColoured: Bool

    /// `text` in `style`; as it is in a plain palette or when it is empty.
    public func callAsFunction(_ text: String, _ style: Style) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    private init(isColoured: Bool) { self.isColoured = isColoured }
}
