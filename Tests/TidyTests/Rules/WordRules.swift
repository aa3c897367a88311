/// Rules for plain words in comments, in names of tests, and in names of types, functions and variables.
enum WordRules {
    /// Phrases that no comment may contain; joined from parts so that this file does not contain them.
    static let bannedPhrases = [
        ["some", "body"], ["no", "body"], ["every", "body"], ["who", "ever"], ["who", "m"], ["who", "mever"],
        ["became", " of"], ["by", " itself"], ["by", " himself"], ["for", " good"],
    ].map { $0.joined() }

    /// The number of banned phrases that the whole tree may hold.
    static let ceiling = 0

    /// Banned parts of type names: words that say what a thing is like instead of what it is.
    static let bannedParts: Set<String> = [
        "Office", "Desk", "Clerk", "Guest", "Cabinet", "Courier", "Neighbour", "Neighbours", "Mischief", "Squatter",
        "Ear",
        "Lane", "Lanes", "Tally", "Teller", "Upkeep", "Turns",
    ]

    /// Parts of type names that are reserved for one thing, with that thing.
    ///
    /// `Exceptions.linesOfText` names the types that may have them.
    static let reservedParts = ["Line": "a line of text", "Lines": "lines of text"]

    /// The modules of the server, whose types must say *mediator* or *cloud agent* instead of *agent*.
    static let serverModules: Set<String> = ["CloudAgent"]

    /// Banned parts of the names of functions, variables and cases: they hide what the thing is or does.
    ///
    /// A callback notifies, a value is the current or reported one.
    static let bannedDeclarationParts: Set<String> = [
        "told", "teller", "neighbour", "neighbours", "goodbye", "newcomer", "newcomers", "latecomer", "hurry",
        "hurried",
        "sight",
    ]

    /// Counts the banned phrases in the comments of a file, and in the names of tests and conformance cases.
    static func count(in file: SourceFile) -> Int {
        guard file.isSwift || isScript(file) else { return 0 }
        return phrases.matches(in: file.bytes).count { match in
            isWhole(match, in: file.bytes)
                && (file.isSwift
                    ? isPlainText(file.lineIndex(ofByte: match.position), of: file)
                    : isComment(match.position, of: file))
        }
    }

    private static let phrases = WordSearch(bannedPhrases, ignoringCase: true)

    /// True when a phrase is not part of a longer word at either end.
    private static func isWhole(_ match: WordSearch.Match, in bytes: [UInt8]) -> Bool {
        let end = match.position + phrases.length(of: match.word)
        return (match.position == 0 || !SwiftWords.isWordByte(bytes[match.position - 1]))
            && (end == bytes.count || !SwiftWords.isWordByte(bytes[end]))
    }

    /// True when a line is a comment, or contains the name of a test or of a conformance case.
    private static func isPlainText(_ index: Int, of file: SourceFile) -> Bool {
        let line = SwiftWords.trimmed(file.lines[index])
        return line.hasPrefix("//") || line.hasPrefix("`") || line.contains("func `") || line.contains("Case(\"")
    }

    private static func isScript(_ file: SourceFile) -> Bool {
        file.path.hasSuffix(".py") || file.path.hasSuffix(".sh")
    }

    /// True when a byte of a script is in a comment, or in a text between three quotation marks.
    private static func isComment(_ position: Int, of file: SourceFile) -> Bool {
        let line = file.bytes(ofLine: file.lineIndex(ofByte: position))
        var before: UInt8 = UInt8(ascii: " ")
        for byte in file.bytes[line.lowerBound..<position] {
            if byte == UInt8(ascii: "#"), before == UInt8(ascii: " ") { return true }
            before = byte
        }
        return quotes.matches(in: Array(file.bytes[..<position])).count % 2 == 1
    }

    private static let quotes = WordSearch(["\"\"\""])

    /// Finds types whose names contain a banned or reserved part, or call the server an agent, except the listed ones.
    static func nameViolations(in files: [SourceFile]) -> [Violation] {
        files.flatMap { file in
            typeNames(in: file).compactMap { line, name in
                let key = key(of: name, in: file)
                guard Exceptions.names[key] == nil, let fault = fault(of: name, as: key) else { return nil }
                return Violation(path: file.path, line: line, sentence: "\(name): \(fault)")
            }
        }
    }

    /// Finds functions, variables and cases of the sources whose names contain a banned part, except the listed ones.
    static func declarationViolations(in files: [SourceFile]) -> [Violation] {
        files.flatMap { file in
            declarations(in: file).compactMap { line, name in
                guard Exceptions.declarations[key(of: name, in: file)] == nil,
                    let part = parts(of: name).first(where: { bannedDeclarationParts.contains($0.lowercased()) })
                else { return nil }
                return Violation(path: file.path, line: line, sentence: "\(name): \(part.lowercased()) is no term")
            }
        }
    }

    private static let declarationKinds: Set<String> = ["func", "let", "var", "case"]
    private static let declarationKeywords = WordSearch(declarationKinds.sorted())

    /// The names behind `func`, `let`, `var` and `case`, with their lines; lines count from 1.
    static func declarations(in file: SourceFile) -> [(line: Int, name: String)] {
        guard file.isSwift else { return [] }
        return file.codeLines(with: declarationKeywords).flatMap { index in
            let words = SwiftWords.words(of: file.code[index])
            return zip(words, words.dropFirst()).filter { declarationKinds.contains($0.0) }.map { (index + 1, $0.1) }
        }
    }

    private static let typeKinds: Set<String> = ["struct", "enum", "class", "actor", "protocol", "typealias"]
    private static let typeKeywords = WordSearch(typeKinds.sorted())

    /// The types that a file declares, nested ones too, with the lines where it does; lines count from 1.
    static func typeNames(in file: SourceFile) -> [(line: Int, name: String)] {
        guard file.isSwift else { return [] }
        return file.codeLines(with: typeKeywords).compactMap { index in
            let words = SwiftWords.words(of: file.code[index])
            guard let kind = words.firstIndex(where: typeKinds.contains), kind + 1 < words.count,
                words[kind + 1].first?.isUppercase == true
            else { return nil }
            return (index + 1, words[kind + 1])
        }
    }

    /// Returns the key of a type in `Exceptions`: its module, or its outermost folder, then a dot and its own name.
    static func key(of name: String, in file: SourceFile) -> String {
        "\(file.module ?? file.folders.first ?? "").\(name)"
    }

    private static func fault(of name: String, as key: String) -> String? {
        let parts = parts(of: name)
        if let part = parts.first(where: bannedParts.contains) { return "\(part) is a metaphor, no term" }
        if let part = parts.first(where: { reservedParts[$0] != nil }), !Exceptions.linesOfText.contains(key) {
            return "\(part) stands for \(reservedParts[part] ?? "") alone"
        }
        let isWallets = zip([""] + parts, parts).contains { $0 != "Cloud" && $1 == "Agent" }
        if isWallets, serverModules.contains(where: { key.hasPrefix("\($0).") }) {
            return "an agent is the wallet's; the server is a mediator"
        }
        return nil
    }

    /// Splits a type's name into its parts, as `HTTPLine` into `HTTP` and `Line`.
    ///
    /// A part begins at a capital that follows a small letter, or that a small one follows.
    static func parts(of name: String) -> [String] {
        var parts: [String] = []
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            let followsSmall = index > 0 && !letters[index - 1].isUppercase
            let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
            if letter.isUppercase, index == 0 || followsSmall || precedesSmall { parts.append("") }
            if parts.isEmpty { parts.append("") }
            parts[parts.count - 1].append(letter)
        }
        return parts
    }

    /// The terms that a glossary page defines in its tables, in order; a row may define several, with commas between.
    static func glossary(of page: SourceFile) -> [String] {
        guard let start = page.lines.firstIndex(of: "## Words") else { return [] }
        return MarkdownTable.rows(of: page).filter { $0.line > start }.flatMap { row in
            (row.cells.first ?? "").split(separator: ",").map { String(SwiftWords.trimmed(String($0))) }
        }
    }

    /// Finds terms that a glossary defines more than once, and rows without a meaning or a source.
    static func glossaryViolations(in page: SourceFile) -> [String] {
        var seen: Set<String> = []
        let twice = glossary(of: page).filter { !seen.insert($0.lowercased()).inserted }
        let start = page.lines.firstIndex(of: "## Words") ?? 0
        let short = MarkdownTable.rows(of: page).filter { row in
            row.line > start && (row.cells.count != 4 || row.cells.contains { $0.isEmpty })
        }
        return twice + short.map { "line \($0.line)" }
    }
}
