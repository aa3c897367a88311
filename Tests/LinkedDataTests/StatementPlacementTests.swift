import JSON
import Testing

@testable import LinkedData

/// Documents of one set of statements that can be arranged in several ways: all but one are found.
struct StatementPlacementTests {
    private static let context = #"""
        {"a":"urn:x:a","b":"urn:x:b","id":"@id","type":"@type","n":{"@id":"urn:x:n","@type":"xsd:decimal"},
        "xsd":"http://www.w3.org/2001/XMLSchema#","f":{"@id":"urn:x:f","@type":"xsd:boolean"},
        "t":{"@id":"urn:x:t","@type":"urn:x:type"},"r":{"@id":"urn:x:r","@type":"@id"},
        "g":{"@id":"urn:x:g","@container":"@graph"},"l":{"@id":"urn:x:l","@container":"@list"},
        "v":{"@id":"urn:x:v","@type":"@vocab"},"p":{"@id":"urn:x:p:","@prefix":true},
        "rdf":"http://www.w3.org/1999/02/22-rdf-syntax-ns#","m":{"@id":"urn:x:m","@container":"@language"},
        "d":{"@id":"urn:x:d","@container":"@language","@language":"de"}}
        """#

    private static func read(_ members: String) throws -> LinkedDataStatements {
        let text = "{\"@context\":\(context),\(members)}"
        let library = JSONLDContextLibrary { _ throws(LinkedDataError) in nil }
        return try LinkedDataStatements(of: try JSONValue(parsing: text), contexts: library)
    }

    private static func places(in members: String) throws -> [String] {
        try read(members).placements.map { finding in
            finding.path.steps.map { step in
                switch step {
                case .member(let name): name
                case .element(let index): "\(index)"
                }
            }.joined(separator: "/")
        }
    }

    @Test(arguments: [
        (#""a":[]"#, ["a"]), (#""type":[]"#, ["type"]), (#""a":[["x"]]"#, ["a/0"]), (#""a":["x",[]]"#, ["a/1", "a/1"]),
        (#""l":[]"#, []), (#""l":[["x"],[]]"#, []), (#""a":["x"]"#, []), (#""a":["x","y"]"#, []),
    ])
    func `empty and nested arrays in JSON-LD are reported unless they are lists`(
        _ members: String, _ places: [String]
    ) throws {
        #expect(try Self.places(in: members) == places)
    }

    @Test(arguments: [
        (#""n":30"#, []), (#""n":"30""#, ["n"]), (#""n":"30.0""#, []), (#""n":"1.25E1""#, ["n"]), (#""n":"x""#, []),
        (#""n":true"#, ["n"]), (#""f":true"#, []), (#""f":"true""#, ["f"]), (#""f":1"#, ["f"]), (#""f":"yes""#, []),
        (#""t":30"#, ["t"]), (#""t":"30""#, []), (#""a":30"#, []), (#""a":"30""#, []),
        (#""a":{"@value":"x"}"#, ["a"]), (#""a":{"@value":"x","@language":"en"}"#, []),
        (#""a":{"@value":"30","@type":"xsd:integer"}"#, ["a"]), (#""a":{"@value":"x","@type":"urn:x:type"}"#, []),
        (#""t":{"@value":"x","@type":"urn:x:type"}"#, ["t"]), (#""t":{"@value":"x"}"#, []),
        (#""n":{"@value":30}"#, []), (#""n":{"@value":30,"@type":"xsd:decimal"}"#, ["n"]),
    ])
    func `a JSON-LD value in an unusual notation is reported`(_ members: String, _ places: [String]) throws {
        #expect(try Self.places(in: members) == places)
    }

    @Test(arguments: [
        (#""r":"urn:x:1""#, []), (#""r":{"id":"urn:x:1"}"#, ["r"]), (#""r":{"id":"urn:x:1","a":"x"}"#, []),
        (#""a":{"id":"urn:x:1"}"#, []), (#""r":"p:1""#, ["r"]), (#""id":"p:1","a":"x""#, ["id"]),
        (#""p:c":"x""#, []), (#""urn:x:p:c":"x""#, ["urn:x:p:c"]), (#""urn:x:c":"x""#, []),
        (#""type":"p:T""#, []), (#""type":"urn:x:p:T""#, ["type"]), (#""v":"p:T""#, []), (#""v":"urn:x:p:T""#, ["v"]),
        (#""a":{"id":"_:x","a":"x"}"#, ["a"]), (#""r":"_:x""#, ["r"]),
        (#""xsd:x":{"id":"urn:x:T"}"#, []), (#""rdf:type":{"id":"urn:x:T"}"#, ["rdf:type"]),
        (#""a":{"rdf:first":"x"}"#, ["a/rdf:first"]), (#""a":{"rdf:rest":"x"}"#, ["a/rdf:rest"]),
        (#""a":{"id":"http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"}"#, ["a"]),
        (#""a":{"rdf:value":"x"}"#, []),
    ])
    func `a JSON-LD name in an unusual form is reported`(_ members: String, _ places: [String]) throws {
        #expect(try Self.places(in: members) == places)
    }

    @Test(arguments: [
        (#""m":{"en":"x"}"#, []), (#""m":{"en":["x","y"]}"#, []), (#""m":{}"#, ["m"]), (#""m":{"en":[]}"#, ["m/en"]),
        (#""m":{"@none":"x"}"#, ["m/@none"]), (#""m":"x""#, []), (#""d":{"de":"x"}"#, []), (#""d":"x""#, ["d"]),
        (#""m":[{"@value":"x","@language":"en"}]"#, ["m/0"]),
    ])
    func `a JSON-LD language map in an unusual form is reported`(
        _ members: String, _ places: [String]
    ) throws {
        #expect(try Self.places(in: members) == places)
    }

    @Test(arguments: [(#"{"id":"urn:x:1"}"#, 1), ("{}", 1), (#"{"id":"urn:x:1","a":"x"}"#, 0)])
    func `a JSON-LD node alone in a graph is reported as dropped if it has no statement`(_ node: String, _ count: Int)
        throws
    {
        #expect(try Self.read(#""g":\#(node)"#).dropped.count == count)
    }

    @Test(arguments: [
        // Members at two places.
        (#""a":{"id":"urn:x:1","b":"x"},"b":{"id":"urn:x:1","a":"y"}"#, ["b"]),
        // Members at one place, the first of one distance by the IRIs of the members.
        (#""b":{"id":"urn:x:1"},"a":{"id":"urn:x:1","b":"x"}"#, []),
        (#""b":{"id":"urn:x:1","b":"x"},"a":{"id":"urn:x:1"}"#, ["b"]),
        // Members nearer to the top than another name of the node, and farther.
        (#""b":{"id":"urn:x:1","b":"x"},"a":{"a":{"id":"urn:x:1"}}"#, []),
        (#""b":{"id":"urn:x:1"},"a":{"a":{"id":"urn:x:1","b":"x"}}"#, ["a/a"]),
        // A node that names itself, and one in lists.
        (#""id":"urn:x:1","a":{"id":"urn:x:1"}"#, []), (#""id":"urn:x:1","a":{"id":"urn:x:1","b":"x"}"#, ["a"]),
        (#""l":[{"id":"urn:x:1","a":"x"},{"id":"urn:x:1"}]"#, []),
        (#""l":[{"id":"urn:x:1"},{"id":"urn:x:1","a":"x"}]"#, ["l/1"]),
        // Names alone, one statement twice, and graphs of their own.
        (#""b":{"id":"urn:x:1"},"a":{"id":"urn:x:1"}"#, []), (#""a":["x","x"]"#, ["a"]),
        (#""a":[{"id":"urn:x:1"},{"id":"urn:x:1"}]"#, ["a"]), (#""type":["urn:x:T","urn:x:T"]"#, ["type/1"]),
        (#""g":[{"id":"urn:x:1","a":"x"},{"id":"urn:x:1","b":"x"}]"#, []),
    ])
    func `members of a JSON-LD node are reported if not at the one place that its statements give it`(
        _ members: String, _ places: [String]
    ) throws {
        #expect(try Self.places(in: members) == places)
    }
}
