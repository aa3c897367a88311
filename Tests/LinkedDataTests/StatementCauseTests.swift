import JSON
import Testing

@testable import LinkedData

/// Tests of the causes for which the statements of a document are not read.
struct StatementCauseTests {
    private static func code(
        of text: String, contexts: [String: String] = [:], _ change: (inout LinkedDataLimits) -> Void = { _ in }
    ) throws -> LinkedDataError.Code? {
        var limits = LinkedDataLimits()
        change(&limits)
        let library = JSONLDContextLibrary { address throws(LinkedDataError) in
            guard let text = contexts[address], let value = try? JSONValue(parsing: text) else { return nil }
            return try ContextDocument(value, byteCount: text.utf8.count)
        }
        do {
            _ = try LinkedDataStatements(of: try JSONValue(parsing: text), contexts: library, limits: limits)
            return nil
        } catch let error as LinkedDataError {
            return error.code
        }
    }

    @Test(arguments: [
        (#"{"@context":"https://x.example/a","@id":"urn:x:1"}"#, LinkedDataError.Code.contextUnknown),
        (#"{"@context":"a","@id":"urn:x:1"}"#, .contextUnknown),
        (#"{"@context":{"a":1}}"#, .contextMalformed),
        (#"{"@context":{"a":{"@id":"urn:x:a","@import":"b"}}}"#, .contextMalformed),
        (
            #"{"@context":[{"a":{"@id":"urn:x:a","@protected":true}},{"a":"urn:x:b"}]}"#, .protectedTerm
        ),
        (#"{"@context":[{"a":{"@id":"urn:x:a","@protected":true}},null]}"#, .protectedTerm),
        (#"{"@context":{"@import":"https://x.example/a"}}"#, .unsupportedFeature),
        (#"{"@included":[]}"#, .unsupportedFeature),
        (#"{"@id":7}"#, .documentMalformed),
        (#"{"urn:x:a":{"@value":"x","urn:x:b":"y"}}"#, .documentMalformed),
    ])
    func `each fault of a JSON-LD document is refused with its code`(_ text: String, _ code: LinkedDataError.Code)
        throws
    {
        #expect(try Self.code(of: text) == code)
    }

    private static let small = #"{"@context":{"a":"urn:x:a"}}"#

    @Test func `the allowed number of JSON-LD contexts is read, and one more is refused`() throws {
        let names = (0..<4).map { "\"https://x.example/\($0)\"" }
        let contexts = Dictionary(uniqueKeysWithValues: (0..<4).map { ("https://x.example/\($0)", Self.small) })
        for (count, code) in [(3, nil), (4, LinkedDataError.Code.contextLimit)] {
            let text = "{\"@context\":[\(names.prefix(count).joined(separator: ","))],\"a\":\"x\"}"
            #expect(try Self.code(of: text, contexts: contexts) { $0.maximumContexts = 3 } == code)
        }
    }

    @Test func `JSON-LD contexts with the allowed number of bytes are read, and one byte more is refused`() throws {
        let text = #"{"@context":"https://x.example/a","a":"x"}"#
        let contexts = ["https://x.example/a": Self.small]
        let count = Self.small.utf8.count
        #expect(try Self.code(of: text, contexts: contexts) { $0.maximumContextBytes = count } == nil)
        #expect(try Self.code(of: text, contexts: contexts) { $0.maximumContextBytes = count - 1 } == .contextLimit)
    }

    @Test func `JSON-LD contexts that name one another are read down to the depth limit, and no deeper`() throws {
        var contexts = ["https://x.example/0": Self.small]
        for level in 1..<4 {
            contexts["https://x.example/\(level)"] = "{\"@context\":\"https://x.example/\(level - 1)\"}"
        }
        for (level, code) in [(2, nil), (3, LinkedDataError.Code.contextLimit)] {
            let text = "{\"@context\":\"https://x.example/\(level)\",\"a\":\"x\"}"
            #expect(try Self.code(of: text, contexts: contexts) { $0.maximumContextDepth = 3 } == code)
        }
    }

    @Test func `the allowed number of term-scoped JSON-LD contexts is derived, and one more is refused`() throws {
        let terms = (0..<3).map { #""t\#($0)":{"@id":"urn:x:\#($0)","@context":{"b":"urn:x:b"}}"# }
        for (count, code) in [(2, nil), (3, LinkedDataError.Code.contextLimit)] {
            let members = (0..<count).map { #""t\#($0)":{"b":"x"}"# }
            let text = "{\"@context\":{\(terms.joined(separator: ","))},\(members.joined(separator: ","))}"
            #expect(try Self.code(of: text) { $0.maximumDerivedContexts = 2 } == code)
        }
    }

    @Test func `the allowed number of dropped JSON-LD members is listed, and no more`() throws {
        let members = (0..<9).map { "\"m\($0)\":1" }.joined(separator: ",")
        let document = try JSONValue(parsing: "{\"@id\":\"urn:x:1\",\(members)}")
        var limits = LinkedDataLimits()
        limits.maximumFindings = 8
        let library = JSONLDContextLibrary { (_) throws(LinkedDataError) in nil }
        #expect(try LinkedDataStatements(of: document, contexts: library, limits: limits).dropped.count == 8)
    }

    @Test func `a blank node that no RDF statement mentions gets no number`() throws {
        let text = ##"{"id":"urn:x:1","@id":"#x","urn:x:a":{"urn:x:b":7},"urn:x:c":{}}"##
        let library = JSONLDContextLibrary { (_) throws(LinkedDataError) in nil }
        let read = try LinkedDataStatements(of: try JSONValue(parsing: text), contexts: library)
        let quads = String(decoding: try RDFCanonicalForm(of: read.dataset).quads, as: UTF8.self)
        #expect(quads == "_:c14n0 <urn:x:b> \"7\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n")
    }
}
