import CryptoSuite
import LinkedData

/// The RDF statements of a proof's own members, made from a fixed table and never from the document's contexts.
///
/// It is one small graph about one subject: the proof's `id`, or a blank node. Source: VC Data Integrity 1.0, section
/// 4; the contexts security/v2, ed25519-2020/v1, jws-2020/v1 and data-integrity/v2, whose meaning the table holds.
struct ProofOptions {
    /// The form in which a signer writes the statements of its proof.
    enum Form: Hashable, Sendable, CaseIterable {
        /// The usual form: the statements as in the fixed table.
        case usual
        /// The form with the compact names `sec:` and `xsd:` left as they are, only in RsaSignature2018.
        ///
        /// As the context credentials/v1 gives them.
        case compact
        /// The form with the suite's name as a plain text, only in DataIntegrityProof.
        ///
        /// As the context data-integrity/v1 gives it.
        case plainSuite
    }

    private static let security = "https://w3id.org/security#"
    private static let dateTime = "http://www.w3.org/2001/XMLSchema#dateTime"
    private static let plain = "http://www.w3.org/2001/XMLSchema#string"
    private static let purposes = [
        "assertionMethod": "assertionMethod", "authentication": "authenticationMethod",
        "keyAgreement": "keyAgreementMethod", "capabilityInvocation": "capabilityInvocationMethod",
        "capabilityDelegation": "capabilityDelegationMethod",
    ]

    private let proof: LinkedDataProof
    private let form: Form

    init(_ proof: LinkedDataProof, _ form: Form) {
        self.proof = proof
        self.form = form
    }

    /// Returns the IRI that the type of a suite means.
    static func iri(ofType type: String) -> String { security + type }

    /// Returns the digest of the proof's canonical statements.
    ///
    /// Throws `credential.vc-type` for a method or identifier that is no absolute IRI, `credential.key-purpose` for a
    /// purpose that no table has, and `credential.ld-proof-unknown-member` for a member that this form does not sign.
    func hash(_ hash: SHA2 = .sha256) throws(CredentialError) -> [UInt8] {
        hash.hash(try canonical())
    }

    /// Returns the canonical N-Quads of the proof's statements.
    func canonical() throws(CredentialError) -> [UInt8] {
        guard let purpose = Self.purposes[proof.purpose] else {
            throw CredentialError(
                .keyPurpose, "The purpose of the proof is not known.", at: proof.location.appending("proofPurpose"))
        }
        guard form != .plainSuite || proof.previous == nil else {
            throw CredentialError(
                .ldProofUnknownMember, "The context of the proof does not have previousProof.",
                at: proof.location.appending("previousProof"))
        }
        var statements = SubjectStatements(
            about: try proof.identifier.map { id throws(CredentialError) in try iri(id, "id") })
        let terms = form == .compact ? "sec:" : Self.security
        let time = form == .compact ? "xsd:dateTime" : Self.dateTime
        statements.add("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", iri: Self.iri(ofType: proof.suite.type))
        if let created = proof.created {
            statements.add("http://purl.org/dc/terms/created", text: created, datatype: time)
        }
        statements.add(terms + "verificationMethod", iri: try iri(proof.method, "verificationMethod"))
        statements.add(terms + "proofPurpose", iri: Self.security + purpose)
        if let challenge = proof.challenge {
            statements.add(terms + "challenge", text: challenge, datatype: Self.plain)
        }
        if let nonce = proof.nonce { statements.add(terms + "nonce", text: nonce, datatype: Self.plain) }
        for domain in proof.domains { statements.add(terms + "domain", text: domain, datatype: Self.plain) }
        if let expires = proof.expires { statements.add(terms + "expiration", text: expires, datatype: time) }
        if let suite = proof.suite.cryptosuite {
            let type = form == .plainSuite ? Self.plain : Self.security + "cryptosuiteString"
            statements.add(terms + "cryptosuite", text: suite, datatype: type)
        }
        for previous in proof.previous ?? [] {
            statements.add(terms + "previousProof", iri: try iri(previous, "previousProof"))
        }
        return statements.quads
    }

    private func iri(_ text: String, _ name: String) throws(CredentialError) -> String {
        guard AbsoluteIRISyntax.isOne(text) else {
            throw CredentialError(
                .vcType, "The member \(name) of the proof is not an absolute IRI.", at: proof.location.appending(name))
        }
        return text
    }
}

/// Checks the form of IRIs in statements (RFC 3987; RDF 1.1 N-Quads, section 3).
enum AbsoluteIRISyntax {
    /// Returns true when a text begins with a scheme, and has no character that an IRI may not have.
    static func isOne(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let first = text.utf8.first, isLetter(first),
            text.utf8[..<colon].allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) })
        else { return false }
        return text.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"),
            UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "\\"):
            false
        default: true
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension CredentialError {
    /// Converts an error of linked data to one of credentials.
    init(_ error: LinkedDataError) {
        switch error.code {
        case .tooManyQuads: self.init(.limitQuads, error.reason)
        case .blankNodesTooComplex: self.init(.limitRDFPoison, error.reason)
        case .badQuads, .documentMalformed: self.init(.parseJSON, error.reason)
        case .contextUnknown, .contextMalformed: self.init(.ctxUnpinned, error.reason)
        case .contextLimit: self.init(.limitContext, error.reason)
        case .protectedTerm: self.init(.ldProtected, error.reason)
        case .unsupportedFeature: self.init(.ldFeature, error.reason)
        }
    }
}
