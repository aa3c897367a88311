/// The credential formats that are recognised.
public enum CredentialFormat: String, CaseIterable, Hashable, Sendable {
    /// A W3C credential or presentation in JSON-LD with proofs inside.
    case linkedData = "json-ld"
    /// A W3C credential or presentation as a JSON Web Token.
    case jwt
    /// An SD-JWT VC, compact or in JSON.
    case sdJWT = "sd-jwt"
    /// A mobile document of ISO/IEC 18013-5.
    case mobileDocument = "mdoc"
    /// A CBOR Web Token.
    case cwt
    /// An Aadhaar code.
    case aadhaar
    /// A SMART Health Card.
    case healthCard = "smart-health-card"
    /// The bytes have none of the known formats.
    case unknown

    /// The kinds of checks for a credential of this format, in order.
    ///
    /// A verifier may exclude those that the very credential gives no occasion for.
    public var kinds: [CredentialCheck.Kind] {
        CredentialCheck.Kind.allCases.filter { kind in
            switch kind {
            case .parse, .form: true
            case .contexts, .coverage, .labels: self == .linkedData
            case .digests: self == .sdJWT || self == .mobileDocument
            case .chain: self != .linkedData && self != .unknown
            case .algorithm, .key, .keyPurpose, .issuer, .trust, .signature, .type, .time, .status, .holder:
                self != .unknown
            }
        }
    }
}
