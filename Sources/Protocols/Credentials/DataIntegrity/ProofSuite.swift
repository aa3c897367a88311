import CryptoSuite

/// The suites of proofs that are checked (W3C VC Data Integrity 1.0; Data Integrity EdDSA Cryptosuites 1.0; Data
/// Integrity ECDSA Cryptosuites 1.0; the former suites of the Credentials Community Group).
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

    /// The type of a Data Integrity proof, whose suite the member `cryptosuite` names.
    static let dataIntegrity = "DataIntegrityProof"

    /// The suite of a proof's members `type` and `cryptosuite`.
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

    /// The member `type` of the suite's proofs.
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

    /// The member `cryptosuite` of its proofs; nil for suites without one.
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

    /// The name of the suite, for reasons.
    var name: String { cryptosuite ?? type }

    /// The member that holds the signature.
    var signatureMember: String {
        switch self {
        case .rsaSignature2018, .ed25519Signature2018, .ecdsaSecp256k1Signature2019, .jsonWebSignature2020: "jws"
        case .ed25519Signature2020, .eddsaRDFC2022, .eddsaJCS2022, .ecdsaRDFC2019, .ecdsaJCS2019, .ecdsaSD2023:
            "proofValue"
        }
    }

    /// True when the suite signs JSON, and not the statements that it makes.
    var signsJSON: Bool { self == .eddsaJCS2022 || self == .ecdsaJCS2019 }

    /// True when proofs must say at what time they were made.
    var requiresCreated: Bool { cryptosuite == nil }

    /// The algorithms of the suite; for JsonWebSignature2020 and the suites of ECDSA the key decides among them.
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

    /// The algorithm of a signature that does not name its own, made with a key; nil when the key is none of the suite.
    func algorithm(of key: VerificationKey) -> SignatureAlgorithm? { algorithms.first(where: key.algorithms.contains) }

    /// The digest of what is signed: for the suites of ECDSA that of the key's algorithm.
    func hash(for key: VerificationKey) -> SHA2 {
        switch self {
        case .ecdsaRDFC2019, .ecdsaJCS2019: algorithm(of: key)?.hash ?? .sha256
        default: .sha256
        }
    }

    /// The types of verification methods whose keys no suite is named for.
    static let generalMethodTypes = ["Multikey", "JsonWebKey", "JsonWebKey2020"]

    /// The types of verification methods whose keys the suite takes.
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
