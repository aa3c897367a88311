import ByteCoding
import CryptoSuite
import JSON
import LinkedData
import TestSupport
import Testing

@testable import Credentials

/// Documents that issuers in the field made, whose statements are not read here.
@Suite(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)")) struct IssuedDocumentTests {
    private static let folder = "credentials/inji/ldp_vc/"

    /// A store that pins the keys of the issuers.
    private static func trust() throws -> TrustStore {
        var trust = TrustStore()
        var issuer = TrustedIssuer("did:web:vharsh.github.io:DID:local")
        issuer.document = try Samples.json(folder + "public_key/didEdPublicKey.json")
        trust.issuers = [issuer]
        trust.keys = try ["httpsMockKey", "idaPublicKey"].map { name in
            let document = try Samples.json(folder + "public_key/\(name).json")
            return PinnedKey(
                address: document["id"]?.string ?? "", document: document,
                issuers: [document["controller"]?.string ?? ""])
        }
        return trust
    }

    private static func report(_ name: String) throws -> CredentialReport {
        // 2025-06-01T00:00:00Z
        let request = VerificationRequest.sample(at: 1_748_736_000, try trust())
        return CredentialVerifier(request).verify(try OutsideVectors.contents(of: folder + name))
    }

    @Test(arguments: [
        ("Ed25519Signature2018SignedVC-did.json", "4f2b3244e22f15a7"), ("RS256SignedMosipVC.json", "07750d19e55b0b9d"),
    ])
    func `the statements of an issued proof have the hash that other programs compute`(
        _ name: String, _ hash: String
    ) throws {
        let object = try #require(try Samples.json(Self.folder + name)["proof"]?.object)
        let proof = try LinkedDataProof(object, at: .pointer("/proof"))
        #expect(Hex.encode(try ProofOptions(proof, .usual).hash()).hasPrefix(hash))
    }

    @Test(arguments: ["Ed25519Signature2018SignedVC-did.json", "tamperedVC.json"])
    func `a document whose statements are not read is not checked`(_ name: String) throws {
        let report = try Self.report(name)
        #expect(report.result == .notChecked, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(.formatUnknown))
        for kind in [CredentialCheck.Kind.parse, .form, .algorithm, .key, .keyPurpose, .issuer, .trust, .time] {
            #expect(report.checks.contains { $0.kind == kind && $0.outcome == .passed }, "\(kind)")
        }
        #expect(report.checks.allSatisfy { $0.kind != .signature || $0.outcome == .notDone })
    }

    @Test func `a document that has expired and lacks a member is refused without its statements`() throws {
        let report = try Self.report("RS256SignedMosipVC.json")
        #expect(report.result == .refused)
        #expect(report.carries(.vcMissingMember))
        #expect(report.carries(.timeExpired))
        #expect(report.checks.contains { $0.kind == .algorithm && $0.outcome == .passed })
    }

    /// The statements of a document whose subject is flat, by the meaning that its contexts give to the names.
    private static func quads(of document: JSONObject, types: [String], claims: [String: String]) -> String {
        let terms = "https://www.w3.org/2018/credentials#"
        var lines = types.map { "_:a <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <\($0)> ." }
        lines.append("_:a <\(terms)issuer> <\(document["issuer"]?.string ?? "")> .")
        lines.append("_:a <\(terms)credentialSubject> _:b .")
        for name in ["issuanceDate", "expirationDate", "validFrom"] {
            guard let text = document[name]?.string else { continue }
            lines.append("_:a <\(terms)\(name)> \"\(text)\"^^<http://www.w3.org/2001/XMLSchema#dateTime> .")
        }
        for (name, term) in claims {
            guard let text = document["credentialSubject"]?[name]?.string else { continue }
            lines.append("_:b <https://schema.org/\(term)> \"\(text)\" .")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static let farmer = [
        "fullName": "name", "mobileNumber": "telephone", "dateOfBirth": "birthDate", "landArea": "Number",
        "landOwnershipType": "Text", "primaryCropType": "Text", "secondaryCropType": "Text",
    ]

    @Test(arguments: [
        (
            "Ed25519Signature2018SignedVC-did.json",
            ["https://piyush7034.github.io/my-files/farmer.json#FarmerCredential"],
            farmer, "83ea85b4d4f2aca9"
        ), ("RS256SignedMosipVC.json", [], [:], "c9b24d7805896701"),
    ])
    func `an issued signature is valid over the statements of its document`(
        _ name: String, _ types: [String], _ claims: [String: String], _ hash: String
    ) throws {
        let bytes = try OutsideVectors.contents(of: Self.folder + name)
        let document = try #require(try JSONValue(parsing: bytes).object)
        let all = ["https://www.w3.org/2018/credentials#VerifiableCredential"] + types
        let quads = Array(Self.quads(of: document, types: all, claims: claims).utf8)
        let dataset = try NQuadsReader.read(quads)
        #expect(Hex.encode(SHA256.hash(try RDFCanonicalForm(of: dataset).quads)).hasPrefix(hash))
        let reader = StatementReader { (_: JSONObject) in DocumentStatements(dataset: dataset) }
        let request = VerificationRequest.sample(at: 1_748_736_000, try Self.trust())
        let report = LinkedDataVerifier(request, reader: reader).verify(bytes)
        #expect(report.content.signatures.map(\.isValid) == [true])
        #expect(report.result == (claims.isEmpty ? .refused : .genuine))
    }
}
