/// Rules for calls that a layer must not make: only the edges use clocks, randomness, files and output.
enum ForbiddenCallRules {
    struct Rule: Sendable {
        /// The text that is forbidden in the code, on word boundaries.
        let pattern: String
        let because: String
    }

    /// The rules for the layers that decide, and so get time, randomness and keys as arguments.
    static let pure: [Rule] = [
        Rule(pattern: "Date(", because: "time comes in as an argument"),
        Rule(pattern: "UUID(", because: "randomness comes in as an argument"),
        Rule(pattern: ".random(", because: "randomness comes in as an argument"),
        Rule(pattern: ".shuffled()", because: "randomness comes in as an argument"),
        Rule(pattern: "SystemRandomNumberGenerator", because: "randomness comes in as an argument"),
        Rule(pattern: "ContinuousClock", because: "time comes in as an argument"),
        Rule(pattern: "SuspendingClock", because: "time comes in as an argument"),
        Rule(pattern: "Task {", because: "a core starts nothing"),
        Rule(pattern: "Task.", because: "a core starts nothing"),
        Rule(pattern: "async", because: "a core never waits"),
        Rule(pattern: "await", because: "a core never waits"),
        Rule(pattern: "actor", because: "a core is a value"),
        Rule(pattern: "Lock", because: "a core is a value that one driver owns"),
        Rule(pattern: "fatalError(", because: "what a peer does never traps"),
        Rule(pattern: "FileManager", because: "a core does no input or output"),
        Rule(pattern: "ProcessInfo", because: "a core does no input or output"),
    ]

    /// The rules for every source.
    static let everywhere: [Rule] = [
        Rule(pattern: "try!", because: "an error is a value"),
        Rule(pattern: "as!", because: "a cast that fails is an error, not a trap"),
        Rule(pattern: "URLSession", because: "nothing here fetches by itself"),
        Rule(pattern: "FoundationNetworking", because: "nothing here fetches by itself"),
        Rule(pattern: "Mutex<", because: "the thread sanitizer does not see it; use Lock"),
        Rule(pattern: "Mutex(", because: "the thread sanitizer does not see it; use Lock"),
        Rule(pattern: "NSLock", because: "use Lock"),
        Rule(
            pattern: "Lock<(@Sendable",
            because: "a closure that a generic type holds is wrapped at every look; put it into a struct"),
    ]

    static let printing = [Rule(pattern: "print(", because: "only the command line speaks")]

    /// A search for the texts of all rules, so that only lines that hold one are examined.
    private static let search = WordSearch((pure + everywhere + printing).map(\.pattern) + ["!"])

    static func violations(in file: SourceFile) -> [Violation] {
        guard let layer = file.layer else { return [] }
        var rules = everywhere
        if layer == "Protocols" { rules += pure }
        if layer != "CommandLine", layer != "Lab" { rules += printing }
        var found: [Violation] = []
        for index in file.codeLines(with: search) {
            let line = file.code[index]
            for rule in rules where SwiftWords.line(line, holds: rule.pattern) {
                let sentence = "\(rule.pattern) is not for layer \(layer): \(rule.because)"
                found.append(Violation(path: file.path, line: index + 1, sentence: sentence))
            }
            if forcesUnwrap(line) {
                found.append(
                    Violation(path: file.path, line: index + 1, sentence: "a force unwrap traps; bind or throw"))
            }
        }
        return found + foundationImports(of: file) + uncheckedConformances(of: file)
    }

    /// True when a line unwraps a value by force: an exclamation mark follows the value directly.
    static func forcesUnwrap(_ line: String) -> Bool {
        let bytes = Array(line.utf8)
        let keywords: Set<String> = ["try", "as", "init"]
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "!") && index > 0 {
            let before = bytes[index - 1]
            let after = index + 1 < bytes.count ? bytes[index + 1] : UInt8(ascii: " ")
            let word = bytes[..<index].reversed().prefix { SwiftWords.isWordByte($0) }.reversed()
            let isKeyword = keywords.contains(String(decoding: Array(word), as: UTF8.self))
            let endsValue = SwiftWords.isWordByte(before) || ")]}\"".utf8.contains(before)
            if endsValue, after != UInt8(ascii: "="), !isKeyword { return true }
        }
        return false
    }

    /// Finds imports of Foundation where FoundationEssentials exists, except beside Core Bluetooth, which needs it.
    private static func foundationImports(of file: SourceFile) -> [Violation] {
        ImportRules.imports(of: file).compactMap { number, module in
            guard module == "Foundation" else { return nil }
            let above = file.code[..<(number - 1)].last { $0.contains("#") }
            let conditions = ["canImport(Darwin)", "CORE_BLUETOOTH"]
            if let above, above.contains("#if"), conditions.contains(where: above.contains) { return nil }
            let sentence = "import FoundationEssentials; Foundation only inside #if canImport(Darwin)"
            return Violation(path: file.path, line: number, sentence: sentence)
        }
    }

    private static let unchecked = WordSearch(["@unchecked Sendable"])

    /// Finds `@unchecked Sendable` types without a comment near by that says what keeps them safe.
    private static func uncheckedConformances(of file: SourceFile) -> [Violation] {
        file.codeLines(with: unchecked).compactMap { index in
            let near = max(0, index - 12)..<min(file.lines.count, index + 12)
            let isExplained = near.contains {
                file.lines[$0].contains("//") && file.lines[$0].lowercased().contains("invariant")
            }
            let sentence = "@unchecked Sendable without a comment near by that names its invariant"
            return isExplained ? nil : Violation(path: file.path, line: index + 1, sentence: sentence)
        }
    }
}
