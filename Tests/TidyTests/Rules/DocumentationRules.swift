/// A rule: every public declaration has a doc comment, also cases of public enums and protocol requirements.
///
/// Error codes have their explanations instead.
enum DocumentationRules {
    private static let kinds: Set<String> = [
        "func", "var", "let", "struct", "class", "enum", "protocol", "actor", "init", "subscript", "typealias", "macro",
    ]
    /// The kind of a scope, which decides the members that are as public as the scope itself.
    private enum Scope {
        case publicEnum
        case publicProtocol
        case other

        var members: Set<String> {
            switch self {
            case .publicEnum: ["case"]
            case .publicProtocol: ["func", "var", "init", "subscript", "associatedtype"]
            case .other: []
            }
        }
    }

    static func violations(in file: SourceFile) -> [Violation] {
        guard file.layer != nil, file.isSwift else { return [] }
        var found: [Violation] = []
        var scopes: [Scope] = []
        for (index, line) in file.code.enumerated() {
            let words = SwiftWords.words(of: line)
            let isPublic = declaresPublic(words)
            let isMember = declaresMember(words, of: scopes.last ?? .other)
            if isPublic || isMember, !isDocumented(index, in: file) {
                let name = SwiftWords.trimmed(line).prefix(60)
                found.append(
                    Violation(path: file.path, line: index + 1, sentence: "no doc comment on: \(name)"))
            }
            follow(line, opening: isPublic ? scope(of: words) : .other, into: &scopes)
        }
        return found
    }

    private static func declaresPublic(_ words: [String]) -> Bool {
        guard let access = words.firstIndex(where: { $0 == "public" || $0 == "open" }) else { return false }
        let rest = words[(access + 1)...].prefix { $0 != "import" && $0 != "extension" }
        guard rest.count == words.count - access - 1 else { return false }
        return rest.contains { kinds.contains($0) }
    }

    private static func declaresMember(_ words: [String], of scope: Scope) -> Bool {
        let modifiers: Set<String> = ["indirect", "static", "mutating", "nonisolated"]
        return words.first { !modifiers.contains($0) }.map(scope.members.contains) ?? false
    }

    private static func scope(of words: [String]) -> Scope {
        if words.contains("enum") {
            return words.contains { $0.hasSuffix("ErrorCode") } ? .other : .publicEnum
        }
        return words.contains("protocol") ? .publicProtocol : .other
    }

    /// Updates the stack of open braces; the first one that `line` opens is of the kind `opening`.
    private static func follow(_ line: String, opening: Scope, into scopes: inout [Scope]) {
        var kind = opening
        for byte in line.utf8 {
            if byte == UInt8(ascii: "{") {
                scopes.append(kind)
                kind = .other
            } else if byte == UInt8(ascii: "}"), !scopes.isEmpty {
                scopes.removeLast()
            }
        }
    }

    private static func isDocumented(_ index: Int, in file: SourceFile) -> Bool {
        for above in file.lines[..<index].reversed() {
            let text = SwiftWords.trimmed(above)
            if text.hasPrefix("///") { return true }
            if !text.hasPrefix("@") && !text.hasPrefix("#if") { return false }
        }
        return false
    }
}
