/// The rows of a file's tables, without headings and rulers.
enum MarkdownTable {
    struct Row: Hashable, Sendable {
        /// The number of the row's line in the file, from 1.
        let line: Int
        let cells: [String]
    }

    static func rows(of file: SourceFile) -> [Row] {
        var found: [Row] = []
        for (index, text) in file.lines.enumerated() {
            let isHeading = index + 1 < file.lines.count && isRuler(file.lines[index + 1])
            guard text.hasPrefix("|"), !isRuler(text), !isHeading else { continue }
            let cells = text.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            found.append(Row(line: index + 1, cells: cells.map { String(SwiftWords.trimmed(String($0))) }))
        }
        return found
    }

    private static func isRuler(_ line: String) -> Bool {
        line.hasPrefix("|") && line.allSatisfy { "|-: ".contains($0) }
    }
}
