/// One text file of the repository: where it is, what it says, and, for Swift, its code without comments and literals.
struct SourceFile: Sendable, CustomStringConvertible {
    /// The path from the package's root, with `/` between folders.
    let path: String
    let text: String
    /// The text line by line.
    let lines: [String]
    /// The code alone, line by line: comments and the contents of string literals are blanks.
    let code: [String]

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        lines = SourceFile.split(text)
        code = path.hasSuffix(".swift") ? SourceFile.split(SwiftMask.code(of: text)) : lines
    }

    /// Short, because a failed expectation prints it.
    var description: String { path }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// The folders above the file, outermost first.
    var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }

    /// `Protocols` for `Sources/Protocols/Tuvali/URI.swift`; nil outside `Sources`.
    var layer: String? { folders.count > 2 && folders[0] == "Sources" ? folders[1] : nil }

    /// `Tuvali` for `Sources/Protocols/Tuvali/URI.swift`, `TuvaliTests` for a file below that folder of `Tests`.
    var module: String? {
        if layer != nil { return folders[2] }
        return folders.count > 1 && folders[0] == "Tests" ? folders[1] : nil
    }

    private static func split(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

/// What a rule found: where, and a sentence that says what to do about it.
struct Violation: Hashable, Sendable, CustomStringConvertible {
    let path: String
    /// Counted from 1; 0 when the whole file is meant.
    let line: Int
    let sentence: String

    var description: String { "\(path):\(line): \(sentence)" }
}
