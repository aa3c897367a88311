import Determinism
import JSON
import Testing

@testable import LinkedData

/// Random documents and random rearrangements of them: where the statements stay, the JSON means the same to its
/// readers, or a finding names a place.
struct StatementArrangementTests {
    private static let context = #"""
        {"id":"@id","type":"@type","a":"urn:x:a","ex":"urn:ex:","n":{"@id":"urn:x:n","@type":"xsd:integer"},
        "xsd":"http://www.w3.org/2001/XMLSchema#","f":{"@id":"urn:x:f","@type":"xsd:boolean"},
        "t":{"@id":"urn:x:t","@type":"xsd:date"},"r":{"@id":"urn:x:r","@type":"@id"},
        "g":{"@id":"urn:x:g","@container":"@graph"},"l":{"@id":"urn:x:l","@container":"@list"},
        "m":{"@id":"urn:x:m","@container":"@language"},"T":"urn:x:T"}
        """#

    private var random: SeededRandom

    init() { random = SeededRandom(seed: 11) }

    private mutating func choose<Value>(_ values: [Value]) -> Value {
        values[Int(random.below(UInt64(values.count)))]
    }

    private mutating func scalar() -> JSONValue {
        choose(["x", "30", "true", "2025-01-01", "urn:x:1", "ex:4", .number(JSONNumber(30)), .bool(true)])
    }

    private mutating func node(_ depth: Int) -> JSONValue {
        var object = JSONObject()
        if random.below(3) > 0 { object["id"] = choose(["urn:x:1", "urn:x:2", "urn:ex:4"]) }
        if random.below(3) == 0 { object["type"] = "T" }
        for _ in 0..<random.below(4) {
            let name = choose(["a", "n", "f", "t", "r", "g", "l", "m", "ex:q", "urn:x:z"])
            object[name] = value(of: name, depth)
        }
        return .object(object)
    }

    private mutating func value(of name: String, _ depth: Int) -> JSONValue {
        switch name {
        case "n": return .number(JSONNumber(30))
        case "f": return .bool(true)
        case "t": return "2025-01-01"
        case "m": return ["en": "x"]
        case "r": return depth > 0 ? node(depth - 1) : "urn:x:1"
        case "g": return depth > 0 ? node(depth - 1) : ["a": "x"]
        default: return depth > 0 && random.below(2) == 0 ? .array([node(depth - 1), scalar()]) : scalar()
        }
    }

    /// The ways to all values but the contexts.
    private static func ways(in value: JSONValue, _ way: JSONPath = .root) -> [JSONPath] {
        switch value {
        case .object(let object):
            [way] + object.flatMap { ways(in: $0.value, way.appending(.member($0.name))) }
        case .array(let elements):
            [way] + elements.enumerated().flatMap { ways(in: $1, way.appending(.element($0))) }
        default: [way]
        }
    }

    private static func value(at steps: ArraySlice<JSONPath.Step>, of value: JSONValue) -> JSONValue? {
        switch (steps.first, value) {
        case (nil, _): value
        case (.member(let name), .object(let object)):
            object[name].flatMap { Self.value(at: steps.dropFirst(), of: $0) }
        case (.element(let index), .array(let elements)):
            elements.indices.contains(index) ? Self.value(at: steps.dropFirst(), of: elements[index]) : nil
        default: nil
        }
    }

    /// The value with another at a place; nil removes a member.
    private static func put(
        _ new: JSONValue?, at steps: ArraySlice<JSONPath.Step>, of value: JSONValue
    ) -> JSONValue {
        switch (steps.first, value) {
        case (.member(let name), .object(var object)):
            let inner = object[name] ?? .null
            object[name] = steps.count == 1 ? new : put(new, at: steps.dropFirst(), of: inner)
            return .object(object)
        case (.element(let index), .array(var elements)) where elements.indices.contains(index):
            elements[index] = put(new, at: steps.dropFirst(), of: elements[index])
            return .array(elements)
        default: return new ?? value
        }
    }

    private mutating func rearrange(_ document: JSONValue) -> JSONValue {
        let ways = Self.ways(in: document)
        let (way, other) = (choose(ways).steps, choose(ways).steps)
        guard let value = Self.value(at: way[...], of: document), case .member(let name)? = way.last else {
            return document
        }
        let all = value.array ?? [value]
        switch random.below(5) {
        case 0:  // A member under another node, moved or copied.
            guard case .object(var target)? = Self.value(at: other[...], of: document) else { return document }
            target[name] = target[name].map { .array(($0.array ?? [$0]) + all) } ?? value
            let copied = Self.put(.object(target), at: other[...], of: document)
            return random.below(2) == 0 ? copied : Self.put(nil, at: way[...], of: copied)
        case 1:
            let array = choose([[value], all + all, all + [.array([])], [.array(all)]])
            return Self.put(.array(array), at: way[...], of: document)
        case 2:
            let object: JSONObject = choose([["@value": value], ["id": value], ["@list": value], ["@none": value]])
            return Self.put(.object(object), at: way[...], of: document)
        case 3: return Self.put(scalar(), at: way[...], of: document)
        default:  // A node in two parts.
            guard case .object(var first) = value, let moved = first.names.last else { return document }
            var second: JSONObject = ["id": first["id"] ?? "urn:x:1"]
            second[moved] = first[moved]
            first[moved] = nil
            return Self.put(.array([.object(first), .object(second)]), at: way[...], of: document)
        }
    }

    /// The JSON without the order of arrays that are no lists, and without arrays of one.
    private static func meaning(_ value: JSONValue, _ name: String = "") -> String {
        switch value {
        case .array(let elements):
            let parts = elements.map { meaning($0) }
            return parts.count == 1 ? parts[0] : "\(name == "l" ? parts : parts.sorted())"
        case .object(let object):
            return "{\(object.map { "\($0.name):\(meaning($0.value, $0.name))" }.sorted())}"
        default: return value.text
        }
    }

    /// The canonical statements, and whether nothing was found; nil for a document that is none.
    private static func read(_ document: JSONValue) throws -> (quads: [UInt8], isClear: Bool)? {
        var object = document.object ?? [:]
        object["@context"] = try JSONValue(parsing: context)
        let library = JSONLDContextLibrary { _ throws(LinkedDataError) in nil }
        guard let read = try? LinkedDataStatements(of: .object(object), contexts: library),
            let form = try? RDFCanonicalForm(of: read.dataset)
        else { return nil }
        return (form.quads, read.dropped.isEmpty && read.labels.isEmpty && read.placements.isEmpty)
    }

    @Test mutating func `a rearranged JSON-LD document with the same statements means the same, or is reported`() throws
    {
        var (clear, found) = (0, 0)
        for _ in 0..<400 {
            let document = node(3)
            guard let first = try Self.read(document), first.isClear else { continue }
            clear += 1
            for _ in 0..<20 {
                let changed = rearrange(random.below(2) == 0 ? document : rearrange(document))
                guard let second = try Self.read(changed), second.quads == first.quads else { continue }
                if second.isClear {
                    #expect(Self.meaning(changed) == Self.meaning(document))
                } else {
                    found += 1
                }
            }
        }
        #expect(clear > 50 && found > 200, "\(clear) \(found)")
    }
}
