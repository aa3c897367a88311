/// The colours and weights of text on a terminal, or none.
public struct TerminalPalette: Hashable, Sendable {
    /// The style of a text, which has one meaning everywhere in the program.
    public enum Style: String, CaseIterable, Sendable {
        /// The style of names and results, which stand out.
        case bold = "1"
        /// The style of units, titles and hints, which may be overlooked.
        case dim = "2"
        /// The colour of errors.
        case red = "31"
        /// The colour of success.
        case green = "32"
        /// The colour of warnings.
        case yellow = "33"
        /// The colour of questions and paths.
        case cyan = "36"
    }

    /// The palette that writes text as it is.
    public static let plain = TerminalPalette(isColoured: false)

    /// The palette that writes escape sequences for colours.
    public static let coloured = TerminalPalette(isColoured: true)

    /// True when escape sequences for colours are written.
    public let isColoured: Bool

    /// Returns `text` in `style`; as it is in a plain palette or when it is empty.
    public func callAsFunction(_ text: String, _ style: Style) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    private init(isColoured: Bool) { self.isColoured = isColoured }
}
