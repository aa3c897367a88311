/// One text file of the repository: where it is, what it says, and, for Swift, its code without comments and literals.
///
/// Made once for each file and shared by all rules, so that none masks or divides it again.
struct SourceFile: Sendable, CustomStringConvertible {
    /// The path from the package's root, with `/` between folders.
    let path: String
    let text: String
    /// The text line by line.
    let lines: [String]
    /// The code alone, line by line: comments and the contents of string literals are blanks.
    let code: [String]
    /// The bytes of `text`.
    let bytes: [UInt8]
    /// The bytes of the code alone; each has the index that it has in `bytes`.
    let codeBytes: [UInt8]
    /// The folders above the file, outermost first.
    let folders: [String]
    /// The index of the first byte of each line.
    private let lineStarts: [Int]

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        folders = path.split(separator: "/").dropLast().map(String.init)
        bytes = Array(text.utf8)
        lineStarts = SourceFile.lineStarts(of: bytes)
        lines = SourceFile.lines(of: bytes, startingAt: lineStarts)
        if path.hasSuffix(".swift") {
            codeBytes = SwiftMask.code(of: bytes)
            code = SourceFile.lines(of: codeBytes, startingAt: lineStarts)
        } else {
            codeBytes = bytes
            code = lines
        }
    }

    /// The path of the file; short, because a failed expectation prints it.
    var description: String { path }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// `Protocols` for `Sources/Protocols/Tuvali/URI.swift`, `Lab` for a file below `Lab/Sources`; nil elsewhere.
    var layer: String? {
        guard folders.count > 2 else { return nil }
        if folders[0] == "Sources" { return folders[1] }
        return SourceFile.shelves.contains(folders[0]) && folders[1] == "Sources" ? folders[0] : nil
    }

    /// `Tuvali` for `Sources/Protocols/Tuvali/URI.swift`, `TuvaliTests` for a file below that folder of `Tests`.
    var module: String? {
        if layer != nil { return folders[2] }
        let below = isBelowShelf ? Array(folders.dropFirst()) : folders
        return below.count > 1 && below[0] == "Tests" ? below[1] : nil
    }

    /// The folders beside `Sources` and `Tests` that have a `Sources` and a `Tests` of their own.
    private static let shelves: Set<String> = ["Lab", "Compatibility"]

    private var isBelowShelf: Bool { folders.first.map(SourceFile.shelves.contains) ?? false }

    /// True for a file of tests and of what they need.
    var isOfTests: Bool { folders.first == "Tests" || isBelowShelf && folders.count > 1 && folders[1] == "Tests" }

    /// The indices of the lines of the text in which one of the words occurs, in order.
    func lines(with words: WordSearch) -> [Int] { lineIndices(of: words.matches(in: bytes)) }

    /// The indices of the lines of code in which one of the words occurs, in order.
    func codeLines(with words: WordSearch) -> [Int] { lineIndices(of: words.matches(in: codeBytes)) }

    /// The index of the line that holds a byte.
    func lineIndex(ofByte position: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }

    /// The indices of a line's first byte and of the byte after its last.
    func bytes(ofLine index: Int) -> Range<Int> {
        let end = index + 1 < lineStarts.count ? lineStarts[index + 1] - 1 : bytes.count
        return lineStarts[index]..<end
    }

    private func lineIndices(of matches: [WordSearch.Match]) -> [Int] {
        var found: [Int] = []
        for match in matches {
            let line = lineIndex(ofByte: match.position)
            if found.last != line { found.append(line) }
        }
        return found
    }

    private static func lineStarts(of bytes: [UInt8]) -> [Int] {
        var starts = [0]
        bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            var index = 0
            while index < buffer.count {
                if start[index] == 10 { starts.append(index + 1) }
                index += 1
            }
        }
        return starts
    }

    private static func lines(of bytes: [UInt8], startingAt starts: [Int]) -> [String] {
        bytes.withUnsafeBufferPointer { buffer in
            var found: [String] = []
            found.reserveCapacity(starts.count)
            for index in starts.indices {
                let end = index + 1 < starts.count ? starts[index + 1] - 1 : buffer.count
                found.append(
                    String(decoding: UnsafeBufferPointer(rebasing: buffer[starts[index]..<end]), as: UTF8.self))
            }
            return found
        }
    }
}

/// A violation of a rule at a place in a file, with a sentence that says what to do about it.
struct Violation: Hashable, Sendable, CustomStringConvertible {
    let path: String
    /// The number of the line, from 1; 0 for the whole file.
    let line: Int
    let sentence: String

    var description: String { "\(path):\(line): \(sentence)" }
}
