import LinkedData
import Testing

@Suite struct RDFCanonicalFormTests {
    private func canonical(_ text: String, limits: LinkedDataLimits = LinkedDataLimits()) throws -> String {
        let form = try RDFCanonicalForm(of: NQuadsReader.read(Array(text.utf8), limits: limits), limits: limits)
        return String(decoding: form.quads, as: UTF8.self)
    }

    private func code(_ text: String, limits: LinkedDataLimits = LinkedDataLimits()) -> LinkedDataError.Code? {
        do {
            _ = try canonical(text, limits: limits)
            return nil
        } catch { return (error as? LinkedDataError)?.code }
    }

    /// A ring of blank nodes, which first-degree hashes do not tell apart.
    private func ring(_ count: Int) -> String {
        (0..<count).map { "_:n\($0) <urn:p> _:n\(($0 + 1) % count) .\n" }.joined()
    }

    @Test func `blank node labels and statement order do not change the RDF canonical form`() throws {
        let one = "_:x <urn:p> \"a\" .\n_:x <urn:q> _:y .\n_:y <urn:p> \"b\"@en <urn:g> .\n"
        let other = "_:q <urn:p> \"b\"@en <urn:g> .\n\n# note\n_:x <urn:q> _:q .\n_:x <urn:p> \"a\" . # end"
        #expect(try canonical(one) == canonical(other))
    }

    @Test func `RDF terms that are canonically equivalent in Unicode stay different`() throws {
        let lines = try canonical("<urn:s> <urn:p> \"\u{E9}\" .\n<urn:s> <urn:p> \"e\u{301}\" .\n")
        #expect(lines.utf8.count { $0 == 0x0A } == 2)
    }

    @Test func `canonical RDF statements are sorted by code points, also if one term is a prefix of another`() throws {
        let subjects = (0..<14).map { "_:n\($0)" } + ["<urn:a>", "<urn:a:b>", "<urn:ab>"]
        let objects = [
            "\"a\"", "\"a\"@en", "\"a\"@en-gb", "\"a\"^^<urn:t>", "\"a b\"", "\"a\\\"\"", "\"a.\"", "<urn:a>", "_:n1",
            "_:n12",
        ]
        var text = ""
        for (number, subject) in subjects.enumerated() {
            // A statement of its own tells each blank node apart.
            text += "\(subject) <urn:p> \"\(number)\" .\n"
            for predicate in ["<urn:p>", "<urn:pq>"] {
                for object in objects {
                    for graph in ["", "<urn:a> ", "_:n12 "] {
                        text += "\(subject) \(predicate) \(object) \(graph).\n"
                    }
                }
            }
        }
        let lines = try canonical(text).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count == subjects.count * 61)
        let sorted = lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(Array(lines) == sorted)
        #expect(Set(lines.map { Array($0.utf8) }).count == lines.count)
    }

    @Test func `RDF literals are escaped as the canonical form requires`() throws {
        let text = #"<urn:s> <urn:p> "\u0000\u007F\u007f\uFFFE\t\b\n\f\r\"\\\u00e9"^^<"#
        let type = "http://www.w3.org/2001/XMLSchema#string> ."
        let expected = #"<urn:s> <urn:p> "\u0000\u007F\u007F\uFFFE\t\b\n\f\r\"\\é" ."# + "\n"
        #expect(try canonical(text + type) == expected)
    }

    @Test func `a ring of blank nodes beyond the depth limit is refused as too complex`() throws {
        var limits = LinkedDataLimits()
        limits.maximumHashDepth = 4
        #expect(code(ring(4), limits: limits) == nil)
        #expect(code(ring(6), limits: limits) == .blankNodesTooComplex)
        #expect(code(ring(2000)) == .blankNodesTooComplex)
    }

    @Test func `each limit on blank node work ends the RDF canonicalisation`() {
        let clique = (0..<8).map { left in
            (0..<8).map { "_:n\(left) <urn:p> _:n\($0) .\n" }.joined()
        }.joined()
        for limit in [\LinkedDataLimits.maximumHashCalls, \.maximumRelatedHashes, \.maximumPermutationSteps] {
            var limits = LinkedDataLimits()
            limits[keyPath: limit] = 20
            #expect(code(clique, limits: limits) == .blankNodesTooComplex)
        }
        #expect(code(clique) == .blankNodesTooComplex)
    }

    @Test func `an RDF data set with the allowed number of statements is read, and one more is refused`() {
        var limits = LinkedDataLimits()
        limits.maximumQuads = 2
        let two = "<urn:a> <urn:b> \"1\" .\n<urn:a> <urn:b> \"2\" .\n<urn:a> <urn:b> \"2\" .\n"
        #expect(code(two, limits: limits) == nil)
        #expect(code(two + "<urn:a> <urn:b> \"3\" .\n", limits: limits) == .tooManyQuads)
    }

    @Test(arguments: [
        "<urn:a> <urn:b> <urn:c>", "<urn:a> <urn:b> .", "<a> <urn:b> <urn:c> .", "<urn:a> _:b <urn:c> .",
        "\"a\" <urn:b> <urn:c> .", "<urn:a> <urn:b> \"c .", "<urn:a> <urn:b> \"c\"@ .",
        "<urn:a> <urn:b> \"c\"^<urn:d> .",
        "<urn:a> <urn:b> <urn:c d> .", "<urn:a> <urn:b> \"\\x\" .", "<urn:a> <urn:b> \"\\uD800\" .",
        "<urn:a> <urn:b> <urn:\\u0020> .", "<urn:a> <urn:b> <urn:c> . <urn:d>", "<urn:a> <urn:b> _: .",
        "<urn:a> <urn:b> \"\\U00110000\" .", "<urn:a> <urn:b> \"c\"^^<d> .", "<urn:a> <urn:b", "<urn:a> <urn:b> \"\\",
    ])
    func `a line that violates the N-Quads grammar is refused`(line: String) {
        #expect(code(line) == .badQuads)
    }

    @Test func `N-Quads that are not UTF-8 are refused`() {
        #expect { try NQuadsReader.read(Array("<urn:a> <urn:b> \"".utf8) + [0xFF] + Array("\" .".utf8)) } throws: {
            ($0 as? LinkedDataError)?.code == .badQuads
        }
    }
}
