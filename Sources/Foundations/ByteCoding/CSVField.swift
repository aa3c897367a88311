/// Fields of comma-separated values (RFC 4180), written by code points.
///
/// A Character may join a quotation mark or `=` with the marks that follow it; readers of such files look at code
/// points or bytes, so these are what is looked at here.
public enum CSVField {
    /// Returns the text in quotation marks, each quotation mark in it doubled.
    public static func quoted(_ text: String) -> String {
        var field: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            field.append(byte)
            if byte == UInt8(ascii: "\"") { field.append(byte) }
        }
        field.append(UInt8(ascii: "\""))
        return String(decoding: field, as: UTF8.self)
    }

    /// Returns the text in quotation marks where it holds a comma, a quotation mark or a line break; else as it is.
    public static func quotedIfNeeded(_ text: String) -> String {
        text.unicodeScalars.contains(where: breaksFields) ? quoted(text) : text
    }

    /// Returns the text in quotation marks, after an apostrophe where a spreadsheet could read it as a formula.
    ///
    /// Such a text begins with a sign of `=+-@`, in any width, perhaps behind blanks or invisible characters, or with a
    /// tab or a line break.
    public static func spreadsheetCell(_ text: String) -> String {
        quoted(startsFormula(text) ? "'" + text : text)
    }

    private static func breaksFields(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x22, 0x2C, 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func startsFormula(_ text: String) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09...0x0D: return true
            // = + - @ and the minus sign, their small forms and their full-width forms.
            case 0x3D, 0x2B, 0x2D, 0x40, 0x2212, 0xFE62, 0xFE63, 0xFE66, 0xFE6B, 0xFF0B, 0xFF0D, 0xFF1D, 0xFF20:
                return true
            default:
                let properties = scalar.properties
                guard properties.isWhitespace || properties.isDefaultIgnorableCodePoint else { return false }
            }
        }
        return false
    }
}
