import CryptoSuite
import JSON
import LinkedData
import TestSupport
import Testing

/// The suite of W3C for RDF Dataset Canonicalization 1.0.
@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct RDFCanonicalSuiteTests {
    private static let folder = "credentials/rdf-canon/"

    private struct Entry {
        let action: [UInt8]
        let result: String?
        let hash: SHA2
        let name: String
    }

    private static func entries(of kind: String) throws -> [Entry] {
        let manifest = try JSONValue(parsing: OutsideVectors.contents(of: folder + "manifest.jsonld"))
        return try (manifest["entries"]?.array ?? []).compactMap { entry in
            guard entry["type"]?.string == "rdfc:" + kind, let action = entry["action"]?.string else { return nil }
            return Entry(
                action: try OutsideVectors.contents(of: folder + action), result: entry["result"]?.string,
                hash: entry["hashAlgorithm"]?.string == "SHA384" ? .sha384 : .sha256,
                name: entry["id"]?.string ?? "")
        }
    }

    @Test func `each of the 64 data sets of the W3C suite has its stated RDF canonical form`() throws {
        let entries = try Self.entries(of: "RDFC10EvalTest")
        #expect(entries.count == 64)
        for entry in entries {
            let form = try RDFCanonicalForm(of: NQuadsReader.read(entry.action), hash: entry.hash)
            let expected = try OutsideVectors.contents(of: Self.folder + #require(entry.result))
            #expect(form.quads == expected, "\(entry.name)")
        }
    }

    @Test func `each of the 21 blank node label maps of the W3C RDF suite is computed`() throws {
        let entries = try Self.entries(of: "RDFC10MapTest")
        #expect(entries.count == 21)
        for entry in entries {
            let form = try RDFCanonicalForm(of: NQuadsReader.read(entry.action), hash: entry.hash)
            let bytes = try OutsideVectors.contents(of: Self.folder + #require(entry.result))
            let members = try #require(JSONValue(parsing: bytes).object)
            let expected = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.string ?? "") })
            #expect(form.labels == expected, "\(entry.name)")
        }
    }

    @Test func `the clique of blank nodes in the W3C RDF suite is refused by the limits`() throws {
        let entries = try Self.entries(of: "RDFC10NegativeEvalTest")
        #expect(entries.count == 1)
        for entry in entries {
            let dataset = try NQuadsReader.read(entry.action)
            #expect { try RDFCanonicalForm(of: dataset, hash: entry.hash) } throws: {
                ($0 as? LinkedDataError)?.code == .blankNodesTooComplex
            }
        }
    }
}
