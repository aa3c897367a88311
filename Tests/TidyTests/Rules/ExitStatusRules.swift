/// The exit statuses that Documentation/ErrorCodes.md and the manual name are those of the command's own table.
enum ExitStatusRules {
    static let folder = "Sources/CommandLine/CommandProgram/Failures/"

    /// The status of each class, from the cases of `ExitClass`.
    static func statuses(in tree: SourceTree) -> [String: String] {
        guard let file = tree.file(folder + "ExitClass.swift") else { return [:] }
        var found: [String: String] = [:]
        for line in file.code {
            let words = SwiftWords.words(of: line)
            if words.count == 3, words[0] == "case", Int(words[2]) != nil { found[words[1]] = words[2] }
        }
        return found
    }

    /// The class of each code, from lines `Entry("code", .class, …` that may be broken anywhere.
    static func classes(in tree: SourceTree) -> [String: String] {
        var found: [String: String] = [:]
        for file in tree.sources where file.path.hasPrefix(folder) {
            for rest in file.text.split(separator: "Entry(").dropFirst() {
                let parts = rest.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
                guard parts.count == 3, SwiftWords.trimmed(String(parts[0])).allSatisfy(\.isNewline) else { continue }
                let after = parts[2].drop { ", .\n".contains($0) }
                found[String(parts[1])] = String(after.prefix { $0.isLetter })
            }
        }
        return found
    }

    static func violations(in tree: SourceTree) -> [Violation] {
        guard let table = tree.file(ErrorCodeRules.table) else { return [] }
        let statuses = statuses(in: tree)
        let classes = classes(in: tree)
        return MarkdownTable.rows(of: table).compactMap { row in
            guard row.cells.count == 6, let code = SwiftWords.quoted(in: row.cells[0]).first,
                let expected = classes[code].flatMap({ statuses[$0] }), row.cells[3] != expected
            else { return nil }
            return Violation(path: table.path, line: row.line, sentence: "\(code) ends the command with \(expected)")
        }
    }

    /// The statuses that a page lists in tables whose first cell is a number.
    static func listedStatuses(in file: SourceFile) -> Set<String> {
        Set(MarkdownTable.rows(of: file).compactMap { $0.cells.first }.filter { Int($0) != nil })
    }
}
