/// Rules for pages: links lead to files, paths are not those of one machine, lists are complete.
enum TextRules {
    static let readmeLineLimit = 150

    /// Beginnings of paths that exist on one machine only.
    static let machinePaths = ["work/", "root/", "home/", "tmp/tools", "Users/"].map { "/" + $0 }

    private static let machinePathSearch = WordSearch(machinePaths)

    static func machinePathViolations(in file: SourceFile) -> [Violation] {
        file.lines(with: machinePathSearch).flatMap { index in
            machinePaths.filter { names(file.lines[index], $0) }.map {
                Violation(path: file.path, line: index + 1, sentence: "\($0) is a path of one machine")
            }
        }
    }

    private static let linkSearch = WordSearch(["]("])

    /// Finds links of a Markdown file to missing files.
    static func linkViolations(in file: SourceFile, tree: SourceTree) -> [Violation] {
        file.lines(with: linkSearch).flatMap { index in
            targets(of: file.lines[index]).compactMap { target in
                let path = resolve(target, from: file.folders)
                if tree.file(path) != nil || tree.folders.contains(path) || tree.otherPaths.contains(path) {
                    return nil
                }
                return Violation(path: file.path, line: index + 1, sentence: "the link \(target) leads nowhere")
            }
        }
    }

    /// The valid names of a tree's files and folders: their paths, and each end of these that begins at a folder.
    static func names(of tree: SourceTree) -> Set<String> {
        let paths = tree.files.map(\.path) + tree.otherPaths
        return (paths + tree.folders).reduce(into: []) { names, path in
            let parts = path.split(separator: "/")
            for start in parts.indices { names.insert(parts[start...].joined(separator: "/")) }
        }
    }

    private static let rootFolders = [
        "Sources/", "Lab/", "Compatibility/", "Tests/", "Fuzz/", "Scripts/", "Examples/", "Packaging/", "Vectors/",
        "Documentation/",
        "Foundations/", "Protocols/", "Radio/", "Runtime/", "Simulation/", "CommandLine/",
    ]

    /// Finds missing files and folders that a table names.
    static func tableViolations(in file: SourceFile, names: Set<String>) -> [Violation] {
        MarkdownTable.rows(of: file).flatMap { row -> [Violation] in
            let words = row.cells.joined(separator: " ").split {
                !($0.isLetter || $0.isNumber || "/._+-".contains($0))
            }
            return words.compactMap { word in
                var path = String(word)
                while let last = path.last, "/.-".contains(last) { path.removeLast() }
                let isPath = path.hasSuffix(".swift") || rootFolders.contains(where: path.hasPrefix)
                guard isPath, !names.contains(path) else { return nil }
                return Violation(path: file.path, line: row.line, sentence: "there is no \(path)")
            }
        }
    }

    /// A row of the table of gates: its name, its minutes, its script with arguments, and the files that it covers.
    struct GateRow {
        let line: Int
        let name: String
        let minutes: Int?
        let command: [Substring]
        let patterns: [Substring]
    }

    static func gates(in table: SourceFile) -> [GateRow] {
        table.lines.enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            guard let name = words.first, !line.hasPrefix("#") else { return nil }
            let halves = words.dropFirst(2).split(separator: ":", maxSplits: 1)
            return GateRow(
                line: index + 1, name: String(name), minutes: words.count > 1 ? Int(words[1]) : nil,
                command: halves.first.map(Array.init) ?? [],
                patterns: halves.count > 1 ? Array(halves[1]) : [])
        }
    }

    /// Finds gates whose script is missing, that state no duration, or that cover no existing file.
    static func gateViolations(in table: SourceFile, paths: [String]) -> [Violation] {
        gates(in: table).compactMap { row in
            let lost = row.patterns.first { pattern in
                let start = pattern.prefix { $0 != "*" }
                let isFolderOrFile = start.count == pattern.count
                return !paths.contains {
                    isFolderOrFile ? $0 == pattern || $0.hasPrefix("\(pattern)/") : $0.hasPrefix(start)
                }
            }
            let hasScript = paths.contains("Scripts/\(row.command.first ?? "")")
            if hasScript, row.minutes != nil, !row.patterns.isEmpty, lost == nil { return nil }
            return Violation(
                path: table.path, line: row.line, sentence: "\(row.name): no script, minutes or \(lost ?? "files")")
        }
    }

    private static let checkFullSearch = WordSearch(["check-full", "whole check"])

    /// Finds durations that a text gives for all gates together, when the table adds up to another one.
    static func durationViolations(in file: SourceFile, minutes: Int) -> [Violation] {
        file.lines(with: checkFullSearch).compactMap { index in
            let words = file.lines[index].split { !$0.isLetter && !$0.isNumber }
            let isOther = words.indices.contains { index in
                if words[index] == "hour" || words[index] == "hours" { return true }
                guard words[index] == "minutes", index > 0, let given = Int(words[index - 1]) else { return false }
                return given != minutes
            }
            guard isOther else { return nil }
            return Violation(path: file.path, line: index + 1, sentence: "all gates take \(minutes) minutes")
        }
    }

    private static let methodSearch = WordSearch(["method did:"])

    /// Finds lines of a trust file, in a page or an example, that trust everyone with a DID of some method.
    static func methodViolations(in file: SourceFile) -> [Violation] {
        file.lines(with: methodSearch).compactMap { index in
            guard file.lines[index].drop(while: \.isWhitespace).hasPrefix("method did:") else { return nil }
            return Violation(path: file.path, line: index + 1, sentence: "a shipped trust file trusts a whole method")
        }
    }

    private static let makeSearch = WordSearch(["make "])

    /// The targets of a Makefile that `make help` lists.
    static func targets(in makefile: SourceFile) -> Set<String> {
        Set(
            makefile.lines.filter { $0.contains(": ") && $0.contains("## ") }.compactMap { line in
                line.split(separator: ":").first.map(String.init)
            })
    }

    /// Finds targets in a text's `make` commands that the Makefile lacks, and gates without a row.
    static func makeViolations(in file: SourceFile, jobs: Set<String>, gates: Set<String>) -> [Violation] {
        return file.lines(with: makeSearch).flatMap { index in
            SwiftWords.quoted(in: file.lines[index]).compactMap { quoted in
                let words = quoted.split(separator: " ")
                guard words.first == "make", words.count > 1 else { return nil }
                let sentence: String
                if !jobs.contains(String(words[1])) {
                    sentence = "the Makefile has no job \(words[1])"
                } else if words[1] == "gate", words.count > 2, let gate = words[2].split(separator: "=").last,
                    gate != "NAME", !gates.contains(String(gate))
                {
                    sentence = "Scripts/gates.table has no gate \(gate)"
                } else {
                    return nil
                }
                return Violation(path: file.path, line: index + 1, sentence: sentence)
            }
        }
    }

    /// The packages in some sections of the list that the set-up script reads.
    static func packages(in list: SourceFile, sections: Set<String>) -> Set<String> {
        var section = ""
        return list.lines.reduce(into: []) { found, line in
            if line.hasPrefix("[") { section = String(line) }
            guard sections.contains(section), line.first?.isLetter == true else { return }
            if let name = line.split(separator: " ").first { found.insert(String(name)) }
        }
    }

    /// The packages that a text tells the reader to install.
    static func quotedPackages(in file: SourceFile) -> Set<String> {
        var found: Set<String> = []
        var isInside = false
        for line in file.lines {
            if line.contains("apt-get install") { isInside = true }
            guard isInside else { continue }
            let words = line.split(separator: " ").map(String.init)
            let rest = words.firstIndex(of: "install").map { Array(words[($0 + 1)...]) } ?? words
            found.formUnion(rest.filter { !$0.hasPrefix("-") && $0 != "\\" })
            isInside = line.hasSuffix("\\")
        }
        return found
    }

    /// The names that a page does not contain in back-ticks, in order.
    static func missing(_ names: Set<String>, in file: SourceFile) -> [String] {
        names.subtracting(file.lines.flatMap { SwiftWords.quoted(in: $0) }).sorted()
    }

    /// The required headings that a page of Documentation/Decisions lacks.
    static func missingHeadings(of file: SourceFile) -> [String] {
        ["## Context", "## Options", "## Choice", "## What would change our mind"].filter { !file.lines.contains($0) }
    }

    private static func names(_ line: String, _ path: String) -> Bool {
        var rest = Substring(line)
        while let range = rest.firstRange(of: path) {
            let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
            if !before.isLetter && !before.isNumber && !"./_-})".contains(before) { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }

    private static func targets(of line: String) -> [String] {
        line.split(separator: "](", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
            let target = rest.prefix { $0 != ")" && $0 != "#" && $0 != " " }
            return target.isEmpty || target.contains("://") || target.hasPrefix("mailto:") ? nil : String(target)
        }
    }

    private static func resolve(_ target: String, from folders: [String]) -> String {
        var parts = folders
        for part in target.split(separator: "/") where part != "." {
            if part != ".." { parts.append(String(part)) } else if !parts.isEmpty { parts.removeLast() }
        }
        return parts.joined(separator: "/")
    }
}
