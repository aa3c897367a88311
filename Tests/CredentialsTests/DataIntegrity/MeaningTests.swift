import CryptoSuite
import JSON
import LinkedData
import Testing

@testable import Credentials

/// Tests of the protection that a proof over statements gives to the names in a document.
@Suite struct MeaningTests {
    @Test(arguments: MeaningForgeries.all)
    func `a JSON-LD credential with changed names or contexts is not genuine, with the code of the change`(
        _ forgery: Forgery<ProofSample>
    ) {
        var sample = MeaningForgeries.sample
        forgery.change(&sample)
        let report = sample.report
        let checks = (report.checks + report.inner.flatMap(\.checks)).filter { $0.outcome != .passed }
        #expect(report.result == forgery.result, "\(checks)")
        #expect(report.carries(forgery.code) || report.inner.contains { $0.carries(forgery.code) }, "\(checks)")
    }

    @Test(arguments: MeaningForgeries.twins)
    func `a JSON-LD credential with an unusual but equivalent form is genuine`(_ twin: Forgery<ProofSample>) {
        var sample = MeaningForgeries.sample
        twin.change(&sample)
        let report = sample.report
        let checks = (report.checks + report.inner.flatMap(\.checks)).filter { $0.outcome != .passed }
        #expect(report.result == .genuine, "\(checks)")
    }

    @Test func `a proof's type has the meaning that the document's only JSON-LD context gives it`() throws {
        let reader = RDFStatementReader(MeaningForgeries.sample.request)
        for address in ["https://www.w3.org/2018/credentials/v1", "https://www.w3.org/ns/credentials/v2"] {
            for type in Set(ProofSuite.allCases.map(\.type)) {
                let proof: JSONValue = .object(["@type": .string(type)])
                let read = try reader.read(["@context": .string(address), "proof": proof]).dataset.types
                #expect(try reader.types(ofProof: type, under: .string(address)) == read)
                #expect(try reader.types(ofProof: type, under: .strings([address])) == read)
            }
        }
        let own: JSONValue = .object(["DataIntegrityProof": "urn:x:other"])
        #expect(throws: CredentialError.self) { try reader.types(ofProof: "DataIntegrityProof", under: own) }
    }

    @Test func `a pinned replacement of the document's only context decides the meaning of its proof's type`() throws {
        let address = "https://www.w3.org/ns/credentials/v2"
        var sample = MeaningForgeries.sample
        sample.pin(
            address,
            [
                "proof": ["@id": "https://w3id.org/security#proof", "@type": "@id", "@container": "@graph"],
                "DataIntegrityProof": "urn:x:other",
            ])
        let types = try RDFStatementReader(sample.request).types(ofProof: "DataIntegrityProof", under: .string(address))
        #expect(types == ["urn:x:other"])
    }

    @Test func `a claim that JSON-LD processing drops is reported with its JSON pointer`() {
        var sample = MeaningForgeries.sample
        sample.setClaim("address", ["town/city": "x"])
        let places = sample.report.checks.filter { $0.code == .ldTermDropped }.map(\.location)
        #expect(places.contains(.pointer("/credentialSubject/address")), "\(places)")
    }

    /// The values without parts, each with the way to it.
    private static func leaves(of value: JSONValue, at path: JSONPath = .root) -> [JSONPath] {
        switch value {
        case .object(let object):
            object.flatMap { leaves(of: $0.value, at: path.appending(.member($0.name))) }
        case .array(let elements):
            elements.enumerated().flatMap { leaves(of: $1, at: path.appending(.element($0))) }
        default: [path]
        }
    }

    /// The value with the one at a place replaced.
    private static func replacing(_ value: JSONValue, at steps: ArraySlice<JSONPath.Step>) -> JSONValue {
        guard let step = steps.first else { return .string((value.string ?? "") + "urn:x:changed") }
        switch (step, value) {
        case (.member(let name), .object(var object)):
            object[name] = replacing(object[name] ?? .null, at: steps.dropFirst())
            return .object(object)
        case (.element(let index), .array(var elements)):
            elements[index] = replacing(elements[index], at: steps.dropFirst())
            return .array(elements)
        default: return value
        }
    }

    private static func hash(_ document: JSONValue, _ request: VerificationRequest) throws -> [UInt8] {
        let statements = try RDFStatementReader(request).read(try #require(document.object))
        return SHA256.hash(try RDFCanonicalForm(of: statements.dataset).quads)
    }

    @Test func `a change of any JSON-LD value changes the RDF statements, or the value is reported dropped`() throws {
        var sample = MeaningForgeries.sample
        sample.setClaim("extra", "x")
        sample.setClaim("data", ["b": [1, 2], "a": "x"])
        sample.setClaim("crop", ["lang": "en", "plain": "barley"])
        let document = JSONValue.object(sample.document)
        let told = try RDFStatementReader(sample.request).read(sample.document).dropped.map(\.pointer)
        let hash = try Self.hash(document, sample.request)
        let leaves = Self.leaves(of: document).filter { $0.steps.first != "@context" }
        for leaf in leaves {
            let changed = Self.replacing(document, at: leaf.steps[...])
            let isSigned = try Self.hash(changed, sample.request) != hash
            let isTold = told.contains { CheckLocation(leaf).description.hasPrefix($0) }
            #expect(isSigned != isTold, "\(leaf)")
        }
        #expect(told.sorted() == ["/credentialSubject/crop/lang", "/credentialSubject/extra"])
        #expect(leaves.count == 14)
    }
}
