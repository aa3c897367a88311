import ByteCoding

/// Text of a stranger, made safe to stand on a page as text.
///
/// Characters that steer what stands around them, or that cannot be seen, are shown by their code points, `⟨U+202E⟩`;
/// joiners stay where letters of a script that needs them stand on both sides. After four marks on one letter the
/// others are left out, and the length is bounded.
public struct DisplayText: Hashable, Sendable {
    /// The most characters (code points) that are kept.
    public static let maximumLength = 2000
    private static let maximumMarks = 4

    /// The text that is safe to show.
    public let text: String
    /// True when a part of the text was cut off at the end.
    public let isCut: Bool
    /// True when hidden or steering characters were made visible.
    public let hasHidden: Bool

    /// Makes a text safe.
    public init(_ text: String, limit: Int = Self.maximumLength) {
        var result = String.UnicodeScalarView()
        var (count, marks, isCut, hasHidden) = (0, 0, false, false)
        var before: Unicode.Scalar?
        var iterator = text.unicodeScalars.makeIterator()
        var current = iterator.next()
        while let scalar = current {
            let next = iterator.next()
            guard count < limit else {
                isCut = true
                break
            }
            marks = Self.isMark(scalar) ? marks + 1 : 0
            if Self.isHidden(scalar, between: before, and: next) {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let code = "⟨U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "⟩"
                result.append(contentsOf: code.unicodeScalars)
                count += code.unicodeScalars.count
                hasHidden = true
            } else if marks <= Self.maximumMarks {
                result.append(Self.isLineBreak(scalar) ? " " : scalar)
                count += 1
            } else {
                hasHidden = true
            }
            before = scalar
            current = next
        }
        self.text = String(result)
        self.isCut = isCut
        self.hasHidden = hasHidden
    }

    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 9 || scalar.value == 10 }

    private static func isHidden(
        _ scalar: Unicode.Scalar, between before: Unicode.Scalar?, and after: Unicode.Scalar?
    ) -> Bool {
        if isLineBreak(scalar) { return false }
        if scalar.value == 0x200C || scalar.value == 0x200D {
            return !(before.map(needsJoiners) ?? false) || !(after.map(needsJoiners) ?? false)
        }
        return HiddenCodePoint.contains(scalar, after: before)
    }

    /// Returns true for a scalar of a script with joiners: Arabic, Syriac, the scripts of India, pictures.
    private static func needsJoiners(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0600...0x07BF, 0x08A0...0x08FF, 0x0900...0x0DFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1800...0x18AF,
            0xFE00...0xFE0F, 0x2190...0x2BFF, 0x1F300...0x1FAFF:
            true
        default: false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}
