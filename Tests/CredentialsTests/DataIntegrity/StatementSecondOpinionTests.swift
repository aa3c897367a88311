import JSON
import LinkedData
import Testing

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// Statements of random documents that another program read: `Tests/Interop/credentials/make-json-ld-documents.py`.
@Suite struct StatementSecondOpinionTests {
    private static var path: String? { ProcessInfo.processInfo.environment["SYMBOLON_JSON_LD_DOCUMENTS"] }

    static var isGiven: Bool { path != nil }

    private static func statements(_ item: JSONValue) -> String? {
        let contexts = item["contexts"]?.object ?? [:]
        let library = JSONLDContextLibrary { address throws(LinkedDataError) in
            try contexts[address].map { value throws(LinkedDataError) in try ContextDocument(value, byteCount: 1) }
        }
        do throws(LinkedDataError) {
            let read = try LinkedDataStatements(
                of: item["document"] ?? .null, contexts: library, base: "https://base.example/")
            return String(decoding: try RDFCanonicalForm(of: read.dataset).quads, as: UTF8.self)
        } catch {
            return nil
        }
    }

    @Test(.enabled(if: StatementSecondOpinionTests.isGiven, "skipped: no documents of another program"))
    func `each random JSON-LD document gives another program's RDF statements, or both refuse it`() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: Self.path ?? "")))
        let limits = JSONLimits(maximumBytes: 64 << 20, maximumMembers: 1_000_000, maximumElements: 1_000_000)
        let documents = try JSONValue(parsing: bytes, limits: limits)["documents"]?.array ?? []
        #expect(documents.count == 1000)
        for (index, item) in documents.enumerated() {
            let found = Self.statements(item)
            let expected = item["quads"]?.string
            let isSame = found == expected
            #expect(isSame, "\(index): \(JSONValue.string(found ?? "refused").text)")
        }
    }
}
