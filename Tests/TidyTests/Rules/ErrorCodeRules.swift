/// A rule: Documentation/ErrorCodes.md lists exactly the codes that the sources declare, and a test names each.
enum ErrorCodeRules {
    static let table = "Documentation/ErrorCodes.md"

    /// A case of an enumeration of error codes, such as `JSONErrorCode`.
    struct Code: Hashable, Sendable {
        let module: String
        let caseName: String
        let rawValue: String
        let path: String
        let line: Int
    }

    static func codes(in files: [SourceFile]) -> [Code] { files.flatMap(codes(in:)) }

    static func violations(in tree: SourceTree, untested: Set<String>) -> [Violation] {
        let codes = codes(in: tree.sources)
        return spelling(of: codes) + listing(of: codes, in: tree) + testing(of: codes, in: tree, untested: untested)
    }

    private static let head = WordSearch(["ErrorCode: String, CaseIterable"])

    private static func codes(in file: SourceFile) -> [Code] {
        let heads = Set(file.codeLines(with: head))
        guard !heads.isEmpty else { return [] }
        var found: [Code] = []
        var depth: Int?
        for (index, line) in file.code.enumerated() {
            if depth == nil, heads.contains(index) { depth = 0 }
            guard let open = depth else { continue }
            let words = SwiftWords.words(of: line)
            if open == 1, words.first == "case", words.count > 1 {
                let quoted = file.lines[index].split(separator: "\"", omittingEmptySubsequences: false)
                found.append(
                    Code(
                        module: file.module ?? "", caseName: words[1],
                        rawValue: quoted.count == 3 ? String(quoted[1]) : "", path: file.path, line: index + 1))
            }
            let next = open + line.count { $0 == "{" } - line.count { $0 == "}" }
            depth = next == 0 && open > 0 ? nil : next
        }
        return found
    }

    private static func spelling(of codes: [Code]) -> [Violation] {
        var seen: Set<String> = []
        return codes.compactMap { code in
            let isPlain =
                code.rawValue.contains(".")
                && code.rawValue.allSatisfy { character in
                    character.isASCII && (character.isLowercase || character.isNumber || ".-".contains(character))
                }
            if isPlain && seen.insert(code.rawValue).inserted { return nil }
            let sentence = "the code \(code.caseName) needs a raw value of its own like module.cause-in-words"
            return Violation(path: code.path, line: code.line, sentence: sentence)
        }
    }

    private static func listing(of codes: [Code], in tree: SourceTree) -> [Violation] {
        guard let file = tree.file(table) else { return [Violation(path: table, line: 0, sentence: "is not there")] }
        let listed = MarkdownTable.rows(of: file).compactMap { row in
            row.cells.first.flatMap { SwiftWords.quoted(in: $0).first }.map { (code: $0, line: row.line) }
        }.filter { $0.code.contains(".") }
        let declared = Set(codes.map(\.rawValue))
        var seen: Set<String> = []
        let wrong = listed.compactMap { row -> Violation? in
            if declared.contains(row.code) && seen.insert(row.code).inserted { return nil }
            return Violation(path: table, line: row.line, sentence: "\(row.code) is listed twice, or no longer exists")
        }
        let missing = declared.subtracting(listed.map(\.code)).sorted().map {
            Violation(path: table, line: 0, sentence: "\($0) is not listed")
        }
        return wrong + missing
    }

    private static func testing(of codes: [Code], in tree: SourceTree, untested: Set<String>) -> [Violation] {
        let tests = tree.tests.filter { $0.module != "TidyTests" }.map(Naming.init)
        return codes.compactMap { code in
            let isTested = tests.contains { $0.names(code) }
            if isTested != untested.contains(code.rawValue) { return nil }
            let sentence =
                isTested ? "\(code.rawValue) is tested now and no exception" : "no test names \(code.rawValue)"
            return Violation(path: code.path, line: code.line, sentence: sentence)
        }
    }

    /// The ways in which a test can name a code: its raw value, or its case where the file imports the module.
    private struct Naming {
        private let texts: Set<String>
        private let members: Set<String>
        private let modules: Set<String>

        init(_ file: SourceFile) {
            texts = Set(Self.texts(of: file))
            modules = Set(ImportRules.imports(of: file).map(\.module))
            members = Set(Self.members(of: file.codeBytes))
        }

        func names(_ code: Code) -> Bool {
            texts.contains(code.rawValue) || modules.contains(code.module) && members.contains(code.caseName)
        }

        private static let quote = WordSearch(["\""])

        /// Returns the texts between any two consecutive quotes.
        private static func texts(of file: SourceFile) -> [String] {
            let quotes = quote.matches(in: file.bytes).map(\.position)
            return zip(quotes, quotes.dropFirst()).map { String(decoding: file.bytes[($0 + 1)..<$1], as: UTF8.self) }
        }

        /// The identifiers that follow a dot in a text.
        private static func members(of bytes: [UInt8]) -> [String] {
            var found: [String] = []
            bytes.withUnsafeBufferPointer { buffer in
                SwiftWords.wordTable.withUnsafeBufferPointer { table in
                    guard let start = buffer.baseAddress, let isWordByte = table.baseAddress else { return }
                    var index = 0
                    while index < buffer.count {
                        index += 1
                        guard start[index - 1] == 46 else { continue }
                        let first = index
                        while index < buffer.count, isWordByte[Int(start[index])] { index += 1 }
                        let name = UnsafeBufferPointer(start: start + first, count: index - first)
                        if !name.isEmpty { found.append(String(decoding: name, as: UTF8.self)) }
                    }
                }
            }
            return found
        }
    }
}
