/// A rule: the exit statuses that the manual names are those of the program.
enum ExitStatusRules {
    static let classes = "Sources/Foundations/CodedErrors/ExitClass.swift"

    /// The status of each class, from the cases of `ExitClass`.
    static func statuses(in tree: SourceTree) -> [String: String] {
        guard let file = tree.file(classes) else { return [:] }
        var found: [String: String] = [:]
        for line in file.code {
            let words = SwiftWords.words(of: line)
            if words.count == 3, words[0] == "case", Int(words[2]) != nil { found[words[1]] = words[2] }
        }
        return found
    }

    /// The statuses that a page lists in tables whose first cell is a number.
    static func listedStatuses(in file: SourceFile) -> Set<String> {
        Set(MarkdownTable.rows(of: file).compactMap { $0.cells.first }.filter { Int($0) != nil })
    }
}
