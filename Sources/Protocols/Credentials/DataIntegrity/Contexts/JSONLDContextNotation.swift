import ByteCoding
import JSON

/// Parses the short notation in which the built-in JSON-LD contexts are written in the source.
///
/// Entries end at the end of a line or at ` | `, and are words with spaces between them:
///
/// - `name IRI`: a term; `name IRI :type *container`: one with a type, a container, or both; `name IRI .`: one without
///   either that is an object all the same;
/// - `{` at the end of an entry: the term has a context of its own, which goes on to `}`; `-` there: one that is null;
/// - `@version 1.1` and `@protected +`: settings;
/// - `&` alone parts the elements of an array of contexts, of which a word alone is an address.
///
/// In an IRI and a type, a capital letter and `^` abbreviate a beginning, and `~` at the end stands for the name.
struct JSONLDContextNotation {
    private static let beginnings: [Character: String] = [
        "A": "https://www.w3.org/ns/activitystreams#",
        "C": "https://www.w3.org/2018/credentials#",
        "D": "https://www.w3.org/ns/did#",
        "J": "https://www.iana.org/assignments/jwt#",
        "K": "https://www.iana.org/assignments/jose#",
        "O": "http://www.w3.org/ns/odrl/2/",
        "S": "https://w3id.org/security#",
        "T": "https://www.w3.org/ns/credentials/status#",
        "X": "http://www.w3.org/2001/XMLSchema#",
        "Y": "https://www.w3.org/2001/XMLSchema#",
    ]

    private var entries: ArraySlice<[Substring]>

    /// Parses a context into its document: an object with the member `@context`.
    static func document(_ text: String) -> JSONValue {
        let parts = entries(of: text).split(separator: ["&"]).map { part in
            if let address = part.first, address.count == 1 { return JSONValue.string(String(address[0])) }
            var notation = JSONLDContextNotation(entries: part)
            return .object(notation.context())
        }
        return .object(["@context": parts.count == 1 ? parts[0] : .array(parts)])
    }

    private static func entries(of text: String) -> [[Substring]] {
        var entries: [[Substring]] = []
        for line in text.parts(at: "\n") {
            var entry: [Substring] = []
            for word in line.parts(at: " ") {
                if word != "|" { entry.append(word) }
                guard word == "|" || word == "{" || word == "}" else { continue }
                // A brace at the end of an entry ends it too.
                if word == "}", entry.count > 1 { entries.append(entry.dropLast()) }
                if word == "}" { entry = ["}"] }
                if !entry.isEmpty { entries.append(entry) }
                entry = []
            }
            if !entry.isEmpty { entries.append(entry) }
        }
        return entries
    }

    /// Parses entries up to the brace that ends the context.
    private mutating func context() -> JSONObject {
        var object = JSONObject()
        while let entry = entries.popFirst(), entry != ["}"], entry.count > 1 {
            let name = String(entry[0])
            object[name] = value(of: entry, name)
        }
        return object
    }

    private mutating func value(of entry: [Substring], _ name: String) -> JSONValue {
        if entry[1] == "+" { return .bool(true) }
        if name == "@version" { return JSONNumber(text: String(entry[1])).map { .number($0) } ?? .null }
        let iri = JSONValue.string(Self.full(entry[1], name))
        guard entry.count > 2 else { return iri }
        var object: JSONObject = ["@id": iri]
        for word in entry[2...] {
            switch word.first {
            case ":": object["@type"] = .string(Self.full(word.dropFirst(), name))
            case "*": object["@container"] = .string("@" + word.dropFirst())
            case "-": object["@context"] = .null
            case "{": object["@context"] = .object(context())
            default: break
            }
        }
        return .object(object)
    }

    private static func full(_ word: Substring, _ name: String) -> String {
        var text = String(word)
        if let first = word.first, word.dropFirst().first == "^", let beginning = beginnings[first] {
            text = beginning + word.dropFirst(2)
        }
        return text.last == "~" ? text.dropLast() + name : text
    }
}
