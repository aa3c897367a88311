/// Plain words: what comments and names of tests do not say, and what types are not called.
enum WordRules {
    /// Words that hide who does what to what; joined here so that this file does not hold them.
    static let bannedPhrases = [
        ["some", "body"], ["no", "body"], ["every", "body"], ["who", "ever"], ["who", "m"], ["who", "mever"],
        ["became", " of"], ["by", " itself"], ["by", " himself"], ["for", " good"],
    ].map { $0.joined() }

    /// How many of them the whole tree may hold: falls to 40, and never rises.
    static let ceiling = 527

    /// Ends of names that say what a thing is like instead of what it is.
    static let metaphors = [
        "Office", "Desk", "Clerk", "GuestBook", "Cabinet", "Courier", "Neighbours", "Mischief", "Squatter", "Ear",
        "Lane",
        "Lanes", "Tally", "Teller", "Upkeep", "Turns",
    ]

    /// The number of banned phrases in the comments and test names of a file.
    static func count(in file: SourceFile) -> Int {
        guard file.isSwift else { return 0 }
        return file.lines.reduce(0) { sum, line in
            let text = SwiftWords.trimmed(line)
            guard text.hasPrefix("//") || text.contains("func `") else { return sum }
            let lowered = text.lowercased()
            return sum + bannedPhrases.reduce(0) { $0 + occurrences(of: $1, in: lowered) }
        }
    }

    private static func occurrences(of phrase: String, in text: String) -> Int {
        let (bytes, wanted) = (Array(text.utf8), Array(phrase.utf8))
        guard bytes.count >= wanted.count else { return 0 }
        return (0...bytes.count - wanted.count).count { start in
            guard bytes[start] == wanted[0], bytes[start..<start + wanted.count].elementsEqual(wanted) else {
                return false
            }
            let end = start + wanted.count
            return (start == 0 || !SwiftWords.isWordByte(bytes[start - 1]))
                && (end == bytes.count || !SwiftWords.isWordByte(bytes[end]))
        }
    }

    /// Types whose names end in a metaphor, without the exceptions.
    static func nameViolations(in files: [SourceFile]) -> [Violation] {
        TypeRules.sizes(in: files).filter { key, size in
            metaphors.contains { size.name.hasSuffix($0) } && Exceptions.metaphors[key] == nil
        }
        .map { key, size in
            Violation(path: size.paths.sorted().first ?? key, line: 0, sentence: "\(size.name) is a metaphor, no term")
        }
        .sorted { $0.path < $1.path }
    }
}
