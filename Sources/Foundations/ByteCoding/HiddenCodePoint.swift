/// Code points of received text that a reader cannot see, or that change how the text around them is displayed.
public enum HiddenCodePoint {
    /// Returns true when a code point is to be shown by its number, because it is invisible or acts on the display.
    ///
    /// It draws nothing, it controls a terminal or the direction of writing, or it has no known meaning.
    ///
    /// Two variation selectors choose how a picture is drawn, and are not hidden behind one; all others, and those two
    /// behind a letter or digit, cannot be seen, so that two names can look the same.
    ///
    /// - Parameter before: the code point before it; nil at the start of a text.
    public static func contains(_ scalar: Unicode.Scalar, after before: Unicode.Scalar?) -> Bool {
        if scalar.value == 0xFE0E || scalar.value == 0xFE0F {
            return !(before.map { !$0.isASCII && $0.properties.isEmoji } ?? false)
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }

    /// Returns true when a text has a code point that is to be shown by its number.
    public static func isPart(of text: String) -> Bool {
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if contains(scalar, after: before) { return true }
            before = scalar
        }
        return false
    }
}
