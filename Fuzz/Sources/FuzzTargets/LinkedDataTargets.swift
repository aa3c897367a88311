import JSON

@testable import LinkedData

extension FuzzTarget {
    /// Small limits, so that the fuzzer reaches them.
    private static var limits: LinkedDataLimits {
        var limits = LinkedDataLimits()
        limits.maximumContexts = 6
        limits.maximumContextDepth = 4
        limits.maximumDerivedContexts = 32
        limits.maximumQuads = 500
        limits.maximumHashCalls = 64
        limits.maximumRelatedHashes = 500
        limits.maximumPermutationSteps = 1000
        return limits
    }

    /// Requires that canonical statements are read as they are written, and are canonical again.
    private static func requireStable(_ dataset: RDFDataset) {
        guard let form = try? RDFCanonicalForm(of: dataset, limits: limits) else { return }
        guard let again = try? NQuadsReader.read(form.quads, limits: limits) else {
            return require(false, "canonical statements are read")
        }
        require((try? RDFCanonicalForm(of: again, limits: limits).quads) == form.quads, "canonical form is stable")
    }

    /// Statements in N-Quads.
    static var nQuads: FuzzTarget {
        FuzzTarget(name: "n-quads", maximumBytes: 2000) {
            [
                "_:a <urn:p> _:b .\n_:b <urn:p> _:a .\n", "<urn:s> <urn:p> \"x\\u00e9\\n\"@en-GB <urn:g> .\n",
                "<urn:s> <urn:p> \"7\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n",
            ].map { Array($0.utf8) }
        } run: { input in
            guard let dataset = try? NQuadsReader.read(input, limits: limits) else { return }
            requireStable(dataset)
        }
    }

    /// Documents in JSON-LD, which bring their contexts or name one that names itself.
    static var linkedDocument: FuzzTarget {
        let context = #"{"@context":["https://x.example/b",{"a":{"@id":"urn:x:a","@protected":true}}]}"#
        let library = JSONLDContextLibrary { address throws(LinkedDataError) in
            guard address.hasPrefix("https://x.example/"), let value = try? JSONValue(parsing: context) else {
                return nil
            }
            return try ContextDocument(value, byteCount: context.utf8.count)
        }
        return FuzzTarget(name: "linked-document", maximumBytes: 4000) {
            [
                #"{"@context":{"@version":1.1,"@vocab":"urn:v:","id":"@id","type":"@type","a":{"@id":"urn:x:a","@type":"@id","#
                    + #""@context":{"b":{"@id":"urn:x:b","@container":"@list"}}},"T":{"@id":"urn:x:T","@context":{"@propagate":"#
                    + #"false,"c":{"@id":"urn:x:c","@type":"@json"}}}},"type":"T","id":"urn:x:1","a":{"b":[1,0.5,true]},"c":{}}"#,
                #"{"@context":"https://x.example/a","a":"x","@graph":[{"@id":"_:b","a":{"@value":"x","@language":"en"}}]}"#,
                #"{"@context":{"m":{"@id":"urn:x:m","@container":["@graph","@id"]},"l":{"@id":"urn:x:l","@container":"@language"}"#
                    + #"},"m":{"urn:x:k":{"l":{"en":"x","@none":["y"]}}},"l":{"de":null}}"#,
            ].map { Array($0.utf8) }
        } run: { input in
            guard let value = try? JSONValue(parsing: input) else { return }
            let read = try? LinkedDataStatements(of: value, contexts: library, limits: limits)
            let again = try? LinkedDataStatements(of: value, contexts: library, limits: limits)
            require(
                read?.dropped == again?.dropped && read?.dataset.count == again?.dataset.count, "reading is repeatable")
            guard let read else { return }
            require(read.dataset.count <= 500 && read.dropped.count <= 64, "limits are kept")
            requireStable(read.dataset)
        }
    }
}
