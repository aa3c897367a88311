import JSON

/// Expands texts, numbers and Booleans by their term and context (JSON-LD 1.1 API, section 5.3).
///
/// It also finds values that another notation could stand for.
struct ScalarExpansion {
    private static let schema = "http://www.w3.org/2001/XMLSchema#"
    /// The data types whose values are numbers in JSON.
    private static let numbers: Set<String> = Set(
        [
            "integer", "decimal", "double", "float", "long", "int", "short", "byte", "nonNegativeInteger",
            "nonPositiveInteger", "positiveInteger", "negativeInteger", "unsignedLong", "unsignedInt",
            "unsignedShort", "unsignedByte",
        ].map { schema + $0 })
    private static let boolean = schema + "boolean"

    private let definition: TermDefinition?
    private let context: ActiveContext

    /// The data type that the term gives to plain values.
    private let type: String?
    /// True when plain texts are identifiers.
    private let isIdentifier: Bool

    init(_ definition: TermDefinition?, _ context: ActiveContext) {
        self.definition = definition
        self.context = context
        let type = definition?.type
        // All other types than an IRI are keywords.
        let isKeyword = type?.utf8.first == UInt8(ascii: "@")
        isIdentifier = isKeyword && (type == "@id" || type == "@vocab")
        self.type = isIdentifier || isKeyword && type == "@none" ? nil : type
    }

    /// Returns the item of a text, number or Boolean.
    func item(of scalar: JSONValue, at path: JSONPath) -> ExpandedItem {
        if isIdentifier, let text = scalar.string {
            var node = ExpandedNode(at: path)
            node.id = identifier(of: text) ?? ""
            return .node(node)
        }
        return .value(value(of: scalar, at: path))
    }

    private func identifier(of text: String) -> String? {
        context.values.iri(of: text, isVocabulary: definition?.type == "@vocab", isReference: true)
    }

    private func value(of scalar: JSONValue, at path: JSONPath) -> ExpandedValue {
        var value = ExpandedValue(value: scalar, path: path)
        if let type {
            value.type = type
        } else if scalar.string != nil {
            value.language = language
        }
        return value
    }

    /// The language of plain texts without a data type; nil for none.
    var language: String? {
        switch definition?.parts.language ?? .inherited {
        case .inherited: context.values.language
        case .none: nil
        case .tag(let tag): tag
        }
    }

    /// Returns the reason why this plain value is an unusual notation of its statement; nil for the usual one.
    ///
    /// - Parameter item: the item that `item(of:at:)` made of the value.
    func ambiguity(of scalar: JSONValue, read item: ExpandedItem) -> String? {
        if case .node(let node) = item {
            guard definition?.type == "@id", let iri = node.id, !iri.isEmpty, iri != scalar.string else { return nil }
            return "The identifier is a short form of an IRI."
        }
        guard let type, type != "@json" else { return nil }
        switch scalar {
        case .string(let text):
            guard let other = Self.native(of: text), isOf(type, other) else { return nil }
            let isSame = (try? LiteralConversion.form(of: other, type: type).text) == text
            return isSame ? "The text means the same as the number or Boolean that it holds." : nil
        case .number, .bool:
            return isOf(type, scalar) ? nil : "The number or Boolean means the same as a text."
        case .null, .array, .object: return nil
        }
    }

    /// Returns true when values of a data type are usually written as this kind of JSON value.
    private func isOf(_ type: String, _ value: JSONValue) -> Bool {
        if case .bool = value { return type == Self.boolean }
        return Self.numbers.contains(type)
    }

    /// Returns true when a plain value of the term makes the same literal as an object with `@value`.
    func isWritable(plainly value: ExpandedValue) -> Bool {
        if definition?.containers.contains(.language) == true, value.language != nil { return true }
        guard value.type != "@json" else { return false }
        var notations = [value.value]
        if let text = value.value.string {
            if let other = Self.native(of: text) { notations.append(other) }
        } else if let text = try? LiteralConversion.form(of: value.value, type: value.type).text {
            notations.append(.string(text))
        }
        return notations.contains { notation in
            guard case .value(let plain) = item(of: notation, at: value.path) else { return false }
            return Self.isSame(plain, value)
        }
    }

    /// Returns true when `{"id": name}` means the same as the plain text `name`.
    func isReference(_ text: String, _ iri: String) -> Bool {
        isIdentifier && identifier(of: text) == iri
    }

    private static func isSame(_ first: ExpandedValue, _ second: ExpandedValue) -> Bool {
        guard first.language == second.language,
            let one = try? LiteralConversion.form(of: first.value, type: first.type),
            let other = try? LiteralConversion.form(of: second.value, type: second.type)
        else { return false }
        return one == other
    }

    /// Returns the JSON number or Boolean that a text contains; nil for another text.
    private static func native(of text: String) -> JSONValue? {
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
                text.utf8.allSatisfy(isOfNumber)
            else { return nil }
            return JSONNumber(text: text).map { .number($0) }
        }
    }

    /// Returns true for a byte that occurs in JSON numbers.
    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
