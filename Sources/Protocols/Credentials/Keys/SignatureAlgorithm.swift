/// The signature algorithms that a verifier knows, by the names of JOSE and COSE.
///
/// Source: RFC 7518, RFC 8037, RFC 8812, RFC 9053, RFC 9864. `none` and every MAC are missing on purpose.
public enum SignatureAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// Ed25519 or Ed448, under the name of RFC 8037.
    case edDSA = "EdDSA"
    /// Ed25519, under the name of RFC 9864.
    case ed25519 = "Ed25519"
    /// Ed448, under the name of RFC 9864.
    case ed448 = "Ed448"
    /// ECDSA over P-256, or brainpoolP256r1 in COSE, with SHA-256.
    case es256 = "ES256"
    /// ECDSA over P-384, or brainpoolP320r1 and brainpoolP384r1 in COSE, with SHA-384.
    case es384 = "ES384"
    /// ECDSA over P-521, or brainpoolP512r1 in COSE, with SHA-512.
    case es512 = "ES512"
    /// ECDSA over secp256k1 with SHA-256.
    case es256K = "ES256K"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512 = "RS512"
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
    case ps256 = "PS256"
    /// RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt of 48 bytes.
    case ps384 = "PS384"
    /// RSASSA-PSS with SHA-512, MGF1 with SHA-512 and a salt of 64 bytes.
    case ps512 = "PS512"

    /// Makes the algorithm of a JOSE name; nil for an unknown name or another spelling.
    init?(joseName name: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.isExactly(name) }) else { return nil }
        self = algorithm
    }

    /// Makes the algorithm that a JOSE header names.
    ///
    /// Throws `credential.alg-mismatch` for a MAC, which no public key serves, and `credential.alg-unknown`.
    init(named name: String) throws(CredentialError) {
        if let algorithm = SignatureAlgorithm(joseName: name) {
            self = algorithm
        } else if ["HS256", "HS384", "HS512"].contains(name) {
            throw CredentialError(.algMismatch, "The header names a MAC, and a credential is signed.")
        } else {
            throw CredentialError(.algUnknown, "The algorithm of the header is not known.")
        }
    }

    /// Makes the algorithm of a COSE identifier, of RFC 9053 or RFC 9864; nil for an unknown one.
    public init?(coseIdentifier: Int) {
        if let algorithm = Self.fullySpecified[coseIdentifier] {
            self = algorithm
            return
        }
        guard let algorithm = Self.allCases.first(where: { $0.coseIdentifier == coseIdentifier }) else { return nil }
        self = algorithm
    }

    /// The COSE identifiers of RFC 9864 that also name the curve: ESP256 to ESP512, and ESB256 to ESB512.
    private static let fullySpecified: [Int: SignatureAlgorithm] = [
        -9: .es256, -51: .es384, -52: .es512, -265: .es256, -266: .es384, -267: .es384, -268: .es512,
    ]

    /// The curves that these identifiers name.
    static let curves: [Int: ECDSA.Curve] = [
        -9: .p256, -51: .p384, -52: .p521, -265: .brainpoolP256r1, -266: .brainpoolP320r1, -267: .brainpoolP384r1,
        -268: .brainpoolP512r1,
    ]

    /// The COSE identifier of the algorithm, such as -7 for ES256.
    public var coseIdentifier: Int {
        switch self {
        case .edDSA: -8
        case .ed25519: -19
        case .ed448: -53
        case .es256: -7
        case .es384: -35
        case .es512: -36
        case .es256K: -47
        case .rs256: -257
        case .rs384: -258
        case .rs512: -259
        case .ps256: -37
        case .ps384: -38
        case .ps512: -39
        }
    }
}
