import CryptoSuite

/// The suites of Data Integrity proofs that can be verified.
///
/// W3C VC Data Integrity 1.0; Data Integrity EdDSA Cryptosuites 1.0; Data Integrity ECDSA Cryptosuites 1.0; the former
/// suites of the Credentials Community Group.
enum ProofSuite: Hashable, Sendable, CaseIterable {
    case rsaSignature2018
    case ed25519Signature2018
    case ed25519Signature2020
    case ecdsaSecp256k1Signature2019
    case jsonWebSignature2020
    case eddsaRDFC2022
    case eddsaJCS2022
    case ecdsaRDFC2019
    case ecdsaJCS2019
    case ecdsaSD2023

    /// The `type` of Data Integrity proofs, whose suite is in the member `cryptosuite`.
    static let dataIntegrity = "DataIntegrityProof"

    /// Returns the suite for a proof's members `type` and `cryptosuite`.
    ///
    /// Throws `credential.vc-missing-member` for a Data Integrity proof that names no suite, and
    /// `credential.alg-mismatch` for a suite that is not known.
    init(type: String, cryptosuite: String?) throws(CredentialError) {
        guard type == Self.dataIntegrity || cryptosuite == nil else {
            throw CredentialError(.ldProofUnknownMember, "A proof of type \(type) has no member cryptosuite.")
        }
        guard type != Self.dataIntegrity || cryptosuite != nil else {
            throw CredentialError(.vcMissingMember, "The Data Integrity proof names no suite.")
        }
        guard let suite = Self.allCases.first(where: { $0.type == type && $0.cryptosuite == cryptosuite }) else {
            throw CredentialError(.algMismatch, "The suite of the proof is not known.")
        }
        self = suite
    }

    /// The member `type` of this suite's proofs.
    var type: String {
        switch self {
        case .rsaSignature2018: "RsaSignature2018"
        case .ed25519Signature2018: "Ed25519Signature2018"
        case .ed25519Signature2020: "Ed25519Signature2020"
        case .ecdsaSecp256k1Signature2019: "EcdsaSecp256k1Signature2019"
        case .jsonWebSignature2020: "JsonWebSignature2020"
        case .eddsaRDFC2022, .eddsaJCS2022, .ecdsaRDFC2019, .ecdsaJCS2019, .ecdsaSD2023:
            Self.dataIntegrity
        }
    }

    /// The member `cryptosuite` of this suite's proofs; nil for suites without one.
    var cryptosuite: String? {
        switch self {
        case .eddsaRDFC2022: "eddsa-rdfc-2022"
        case .eddsaJCS2022: "eddsa-jcs-2022"
        case .ecdsaRDFC2019: "ecdsa-rdfc-2019"
        case .ecdsaJCS2019: "ecdsa-jcs-2019"
        case .ecdsaSD2023: "ecdsa-sd-2023"
        default: nil
        }
    }

    /// The name of the suite, for reasons in reports.
    var name: String { cryptosuite ?? type }

    /// The name of the member that contains the signature.
    var signatureMember: String {
        switch self {
        case .rsaSignature2018, .ed25519Signature2018, .ecdsaSecp256k1Signature2019, .jsonWebSignature2020: "jws"
        case .ed25519Signature2020, .eddsaRDFC2022, .eddsaJCS2022, .ecdsaRDFC2019, .ecdsaJCS2019, .ecdsaSD2023:
            "proofValue"
        }
    }

    /// True when the suite signs JSON; false when it signs RDF statements.
    var signsJSON: Bool { self == .eddsaJCS2022 || self == .ecdsaJCS2019 }

    /// True when the suite's proofs must state their creation time.
    var requiresCreated: Bool { cryptosuite == nil }

    /// The signature algorithms of the suite; for some suites the key decides among them.
    var algorithms: [SignatureAlgorithm] {
        switch self {
        case .rsaSignature2018: [.rs256, .ps256]
        case .ed25519Signature2018, .ed25519Signature2020, .eddsaRDFC2022, .eddsaJCS2022: [.edDSA]
        case .ecdsaSecp256k1Signature2019: [.es256K]
        case .jsonWebSignature2020: [.edDSA, .es256K, .es256, .es384, .ps256]
        case .ecdsaRDFC2019, .ecdsaJCS2019: [.es256, .es384]
        case .ecdsaSD2023: [.es256]
        }
    }

    /// Returns the algorithm for a signature by a key, when it names none; nil for a key that the suite does not use.
    func algorithm(of key: VerificationKey) -> SignatureAlgorithm? { algorithms.first(where: key.algorithms.contains) }

    /// Returns the digest algorithm for the signed input; for ECDSA suites that of the key's algorithm.
    func hash(for key: VerificationKey) -> SHA2 {
        switch self {
        case .ecdsaRDFC2019, .ecdsaJCS2019: algorithm(of: key)?.hash ?? .sha256
        default: .sha256
        }
    }

    /// The general types of verification methods, which are not named for one suite.
    static let generalMethodTypes = ["Multikey", "JsonWebKey", "JsonWebKey2020"]

    /// The types of verification methods that the suite accepts.
    var methodTypes: [String] {
        switch self {
        case .rsaSignature2018: ["RsaVerificationKey2018"]
        case .ed25519Signature2018: ["Ed25519VerificationKey2018", "Ed25519VerificationKey2020"]
        case .ed25519Signature2020, .eddsaRDFC2022, .eddsaJCS2022: ["Ed25519VerificationKey2020", "Multikey"]
        case .ecdsaSecp256k1Signature2019: ["EcdsaSecp256k1VerificationKey2019"]
        case .jsonWebSignature2020: ["JsonWebKey2020", "JsonWebKey"]
        case .ecdsaRDFC2019, .ecdsaJCS2019, .ecdsaSD2023: ["Multikey"]
        }
    }
}
