/// Limits for the length of functions and comment lines, and rules for the names of folders.
enum SizeRules {
    static let functionLineLimit = 60
    /// The most columns of a comment line; `swift format` checks code and leaves comments as they are.
    static let commentWidthLimit = 120
    static let folderNames: Set<String> = [
        "Core", "Common", "Utils", "Util", "Utilities", "Manager", "Managers", "Helpers",
    ]

    static func violations(in file: SourceFile) -> [Violation] {
        guard file.isSwift else { return [] }
        var found: [Violation] = []
        for function in SwiftFunctions.all(in: file) where function.lineCount > functionLineLimit {
            guard Exceptions.longFunctions["\(file.path) \(function.name)"] == nil else { continue }
            let sentence = "\(function.name) has \(function.lineCount) lines, more than \(functionLineLimit)"
            found.append(Violation(path: file.path, line: function.line, sentence: sentence))
        }
        for (index, line) in file.lines.enumerated() where line.utf8.count > commentWidthLimit {
            guard SwiftWords.trimmed(line).hasPrefix("//"), line.count > commentWidthLimit else { continue }
            let sentence = "a comment of \(line.count) columns, more than \(commentWidthLimit)"
            found.append(Violation(path: file.path, line: index + 1, sentence: sentence))
        }
        return found
    }

    static func folderViolations(in files: [SourceFile]) -> [Violation] {
        files.compactMap { file in
            if file.path.contains(" ") {
                return Violation(path: file.path, line: 0, sentence: "scripts trip on a blank in a path")
            }
            guard ["Sources", "Tests"].contains(file.folders.first) else { return nil }
            return file.folders.first { folderNames.contains($0) }.map {
                Violation(path: file.path, line: 0, sentence: "a folder called \($0) says nothing about what is in it")
            }
        }
    }

    /// Returns the median of lengths, the longer one of two; 0 for none.
    static func median(of lengths: [Int]) -> Int { lengths.isEmpty ? 0 : lengths.sorted()[lengths.count / 2] }
}
