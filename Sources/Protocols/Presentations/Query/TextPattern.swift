/// A text pattern in a filter: alternatives of characters with anchors, matched in bounded time.
///
/// Shape: `^`, `(a|b)` or `a`, `$`; a point is any character, a backslash takes the next one, which is no letter or
/// digit, as it is. Source: the part of ECMA-262, section 22.2, that definitions name types and values with.
public struct TextPattern: Hashable, Sendable {
    /// The most bytes of a pattern's text.
    public static let maximumBytes = 256

    /// The most characters of a text; a longer one is not matched.
    public static let maximumCharacters = 65_536

    private let alternatives: [[Unicode.Scalar?]]
    private let isAtStart: Bool
    private let isAtEnd: Bool

    /// Reads a text pattern; nil for one with other operators, or a too long one.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        var rest = Array(text.unicodeScalars)[...]
        isAtStart = rest.first == "^"
        if isAtStart { rest = rest.dropFirst() }
        isAtEnd = Self.ends(rest, with: "$")
        if isAtEnd { rest = rest.dropLast() }
        if rest.first == "(", Self.ends(rest, with: ")") {
            rest = rest.dropFirst().dropLast()
        } else if (isAtStart || isAtEnd) && rest.contains(where: { $0 == "|" }) {
            // An anchor belongs to the alternative beside it.
            return nil
        }
        guard let alternatives = Self.alternatives(rest) else { return nil }
        self.alternatives = alternatives
    }

    /// Returns true when the text ends with this character and it is not escaped.
    private static func ends(_ text: ArraySlice<Unicode.Scalar>, with sign: Unicode.Scalar) -> Bool {
        text.last == sign && text.dropLast().last != "\\"
    }

    private static func alternatives(_ text: ArraySlice<Unicode.Scalar>) -> [[Unicode.Scalar?]]? {
        var found: [[Unicode.Scalar?]] = [[]]
        var rest = text
        while let next = rest.popFirst() {
            switch next {
            case "|": found.append([])
            case ".": found[found.count - 1].append(nil)
            case "\\":
                guard let literal = rest.popFirst(), !literal.properties.isAlphabetic,
                    literal.properties.numericType == nil
                else { return nil }
                found[found.count - 1].append(literal)
            case "*", "+", "?", "(", ")", "[", "]", "{", "}", "^", "$": return nil
            default: found[found.count - 1].append(next)
            }
        }
        return found
    }

    /// Returns true when the pattern is found in a text.
    public func isFound(in text: String) -> Bool {
        let characters = Array(text.unicodeScalars.prefix(Self.maximumCharacters + 1))
        guard characters.count <= Self.maximumCharacters else { return false }
        return alternatives.contains { isFound($0, in: characters) }
    }

    private func isFound(_ pattern: [Unicode.Scalar?], in text: [Unicode.Scalar]) -> Bool {
        let last = text.count - pattern.count
        guard last >= 0 else { return false }
        let starts = isAtStart ? 0...0 : isAtEnd ? last...last : 0...last
        return starts.contains { start in
            (!isAtEnd || start == last)
                && pattern.indices.allSatisfy { pattern[$0] == nil || pattern[$0] == text[start + $0] }
        }
    }
}
