/// A rule: requirement tables and threat model list exactly the tests whose trait carries a row's identifier.
enum TestTraceRules {
    /// A test with its trait `.shows("TUV-001", …)`.
    struct Trace: Hashable, Sendable {
        let identifiers: [String]
        let title: String
        let path: String
        /// The number of the test's line, from 1.
        let line: Int
    }

    /// A row of a table whose header has the columns `Id` and `Tests`.
    struct Row: Hashable, Sendable {
        let identifier: String
        /// The text in the column `Tests` of the row.
        let tests: String
        let column: Int
        let isLastCellEmpty: Bool
        let path: String
        /// The number of the row's line, from 1.
        let line: Int
    }

    /// The pages whose columns `Tests` are generated.
    static func pages(in tree: SourceTree) -> [SourceFile] {
        tree.markdown.filter { RequirementRules.isPage($0) || $0.path == ThreatModelRules.path }
    }

    static func rows(of page: SourceFile) -> [Row] {
        var found: [Row] = []
        var column: Int?
        for (index, line) in page.lines.enumerated() {
            guard line.hasPrefix("|") else {
                column = nil
                continue
            }
            let cells = cells(of: line)
            if cells.first == "Id" {
                column = cells.firstIndex(of: "Tests")
            } else if let column, cells.count > column, !cells[0].hasPrefix("-") {
                found.append(
                    Row(
                        identifier: cells[0], tests: cells[column], column: column,
                        isLastCellEmpty: cells.last?.isEmpty == true, path: page.path, line: index + 1))
            }
        }
        return found
    }

    /// The traits of all tests, in the order of the files.
    static func traces(in tree: SourceTree) -> [Trace] {
        tree.tests.filter { $0.module != "TidyTests" }.flatMap(traces)
    }

    private static let parts = WordSearch([".shows(", "func `"])

    private static func traces(of file: SourceFile) -> [Trace] {
        var identifiers: [String] = []
        return parts.matches(in: file.bytes).compactMap { match -> Trace? in
            let rest = file.bytes[(match.position + parts.length(of: match.word))...]
            if match.word == 0 {
                let arguments = rest.prefix { $0 != UInt8(ascii: ")") }
                identifiers += quoted(in: String(decoding: arguments, as: UTF8.self))
                return nil
            }
            defer { identifiers = [] }
            let title = String(decoding: rest.prefix { $0 != UInt8(ascii: "`") }, as: UTF8.self)
            let line = file.lineIndex(ofByte: match.position) + 1
            return identifiers.isEmpty
                ? nil : Trace(identifiers: identifiers, title: title, path: file.path, line: line)
        }
    }

    /// Makes the text of the column `Tests` for each identifier.
    static func cells(from traces: [Trace]) -> [String: String] {
        var titles: [String: [String]] = [:]
        for trace in traces {
            for identifier in trace.identifiers where titles[identifier]?.contains(trace.title) != true {
                titles[identifier, default: []].append(trace.title)
            }
        }
        return titles.mapValues { $0.map { "`\($0)`" }.joined(separator: "; ") }
    }

    /// Finds rows that list other tests than those with their identifier, and traits without a row.
    static func violations(in tree: SourceTree) -> [Violation] {
        let traces = traces(in: tree)
        let generated = cells(from: traces)
        let rows = pages(in: tree).flatMap(rows)
        let wrong = rows.filter { $0.tests != generated[$0.identifier, default: ""] }.map {
            Violation(
                path: $0.path, line: $0.line,
                sentence: "\($0.identifier) lists other tests than those that carry it; generate the tables")
        }
        let known = Set(rows.map(\.identifier))
        let unknown = traces.flatMap { trace in
            trace.identifiers.filter { !known.contains($0) }.map {
                Violation(path: trace.path, line: trace.line, sentence: "no table has a row \($0)")
            }
        }
        return wrong + unknown
    }

    private static let backTick = WordSearch(["`"])

    /// Finds names of tests that a page quotes outside of a generated column, where nothing checks them.
    static func quotedTitles(in tree: SourceTree) -> [Violation] {
        let titles = RequirementRules.testNames(in: tree)
        return tree.markdown.flatMap { page in
            let rows = Dictionary(rows(of: page).map { ($0.line, $0) }, uniquingKeysWith: { one, _ in one })
            return page.lines(with: backTick).flatMap { index -> [Violation] in
                var cells = cells(of: page.lines[index])
                if let row = rows[index + 1] { cells[row.column] = "" }
                let text = rows[index + 1] == nil ? page.lines[index] : cells.joined(separator: " ")
                return SwiftWords.quoted(in: text).filter { $0.contains(" ") && titles.contains($0) }.map {
                    Violation(
                        path: page.path, line: index + 1, sentence: "\($0) is a test; give it the identifier of a row")
                }
            }
        }
    }

    /// Returns the text of a page with its columns `Tests` generated anew.
    static func generated(_ page: SourceFile, from traces: [Trace]) -> String {
        let generated = cells(from: traces)
        var lines = page.lines
        for row in rows(of: page) {
            var cells = cells(of: lines[row.line - 1])
            cells[row.column] = generated[row.identifier, default: ""]
            lines[row.line - 1] = "| " + cells.joined(separator: " | ") + " |"
        }
        return lines.joined(separator: "\n")
    }

    private static func cells(of line: String) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { String(SwiftWords.trimmed(String($0))) }
    }

    private static func quoted(in text: String) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
    }
}
