import ByteCoding
import CryptoSuite
import JSON
import LinkedData
import Testing

@testable import Credentials

/// Proofs over statements, against signatures that another program made.
@Suite struct SignedStatementsTests {
    /// A suite, its key, and what the other program computed.
    struct Known: Sendable {
        let type: String
        let signer: Signer?
        var algorithm: String?
        var cryptosuite: String?
        let documentHash: String
        let signature: String
    }

    static let rsaModulus =
        "nxQtiu52c21SMDTDTlhY5SodUA3FQamd9zKXPkf4XUIkTPTjmj7q0RqZjTJL6SnUsqIF6juXze3MUPkj048TvzYQ6GsjgOFFHSJ1xEu1VDE"
        + "izOmGTUxw-SjduBfpJ-hR8bj1lGb_8RlWG-ydvQuDHut-XCrVi5Q1oImNhxfIIo02jPiRa1Sob1P-rBfRqyEBIFxsiMFnDbj3bGnLfqqPe"
        + "jZGbNCp4UBvweV0KXdD7N27CIDXEZlztUTrmAECh-UAz3Q8PruhhX9SssWgHTPahzAyg5I1H3yDLAETvOWIG-BI6vQcNEt_1UHh9iG4VQV"
        + "gBuJYCKnV33XkQPUb8kJ4HQ"

    static let edwardsHash = "cdda4a6c38b7dcb8560aaebf20804aac2b2175a20badb97f591436b914c86658"
    static let rsaHash = "9cb51881200383603846aded95148e2f31c42486aaa89f6fa5fee7ba27a50c47"

    static let known: [Known] = [
        Known(
            type: "RsaSignature2018", signer: nil, algorithm: "RS256", documentHash: rsaHash,
            signature:
                "dVrzKvirgDPL1MPUSsIimDLw-Y_mXu_eTi3d9HhQMdJMqwx4agkVlgeib8ZBrml4CZwkdU6CpW9iVE8TlKA9pjzFcjZG0wP5UYKi9"
                + "OC4Nzeit-t6VU-BBC7DaTNNYybvjdjIQ-Rk1bOJ6W7_mw7sAXSnK3P76Hpm0EIILwExZlKdkBJqPBQ7OVonlGsMrIC754AirT6gWmMZp"
                + "RY9gwU8r8zQth46bp93JYctgs693vdKA8BnoC5BwrUz13K9ocSFHJRdFMo-mwq5qc2uDn7iU6WaYqF6UT29Xmq6tp1Clvamr9SYSD6xP"
                + "vdd-NMgx7kccCI3Y5Puk8AL-SS6s9Tv4w"),
        Known(
            type: "RsaSignature2018", signer: nil, algorithm: "PS256", documentHash: rsaHash,
            signature:
                "LDGBe7IwVwP66HmGLk5au9wLSh_o2gpVzg7PUbPXCi59arm4Q5GhBBcrXsFwWRK_GOnuCDDja5UeRbcVeX1F2906CfUXQckFSWdcO"
                + "VdMmD5ep7yARpDcqeFA86NxPM6J2m8kusHKEFbE7fjQDUmdglRQjPiHKpVteUWYqLqtqcj_WZf4Mg0uial_tEFCj4lFNr0iKNgS71bwt"
                + "1tD2jjnrni4tAa916tFN3DK0_mGTFr0udxtrSlNoEnO5RY7y_iZlQ1pBzd2g3d3i1EkeLqsQLUei1uZEKZV0nA2G_RZFxgYpPfkuBR7m"
                + "ZBMpq77t2bPBst8Ij0N9-OHukmx973mug"),
        Known(
            type: "Ed25519Signature2018", signer: .edwards, documentHash: edwardsHash,
            signature: "FRVQREDobR941CC0QKgS6B8h3N9vIwbqndh2n2C1EdQPDiracEgZGAFZwTfQYgK3HjQy5hlmD5iDTwVuHZ2NCQ"),
        Known(
            type: "Ed25519Signature2020", signer: .edwards, documentHash: edwardsHash,
            signature: "z4fUiPTDU1gxQfEAunGCLvgqXp9pqd7BRt2Yubx1BcC38ZbYoQ3jW424JFir4JKjooiVqvhDhH4F1Ybh4wJBnH1rb"),
        Known(
            type: "EcdsaSecp256k1Signature2019", signer: .k1,
            documentHash: "17ec292543f5b9ea70a7795ca657f83135871b1576b815765b20aa15a0db4c1a",
            signature: "CDp7PoZAUm5CtWTxZW6fR48z9RU5tBPx0KlDlanSvDCevzRNU3dE0g77fofcrgz3sMMoe5w9usvPyuS36awRkg"),
        Known(
            type: "JsonWebSignature2020", signer: .p256,
            documentHash: "950254c28e887ad0321a5b693e73bac88753ae360e6acf0c5783425d1a84983d",
            signature: "YbDkU1CmFqX5l7vnFewXXuwcZYOY7pN-_qlzHEHHcvKA-0PFsXBm3DoEWwFmc53BauBxm1cGWm32FinVTHShtg"),
        Known(
            type: "JsonWebSignature2020", signer: .edwards, documentHash: edwardsHash,
            signature: "X0BXi5XzADxVwmaAmD6Cty_7Jr58y1fUUGpgO4lRPuFhZcecjPVrA8qMGgYoKK7jk4ZOX-s3QYulpnF_26GuAQ"),
    ]

    private static func sample(_ known: Known) -> ProofSample {
        var sample = ProofSample.statements(
            known.type, known.signer ?? .edwards, algorithm: known.algorithm, cryptosuite: known.cryptosuite)
        if known.signer == nil {
            sample.document["issuer"] = "https://issuer.example/controller"
            sample.proof["verificationMethod"] = "https://issuer.example/keys/1"
            sample.request.trust.keys = [
                PinnedKey(
                    address: "https://issuer.example/keys/1",
                    document: [
                        "id": "https://issuer.example/keys/1", "controller": "https://issuer.example/controller",
                        "publicKeyJwk": ["kty": "RSA", "n": .string(rsaModulus), "e": "AQAB"],
                    ], issuers: ["https://issuer.example/controller"])
            ]
        }
        let header = Base64URL.encode(Array(sample.header.utf8))
        let isToken = known.type != "Ed25519Signature2020"
        sample.changeProof(isToken ? "jws" : "proofValue") { _ in
            .string(isToken ? header + ".." + known.signature : known.signature)
        }
        return sample
    }

    @Test(arguments: 0..<SignedStatementsTests.known.count)
    func `a proof over RDF statements that another program signed is genuine`(_ index: Int) throws {
        let known = Self.known[index]
        let sample = Self.sample(known)
        let statements = try RDFStatementReader(sample.request).read(sample.document)
        #expect(Hex.encode(SHA256.hash(try RDFCanonicalForm(of: statements.dataset).quads)) == known.documentHash)
        let report = sample.report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test(arguments: SignedStatementsForgeries.all)
    func `a forged proof over RDF statements is refused with the code of the change`(
        _ forgery: Forgery<ProofSample>
    ) {
        var sample = ProofSample.statements("Ed25519Signature2018", .edwards)
        forgery.change(&sample)
        let report = sample.report
        #expect(report.result == forgery.result, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(forgery.code), "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test func `a proof with its own JSON-LD contexts is genuine if they give its type the usual meaning`() {
        let contexts = JSONValue.strings(["https://w3id.org/security/suites/jws-2020/v1"])
        for signer in [Signer.p256, .p384, .edwards] {
            var sample = ProofSample.statements("JsonWebSignature2020", signer)
            sample.document["@context"] = .strings(["https://www.w3.org/2018/credentials/v1"])
            sample.proof["@context"] = contexts
            #expect(sample.report.result == .genuine, "\(sample.report.checks.filter { $0.outcome != .passed })")
            sample.document["@context"] = contexts
            #expect(sample.report.result == .refused)
        }
    }

    @Test(arguments: SelectiveForgeries.twins)
    func `a credential with a selective-disclosure proof is genuine`(_ twin: Forgery<ProofSample>) {
        var sample = ProofSample()
        twin.change(&sample)
        let report = sample.report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.content.signatures.map(\.isValid) == [true])
        let isNoted = report.content.notes.contains { $0.contains("left out") }
        #expect(isNoted == sample.selection.isDerived)
    }

    @Test(arguments: ECDSAProofForgeries.twins)
    func `a Data Integrity proof with a P-256 or P-384 key is genuine`(_ twin: Forgery<ProofSample>) {
        var sample = ProofSample()
        twin.change(&sample)
        let report = sample.report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.content.signatures.map(\.isValid) == [true])
    }

    @Test(arguments: [
        ("RsaSignature2018", ProofOptions.Form.compact, nil as String?),
        ("DataIntegrityProof", .plainSuite, "eddsa-rdfc-2022"),
    ])
    func `a proof in an alternative form that some signers write is valid with the matching context`(
        _ type: String, _ form: ProofOptions.Form, _ cryptosuite: String?
    ) throws {
        var sample = ProofSample.statements(
            type, cryptosuite == nil ? .large : .edwards, cryptosuite: cryptosuite)
        if cryptosuite != nil {
            sample.document["@context"] = .strings([
                "https://www.w3.org/2018/credentials/v1", "https://w3id.org/security/data-integrity/v1",
            ])
            sample.document["validFrom"] = nil
            sample.document["issuanceDate"] = ProofSample.created
        }
        sample.form = form
        let report = sample.report
        #expect(report.content.signatures.map(\.isValid) == [true], "\(report.checks.filter { $0.outcome != .passed })")
        var other = ProofSample.statements("Ed25519Signature2018", .edwards)
        other.form = .compact
        #expect(other.report.content.signatures.map(\.isValid) == [false])
        guard form == .plainSuite else { return }
        sample.document["@context"] = .strings(["https://www.w3.org/ns/credentials/v2"])
        #expect(sample.report.content.signatures.map(\.isValid) == [false])
    }

    @Test func `a proof chain is genuine, and refused if a previous proof is missing or listed twice`() throws {
        var sample = ProofSample.statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
        sample.document["@context"] = .strings(["https://www.w3.org/ns/credentials/v2"])
        sample.document["issuanceDate"] = nil
        sample.proof["id"] = "urn:x:1"
        var second = sample
        second.proof["id"] = "urn:x:2"
        second.proof["previousProof"] = "urn:x:1"
        let first = sample.signed["proof"] ?? nil
        second.previous = [first]
        let chain = [first, second.signed["proof"] ?? nil]
        sample.edit = { $0["proof"] = .array(chain) }
        #expect(sample.report.result == .genuine, "\(sample.report.checks.filter { $0.outcome != .passed })")
        #expect(sample.report.content.signatures.count == 2)
        for (proofs, code) in [
            ([chain[1]], CredentialError.Code.ldChainBroken), ([chain[0], chain[0], chain[1]], .ldChainBroken),
        ] {
            sample.edit = { $0["proof"] = .array(proofs) }
            #expect(sample.report.result == .refused)
            #expect(sample.report.carries(code))
        }
    }
}
