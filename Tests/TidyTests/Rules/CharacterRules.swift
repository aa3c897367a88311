/// A rule for untrusted texts: code cuts and searches them by code points or bytes, not by Characters.
///
/// A Character may join a sign with the marks that follow it, and may be as long as a text; see
/// `StringProtocol+CodePoints.swift`.
///
/// The rule sees no types, so it looks for what is written only of texts: a search for a literal, in what is not named
/// as several, and a String that is made of a part.
enum CharacterRules {
    /// The layers in which untrusted texts are read; above them the command line reads what its user wrote.
    private static let layers = ["Foundations", "Protocols", "Runtime"]

    private static let search = WordSearch([
        "split(", "contains(", "firstIndex(", "lastIndex(", "replacing(", "prefix(", "suffix(",
    ])

    /// Calls that search by Characters, each with the call to use instead.
    private static let calls = [
        ("split(separator: \"", "parts(at:) or unicodeScalars.split"),
        ("firstIndex(of: \"", "unicodeScalars.firstIndex"),
        ("lastIndex(of: \"", "unicodeScalars.lastIndex"), ("replacing(\"", "substituting(_:by:)"),
        ("contains(\"", "holds(_:)"),
    ]

    /// Words that show that a line works with bytes or code points.
    private static let exact = ["utf8", "unicodeScalars", "decoding:", "validating:"]

    static func violations(in file: SourceFile) -> [Violation] {
        guard let layer = file.layer, layers.contains(layer) else { return [] }
        return file.codeLines(with: search).flatMap { index in
            sentences(about: file.code[index]).map { Violation(path: file.path, line: index + 1, sentence: $0) }
        }
    }

    /// Returns the findings about a line of code that works by Characters.
    static func sentences(about line: String) -> [String] {
        guard !exact.contains(where: line.contains) else { return [] }
        let searches = calls.compactMap { call, instead -> String? in
            let receivers = line.ranges(of: "." + call).map { name(before: $0.lowerBound, in: line) }
            // A list, a set or a dictionary is named as several.
            guard receivers.contains(where: { !$0.hasSuffix("s") }) else { return nil }
            return ".\(call)…) searches by Characters; use \(instead)"
        }
        let cuts = ["prefix(", "suffix("].filter { call in
            let (string, part) = (line.firstRange(of: "String("), line.firstRange(of: "." + call))
            return string.map { string in part.map { string.lowerBound < $0.lowerBound } ?? false } ?? false
        }.map { "String of .\($0)…) cuts by Characters; use start(scalars:)" }
        return searches + cuts
    }

    /// Returns the name of the value on which a call is made, without a question mark or parentheses behind it.
    private static func name(before end: String.Index, in line: String) -> String {
        var start = line[..<end]
        for sign in ["?", "()"] where start.hasSuffix(sign) { start = start.dropLast(sign.count) }
        return String(start.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed())
    }
}
