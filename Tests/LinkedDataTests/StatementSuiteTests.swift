import JSON
import LinkedData
import TestSupport
import Testing

/// The suite of W3C for JSON-LD 1.1 to RDF.
@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct StatementSuiteTests {
    private static let folder = "credentials/json-ld-tordf/"
    private static let root = "https://w3c.github.io/json-ld-api/tests/"

    private struct Entry {
        enum Expectation {
            case statements(String)
            case fault(String)
            case anything
        }

        let name: String
        let input: String
        let base: String
        let expectation: Expectation
    }

    private static func entries() throws -> [Entry] {
        let manifest = try JSONValue(parsing: OutsideVectors.contents(of: folder + "toRdf-manifest.jsonld"))
        return try (manifest["sequence"]?.array ?? []).map { entry in
            let types = (entry["@type"]?.array ?? []).compactMap(\.string)
            let input = try #require(entry["input"]?.string)
            let expectation: Entry.Expectation =
                if types.contains("jld:PositiveEvaluationTest") {
                    .statements(try #require(entry["expect"]?.string))
                } else if types.contains("jld:NegativeEvaluationTest") {
                    .fault(try #require(entry["expectErrorCode"]?.string))
                } else {
                    .anything
                }
            return Entry(
                name: String(try #require(entry["@id"]?.string).dropFirst()), input: input,
                base: entry["option"]?["base"]?.string ?? root + input, expectation: expectation)
        }
    }

    private static let library = JSONLDContextLibrary { address throws(LinkedDataError) in
        guard address.hasPrefix(root),
            let bytes = try? OutsideVectors.contents(of: folder + address.dropFirst(root.count)),
            let value = try? JSONValue(parsing: bytes)
        else { return nil }
        return try ContextDocument(value, byteCount: bytes.count)
    }

    /// Returns the reason for which a case of the suite is not run; nil for a case that is.
    static func reason(_ name: String) -> String? { leftOut.first { $0.names.contains(name) }?.reason }

    static let leftOut: [(reason: String, names: Set<String>)] = [
        (
            "the input is not among the files",
            ["ter56"]
        ),
        (
            "json-ld-1.0 alone, or predicates that are blank nodes",
            [
                "t0118", "tc029", "te014", "te026", "te038", "te071", "te075", "te115", "te116", "tep02", "ter02",
                "ter03", "ter21", "ter24", "ter32", "ter42", "tpi01", "tso01", "ttn01",
            ]
        ),
        (
            "the option rdfDirection: credentials have no base direction",
            ["tdi09", "tdi10", "tdi11", "tdi12"]
        ),
        (
            "the option expandContext: no credential has it",
            ["te077"]
        ),
        (
            "a feature that is refused: @direction",
            ["tdi01", "tdi02", "tdi03", "tdi04", "tdi05", "tdi06", "tdi07", "tdi08"]
        ),
        (
            "a feature that is refused: @import",
            ["tso02", "tso03", "tso05", "tso06", "tso07", "tso08", "tso09", "tso10", "tso11", "tso12", "tso13"]
        ),
        (
            "a feature that is refused: @included",
            ["tin01", "tin02", "tin03", "tin04", "tin05", "tin07", "tin08", "tin09"]
        ),
        (
            "a feature that is refused: @index by a property",
            ["tpi05", "tpi06", "tpi07", "tpi08", "tpi09", "tpi10", "tpi11"]
        ),
        (
            "a feature that is refused: @nest",
            [
                "tc037", "tc038", "ten01", "ten02", "ten03", "ten04", "ten05", "ten06", "tin06", "tn001", "tn002",
                "tn003", "tn004", "tn005", "tn006", "tn007", "tn008",
            ]
        ),
        (
            "a feature that is refused: @reverse",
            [
                "t0031", "t0119", "t0133", "te037", "te039", "te042", "te043", "te049", "te063", "te064", "te065",
                "te066", "te078", "te121", "ter14", "ter15", "ter17", "ter25", "ter33", "ter34", "ter36", "ter50",
                "tpr38", "tpr39",
            ]
        ),
    ]

    private static func statements(_ entry: Entry) throws -> LinkedDataStatements {
        let input = try JSONValue(parsing: OutsideVectors.contents(of: folder + entry.input))
        return try LinkedDataStatements(of: input, contexts: library, base: entry.base)
    }

    @Test func `each supported case of the W3C JSON-LD suite gives its stated result`() throws {
        var passed = 0
        for entry in try Self.entries() where Self.reason(entry.name) == nil {
            switch entry.expectation {
            case .statements(let file):
                do {
                    let found = try RDFCanonicalForm(of: Self.statements(entry).dataset)
                    let expected = try RDFCanonicalForm(
                        of: NQuadsReader.read(OutsideVectors.contents(of: Self.folder + file)))
                    let isSame = found.quads == expected.quads
                    let texts = [found, expected].map { String(decoding: $0.quads, as: UTF8.self) }
                    #expect(isSame, "\(entry.name)\n\(texts.joined(separator: "---\n"))")
                    passed += isSame ? 1 : 0
                } catch {
                    Issue.record("\(entry.name): \(error)")
                }
            case .fault(let fault):
                do {
                    _ = try Self.statements(entry)
                    Issue.record("\(entry.name) is read, and has the fault \(fault)")
                } catch let error as LinkedDataError {
                    let isSame = error.reason.hasPrefix(fault)
                    #expect(isSame, "\(entry.name): \(error), not \(fault)")
                    passed += isSame ? 1 : 0
                }
            case .anything:
                do {
                    _ = try Self.statements(entry)
                    passed += 1
                } catch { Issue.record("\(entry.name): \(error)") }
            }
        }
        #expect(passed == 367)
    }
}
