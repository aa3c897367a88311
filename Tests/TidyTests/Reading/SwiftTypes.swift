/// A type, or an extension of one, with what its body declares at the first level.
struct SwiftType: Hashable, Sendable {
    /// A stored property.
    struct Property: Hashable, Sendable {
        let name: String
        /// True when code outside the file cannot read it.
        let isPrivate: Bool
    }

    /// A constructor.
    struct Initialiser: Hashable, Sendable {
        /// The labels of its parts, `_` for a part without one.
        let labels: [String]
        /// The number of parts without a default.
        let requiredCount: Int
        /// The line that it begins on, counted from 1.
        let line: Int
    }

    enum Kind: String, Sendable {
        case `struct`, `class`, actor, `enum`, `extension`, `protocol`
    }

    let kind: Kind
    /// The name, with those of the types around it.
    let name: String
    let line: Int
    var properties: [Property] = []
    var initialisers: [Initialiser] = []

    /// True when the type keeps state that others cannot read: a reference, or a value with a private property.
    var hasPrivateState: Bool {
        switch kind {
        case .class, .actor: !properties.isEmpty
        case .struct: properties.contains(where: \.isPrivate)
        case .enum, .extension, .protocol: false
        }
    }
}

/// Finds types, their stored properties and their constructors by matching braces in masked code.
struct SwiftTypes {
    private let file: SourceFile
    private var found: [SwiftType] = []
    /// The types that are open, with the depth of their braces.
    private var open: [(type: SwiftType, depth: Int)] = []
    private var depth = 0

    static func all(in file: SourceFile) -> [SwiftType] {
        var reader = SwiftTypes(file)
        for index in file.code.indices { reader.read(index) }
        return reader.found
    }

    private init(_ file: SourceFile) { self.file = file }

    private static let modifiers: Set<String> = [
        "public", "package", "private", "fileprivate", "internal", "open", "final", "indirect", "nonisolated", "lazy",
        "weak", "unowned", "set", "unsafe", "distributed", "required", "convenience", "override", "consuming",
    ]

    private mutating func read(_ index: Int) {
        let line = file.code[index]
        let words = SwiftWords.words(of: line)
        let isAttributed = SwiftWords.trimmed(line).first == "@"
        let declaration = isAttributed ? words.drop { !Self.isKeyword($0) } : words[...]
        let rest = declaration.drop { Self.modifiers.contains($0) }
        let modifiers = words.prefix(upTo: rest.startIndex)
        if let keyword = rest.first, let kind = SwiftType.Kind(rawValue: keyword), rest.count > 1 {
            let own = Self.typeName(after: keyword, in: line) ?? rest[rest.startIndex + 1]
            let name = ((open.last?.type.name).map { [$0] } ?? []) + [own]
            open.append((SwiftType(kind: kind, name: name.joined(separator: "."), line: index + 1), depth))
        } else if let last = open.last, depth == last.depth + 1 {
            if let property = property(line, rest, modifiers) { open[open.count - 1].type.properties += property }
            if rest.first == "init", let initialiser = initialiser(at: index) {
                open[open.count - 1].type.initialisers.append(initialiser)
            }
        }
        close(line)
    }

    private static func isKeyword(_ word: String) -> Bool {
        modifiers.contains(word) || SwiftType.Kind(rawValue: word) != nil
            || ["let", "var", "init", "func"].contains(word)
    }

    /// The name behind the keyword of a type, with the dots of an extension's.
    private static func typeName(after keyword: String, in line: String) -> String? {
        guard let range = line.firstRange(of: keyword + " ") else { return nil }
        let name = line[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        return name.isEmpty ? nil : String(name)
    }

    /// Counts the braces of a line, and ends the types that they close.
    private mutating func close(_ line: String) {
        var hasBrace = false
        for byte in line.utf8 {
            if byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: "}") { depth -= 1 }
            guard byte == UInt8(ascii: "}"), let last = open.last, depth <= last.depth else {
                hasBrace = hasBrace || byte == UInt8(ascii: "{")
                continue
            }
            found.append(open.removeLast().type)
        }
    }

    /// The stored properties that a line of a type's body declares.
    private func property(
        _ line: String, _ words: ArraySlice<String>, _ modifiers: ArraySlice<String>
    ) -> [SwiftType.Property]? {
        guard let keyword = words.first, keyword == "let" || keyword == "var", !modifiers.contains("static"),
            let start = line.firstRange(of: keyword + " ")
        else { return nil }
        let declaration = line[start.upperBound...]
        let head = declaration.prefix { $0 != "{" }
        let isComputed = head.count < declaration.count && !head.contains("=") && !declaration.contains("didSet")
        guard !isComputed else { return nil }
        // `private(set)` lets others read it.
        let isPrivate = modifiers.contains { $0 == "private" || $0 == "fileprivate" } && !modifiers.contains("set")
        let names: [Substring] =
            declaration.first == "("
            ? declaration.dropFirst().prefix { $0 != ")" }.split(separator: ",")
            : [declaration.prefix { $0.isLetter || $0.isNumber || $0 == "_" }]
        return names.map { SwiftType.Property(name: String(SwiftWords.trimmed(String($0))), isPrivate: isPrivate) }
    }

    /// The constructor that begins in a line.
    private func initialiser(at index: Int) -> SwiftType.Initialiser? {
        let text = file.code[index...].prefix(40).joined(separator: " ")
        guard let keyword = text.firstRange(of: "init"), let start = text[keyword.upperBound...].firstIndex(of: "(")
        else { return nil }
        var parts: [String] = []
        var part = ""
        var nesting = 0
        var before: Character = " "
        scan: for character in text[text.index(after: start)...] {
            switch character {
            case "(", "[", "{", "<": nesting += 1
            case ">" where before == "-": break
            case ")" where nesting == 0: break scan
            case ")", "]", "}", ">": nesting -= 1
            default: break
            }
            if character == ",", nesting == 0 {
                parts.append(part)
                part = ""
            } else {
                part.append(character)
            }
            before = character
        }
        if !SwiftWords.trimmed(part).isEmpty { parts.append(part) }
        let labels = parts.map { String(SwiftWords.trimmed($0).prefix { $0 != " " && $0 != ":" }) }
        return SwiftType.Initialiser(
            labels: labels, requiredCount: parts.count { !$0.contains("=") }, line: index + 1)
    }
}
