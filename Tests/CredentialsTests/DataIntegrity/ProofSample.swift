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
    /// The proofs that the proof names.
    var previous: [JSONValue] = []
    /// The form in which the statements of the proof are signed.
    var form = ProofOptions.Form.usual
    /// Changes the members of the proof whose statements are signed, and then the statements.
    var editOptions: (inout JSONObject) -> Void = { _ in }
    var editStatements: (String) -> String = { $0 }
    /// The digest of what is signed; nil for that of the suite and the key.
    var digest: SHA2?
    /// The choice of statements for a proof of ecdsa-sd-2023.
    var selection = SelectiveSample()
    /// True when the signature leaves out the proof's own members.
    var signsNoOptions = false
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

    /// A credential with a proof over statements.
    static func statements(
        _ type: String, _ signer: Signer, algorithm: String? = nil, cryptosuite: String? = nil
    ) -> ProofSample {
        var sample = ProofSample()
        sample.signer = signer
        sample.algorithm = algorithm
        let isFormer = cryptosuite == nil
        sample.document["expirationDate"] = isFormer ? "2035-01-01T00:00:00Z" : nil
        if isFormer {
            sample.document["@context"] = .strings(["https://www.w3.org/2018/credentials/v1"] + (contexts[type] ?? []))
            sample.document["id"] = "urn:uuid:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
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
        return sample
    }

    /// The contexts that suites need beside that of the data model 1.1.
    private static let contexts = [
        "Ed25519Signature2020": ["https://w3id.org/security/suites/ed25519-2020/v1"],
        "JsonWebSignature2020": ["https://w3id.org/security/suites/jws-2020/v1"],
    ]

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
        if clean.suite == .ecdsaSD2023 { return ("proofValue", try selection.value(of: self, stated(options))) }
        let usual = signer.algorithm == "ES384" && proof.suite.cryptosuite != nil ? SHA2.sha384 : .sha256
        let digest = digest ?? usual
        let hash: [UInt8]
        if clean.suite.signsJSON {
            hash = try JCSProofHash.hash(of: clean, over: document, digest)
        } else {
            var signed = document
            if !previous.isEmpty { signed["proof"] = .array(previous) }
            let statements = try RDFCanonicalForm(of: RDFStatementReader(request).read(signed).dataset, hash: digest)
                .quads
            let options = signsNoOptions ? [] : try stated(options)
            hash = digest.hash(options) + digest.hash(statements)
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

    /// The statements of the proof's own members.
    private func stated(_ options: JSONObject) throws -> [UInt8] {
        var options = options
        editOptions(&options)
        let statements = try ProofOptions(LinkedDataProof(options, at: .pointer("/proof")), form).canonical()
        return Array(editStatements(String(decoding: statements, as: UTF8.self)).utf8)
    }

    var report: CredentialReport {
        let bytes = Array(editText(signed.text).utf8)
        return CredentialVerifier(request).verify(bytes)
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
