import ByteCoding

/// Text for a terminal: made harmless, measured, cut and wrapped.
public enum TerminalText {
    /// Returns `text` with everything made visible that could control a terminal or deceive a reader.
    ///
    /// Control characters, direction and other format characters, characters that nothing is drawn for, line
    /// separators, private, unassigned and lone surrogate code points become `\u{…}`, and so does every combining mark
    /// after the third in a row; spaces of any kind in a row become one, so that none moves what follows to another
    /// line or column. Use it for each text that came from a peer, a file or the command line.
    ///
    /// - Parameter limit: the most columns of the result; what is longer ends with `…`.
    public static func sanitised(_ text: String, limit: Int = 200) -> String {
        var result = ""
        var width = 0
        var marks = 0
        var before: Unicode.Scalar?
        for given in text.unicodeScalars {
            let scalar = given.properties.generalCategory == .spaceSeparator ? " " : given
            if scalar == " ", before == " " { continue }
            marks = isMark(scalar) ? marks + 1 : 0
            let isHarmless = !HiddenCodePoint.contains(scalar, after: before) && marks <= 3
            before = scalar
            let piece = isHarmless ? String(scalar) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            let columns = isHarmless ? self.width(of: scalar) : piece.utf8.count
            guard width + columns <= limit else { return cut(result, to: limit - 1) + "…" }
            result.unicodeScalars.append(contentsOf: piece.unicodeScalars)
            width += columns
        }
        return result
    }

    /// Returns the columns that `text` needs: wide East Asian characters and pictures count two, combining marks none.
    public static func width(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
    }

    /// Cuts `text` to `columns` columns.
    public static func cut(_ text: String, to columns: Int) -> String {
        var result = String.UnicodeScalarView()
        var width = 0
        for scalar in text.unicodeScalars {
            width += self.width(of: scalar)
            if width > columns { break }
            result.append(scalar)
        }
        return String(result)
    }

    /// Pads `text` with spaces, before or after it, to `columns` columns; longer text stays as it is.
    public static func padded(_ text: String, to columns: Int, alignsRight: Bool = false) -> String {
        let gap = String(repeating: " ", count: max(0, columns - width(of: text)))
        return alignsRight ? gap + text : text + gap
    }

    /// Breaks `text` at spaces into lines that each fit `width` columns; a longer word gets a line of its own.
    public static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, self.width(of: line) + 1 + self.width(of: String(word)) > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
    }

    /// Breaks `text` into lines as `wrapped` does, and longer words too, so that no line is wider than `width`.
    public static func folded(_ text: String, width: Int) -> [String] {
        wrapped(text, width: width).flatMap { line -> [String] in
            var (lines, rest) = ([String](), line.unicodeScalars[...])
            while self.width(of: String(rest)) > width {
                let piece = cut(String(rest), to: width)
                guard !piece.isEmpty else { break }
                lines.append(piece)
                rest = rest.dropFirst(piece.unicodeScalars.count)
            }
            return rest.isEmpty && !lines.isEmpty ? lines : lines + [String(rest)]
        }
    }

    /// Wraps `text` that begins after `indent` used columns: its further lines begin below its first one.
    ///
    /// A stranger's text so has no line of its own. The whole text where there is no width to keep to.
    public static func hanging(_ text: String, indent: Int, width: Int) -> String {
        guard width < Int.max else { return text }
        let gap = "\n" + String(repeating: " ", count: indent)
        return folded(text, width: max(width - indent, 20)).joined(separator: gap)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        if isMark(scalar) { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
