import ByteCoding
import CryptoSuite
import JSON
import LinkedData

@testable import Credentials

/// A credential with a proof inside, genuine until it is changed.
struct ProofSample {
    /// The document without its proof.
    var document: JSONObject
    /// The proof without its signature.
    var proof: JSONObject
    var signer = Signer.edwards
    /// The header of a detached signature.
    var header = #"{"alg":"EdDSA","b64":false,"crit":["b64"]}"#
    /// The algorithm with which an RSA key signs.
    var algorithm: String?
    /// The statements of the document; nil leaves them to the verifier.
    var quads: String?
    /// Statements that the verifier reads beside those that were signed.
    var poison = ""
    /// The form in which the statements of the proof are signed.
    var form = ProofOptions.Form.usual
    /// Whether the signature leaves the proof's own members out.
    var signsNoOptions = false
    /// Where members stand that the given statements do not hold, or whose names mean the same.
    var dropped: [String] = []
    var ambiguous: [String] = []
    /// Changes the whole, once signed.
    var edit: (inout JSONObject) -> Void = { _ in }
    /// Changes the text, once written.
    var editText: (String) -> String = { $0 }
    var request: VerificationRequest

    static let created: JSONValue = "2025-01-01T00:00:00Z"

    /// A credential of version 2.0 with a proof over JSON.
    init() {
        let did = Signer.edwards.did
        document = [
            "@context": .strings(["https://www.w3.org/ns/credentials/v2"]),
            "type": .strings(["VerifiableCredential"]), "issuer": .string(did), "validFrom": Self.created,
            "credentialSubject": .object(["id": "did:example:subject"]),
        ]
        proof = [
            "type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "created": Self.created,
            "verificationMethod": .string(Signer.edwards.method), "proofPurpose": "assertionMethod",
            "@context": .strings(["https://www.w3.org/ns/credentials/v2"]),
        ]
        var trust = TrustStore()
        trust.methods = ["did:key", "did:jwk"]
        request = .sample(trust)
    }

    /// A credential with a proof over statements, which are given.
    static func statements(
        _ type: String, _ signer: Signer, algorithm: String? = nil, cryptosuite: String? = nil
    ) -> ProofSample {
        var sample = ProofSample()
        sample.signer = signer
        sample.algorithm = algorithm
        let isFormer = cryptosuite == nil
        sample.document["expirationDate"] = isFormer ? "2035-01-01T00:00:00Z" : nil
        if isFormer {
            sample.document["@context"] = .strings(["https://www.w3.org/2018/credentials/v1"])
            sample.document["validFrom"] = nil
            sample.document["issuanceDate"] = created
        }
        sample.document["issuer"] = .string(signer.did)
        sample.header = #"{"alg":"\#(algorithm ?? signer.algorithm)","b64":false,"crit":["b64"]}"#
        sample.proof = [
            "type": .string(type), "created": created, "verificationMethod": .string(signer.method),
            "proofPurpose": "assertionMethod",
        ]
        if let cryptosuite { sample.proof["cryptosuite"] = .string(cryptosuite) }
        sample.quads = "_:b <https://www.w3.org/2018/credentials#issuer> <\(signer.did)> .\n"
        return sample
    }

    /// A reader that gives the statements of the sample for every document.
    var reader: StatementReader? {
        guard let quads else { return nil }
        func findings(_ pointers: [String]) -> [DocumentStatements.Finding] {
            pointers.map { DocumentStatements.Finding(pointer: $0, reason: "A finding.") }
        }
        let (dropped, ambiguous) = (findings(dropped), findings(ambiguous))
        return StatementReader { (_: JSONObject) throws(CredentialError) in
            do throws(LinkedDataError) {
                return DocumentStatements(
                    dataset: try NQuadsReader.read(Array(quads.utf8)), dropped: dropped, ambiguous: ambiguous)
            } catch {
                throw CredentialError(error)
            }
        }
    }

    /// The document with the proof signed.
    var signed: JSONObject {
        var document = document
        let given = proof
        document["proof"] = .object(given)
        if let signature = try? signature() {
            var proof = given
            proof[signature.member] = .string(signature.text)
            document["proof"] = .object(proof)
        }
        edit(&document)
        return document
    }

    /// The signature over the document and the proof as they are.
    func signature() throws -> (member: String, text: String) {
        var unsigned = proof
        for member in ["jws", "proofValue"] { unsigned[member] = "z1" }
        let proof = try LinkedDataProof(unsigned, at: .pointer("/proof"))
        var options = unsigned
        for member in ["jws", "proofValue"] where member != proof.suite.signatureMember { options[member] = nil }
        let clean = try LinkedDataProof(options, at: .pointer("/proof"))
        let hash: [UInt8]
        if clean.suite.signsJSON {
            hash = try SignedJSON.hash(of: clean, over: document)
        } else {
            let statements = try (reader?.read(document)).map { try RDFCanonicalForm(of: $0.dataset).quads }
            let options = signsNoOptions ? [] : try ProofOptions(clean, form).canonical()
            hash = SHA256.hash(options) + SHA256.hash(statements ?? [])
        }
        guard clean.suite.signatureMember == "jws" else {
            return ("proofValue", Multibase.encode(signer.sign(hash)))
        }
        let header = Base64URL.encode(Array(header.utf8))
        return (
            "jws",
            header + ".." + Base64URL.encode(signer.sign(Array((header + ".").utf8) + hash, algorithm: algorithm))
        )
    }

    var report: CredentialReport {
        let bytes = Array(editText(signed.text).utf8)
        guard poison.isEmpty else {
            var other = self
            other.quads = (quads ?? "") + poison
            return LinkedDataVerifier(request, reader: other.reader).verify(bytes)
        }
        guard let reader else { return CredentialVerifier(request).verify(bytes) }
        return LinkedDataVerifier(request, reader: reader).verify(bytes)
    }

    /// Changes a member of the proof, once signed.
    mutating func changeProof(_ name: String, _ change: @escaping (String) -> JSONValue?) {
        edit = { document in
            guard var proof = document["proof"]?.object else { return }
            proof[name] = change(proof[name]?.string ?? "")
            document["proof"] = .object(proof)
        }
    }

    /// Changes the bytes of the signature.
    mutating func changeSignature(_ change: @escaping (inout [UInt8]) -> Void) {
        let isToken = proof["cryptosuite"] == nil && proof["type"] != "Ed25519Signature2020"
        changeProof(isToken ? "jws" : "proofValue") { text in
            guard !isToken else { return .string(TokenEdit.part(2, of: text, change)) }
            var bytes = Multibase.decode(text) ?? []
            change(&bytes)
            return .string(Multibase.encode(bytes))
        }
    }

    /// Changes a member of the subject.
    mutating func setClaim(_ name: String, _ value: JSONValue?) {
        guard var subject = document["credentialSubject"]?.object else { return }
        subject[name] = value
        document["credentialSubject"] = .object(subject)
    }
}
