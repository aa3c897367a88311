/// Finds types that span files and have state that other code may change.
enum TypeRules {
    /// A type of one module with its extensions in that module.
    struct TypeExtent: Hashable {
        let name: String
        var paths: Set<String> = []
        /// The number of stored `var`s that are neither private nor static.
        var openVariableCount = 0
    }

    /// Every type that spans files and has open stored state, without the exceptions.
    static func violations(in files: [SourceFile]) -> [Violation] {
        extents(in: files).compactMap { key, extent -> Violation? in
            guard isOpen(extent), Exceptions.openTypes[key] == nil, let path = extent.paths.sorted().first else {
                return nil
            }
            let sentence =
                "\(extent.name) spans \(extent.paths.count) files and has \(extent.openVariableCount) stored variables "
                + "that are not private; make it several types"
            return Violation(path: path, line: 0, sentence: sentence)
        }
        .sorted { $0.path < $1.path }
    }

    static func isOpen(_ extent: TypeExtent) -> Bool { extent.paths.count > 1 && extent.openVariableCount > 0 }

    /// All types by module, a dot and name.
    static func extents(in files: [SourceFile]) -> [String: TypeExtent] {
        var found: [String: TypeExtent] = [:]
        for file in files {
            guard let module = file.module else { continue }
            for piece in pieces(of: file) {
                let key = "\(module).\(piece.name)"
                var extent = found[key] ?? TypeExtent(name: piece.name)
                extent.paths.insert(file.path)
                extent.openVariableCount += openVariables(in: file.code[piece.lines])
                found[key] = extent
            }
        }
        return found
    }

    private struct Piece {
        let name: String
        let lines: Range<Int>
    }

    private static let kinds: Set<String> = ["struct", "enum", "class", "actor", "extension"]
    private static let modifiers: Set<String> = [
        "public", "package", "private", "fileprivate", "internal", "final", "indirect", "nonisolated",
    ]

    /// Finds the declarations and extensions of types that begin at the left margin.
    private static func pieces(of file: SourceFile) -> [Piece] {
        var found: [Piece] = []
        var index = 0
        while index < file.code.count {
            defer { index += 1 }
            guard let name = typeName(file.code[index]) else { continue }
            let start = index
            var (depth, isOpened) = (0, false)
            while index < file.code.count {
                for byte in file.code[index].utf8 where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") {
                    depth += byte == UInt8(ascii: "{") ? 1 : -1
                    isOpened = true
                }
                if isOpened, depth == 0 { break }
                index += 1
            }
            found.append(Piece(name: name, lines: start..<min(index + 1, file.code.count)))
        }
        return found
    }

    /// Returns the type that a line at the left margin declares or extends; the outer one of a nested name.
    private static func typeName(_ line: String) -> String? {
        guard let first = line.utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "}") else { return nil }
        var words = SwiftWords.words(of: line)[...]
        if first == UInt8(ascii: "@") {
            // An attribute and what it is given.
            words = words.drop { !modifiers.contains($0) && !kinds.contains($0) }
        }
        words = words.drop { modifiers.contains($0) }
        guard let kind = words.first, kinds.contains(kind) else { return nil }
        return words.dropFirst().first
    }

    private static func openVariables(in lines: ArraySlice<String>) -> Int {
        var (depth, count) = (0, 0)
        for line in lines {
            if depth == 1, isOpenVariable(line) { count += 1 }
            for byte in line.utf8 {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
            }
        }
        return count
    }

    /// True when a line declares a stored variable that code outside the type may change.
    private static func isOpenVariable(_ line: String) -> Bool {
        guard !line.utf8.contains(UInt8(ascii: "{")), line.contains(":") || line.contains("=") else { return false }
        let words = SwiftWords.words(of: line)
        guard let keyword = words.firstIndex(of: "var") else { return false }
        let allowed: Set<String> = ["public", "package", "nonisolated", "lazy", "weak", "internal"]
        return words[..<keyword].allSatisfy(allowed.contains)
    }
}
