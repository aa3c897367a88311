import ByteCoding
public import CryptoSuite

/// A public key that signatures are checked with, of any of the kinds that credentials use.
public enum VerificationKey: Hashable, Sendable {
    /// An Ed25519 key, 32 bytes.
    case ed25519([UInt8])
    /// An Ed448 key, 57 bytes.
    case ed448([UInt8])
    /// An ECDSA key on one of the supported curves.
    case ecdsa(ECDSA.PublicKey)
    /// An RSA key.
    case rsa(RSA.PublicKey)

    /// The signature algorithms that the key can be used with.
    public var algorithms: [SignatureAlgorithm] {
        switch self {
        case .ed25519: [.edDSA, .ed25519]
        case .ed448: [.edDSA, .ed448]
        case .ecdsa(let key):
            switch key.curve {
            case .p256, .brainpoolP256r1: [.es256]
            case .p384, .brainpoolP320r1, .brainpoolP384r1: [.es384]
            case .p521, .brainpoolP512r1: [.es512]
            case .secp256k1: [.es256K]
            }
        case .rsa: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        }
    }

    /// The kind of the key in words: `Ed25519`, `P-256`, `RSA`.
    public var kind: String {
        switch self {
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .ecdsa(let key):
            switch key.curve {
            case .p256: "P-256"
            case .p384: "P-384"
            case .p521: "P-521"
            case .secp256k1: "secp256k1"
            case .brainpoolP256r1: "brainpoolP256r1"
            case .brainpoolP320r1: "brainpoolP320r1"
            case .brainpoolP384r1: "brainpoolP384r1"
            case .brainpoolP512r1: "brainpoolP512r1"
            }
        case .rsa: "RSA"
        }
    }

    /// Verifies that `signature` was made by this key over `message`.
    ///
    /// The form of the signature is that of JOSE and COSE: 64 bytes of Ed25519, r and s of ECDSA side by side at full
    /// length, and as many bytes as the modulus has for RSA. Throws `credential.alg-mismatch` when the key does not
    /// serve the algorithm, `credential.sig-form` when the length is another, and `credential.sig-invalid`.
    public func verify(
        _ signature: [UInt8], over message: some Collection<UInt8>, algorithm: SignatureAlgorithm
    ) throws(CredentialError) {
        guard algorithms.contains(algorithm) else {
            throw CredentialError(.algMismatch, "\(algorithm.rawValue) is not an algorithm of a key of kind \(kind).")
        }
        guard signature.count == signatureCount else {
            throw CredentialError(
                .sigForm,
                "A signature of \(algorithm.rawValue) has \(signatureCount) bytes here, not \(signature.count).")
        }
        let isValid =
            switch self {
            case .ed25519(let key): Ed25519.verify(signature: signature, message: message, publicKey: key)
            case .ed448(let key): Ed448.verify(signature: signature, message: message, publicKey: key)
            case .ecdsa(let key):
                ECDSA.verify(signature: signature, message: message, publicKey: key, hash: algorithm.hash)
            case .rsa(let key):
                algorithm.isPSS
                    ? RSA.verifyPSS(signature: signature, message: message, publicKey: key, hash: algorithm.hash)
                    : RSA.verifyPKCS1(signature: signature, message: message, publicKey: key, hash: algorithm.hash)
            }
        guard isValid else {
            throw CredentialError(.sigInvalid, "The signature does not fit the key and the signed bytes.")
        }
    }

    private var signatureCount: Int {
        switch self {
        case .ed25519: Ed25519.signatureCount
        case .ed448: Ed448.signatureCount
        case .ecdsa(let key): key.curve.signatureCount
        case .rsa(let key): key.signatureCount
        }
    }
}

extension SignatureAlgorithm {
    /// The hash that the signature algorithm uses; without meaning for Ed25519 and Ed448.
    var hash: SHA2 {
        switch self {
        case .edDSA, .ed25519, .ed448, .es512, .rs512, .ps512: .sha512
        case .es384, .rs384, .ps384: .sha384
        case .es256, .es256K, .rs256, .ps256: .sha256
        }
    }

    fileprivate var isPSS: Bool { self == .ps256 || self == .ps384 || self == .ps512 }
}

extension VerificationKey {
    /// Reads a key in multibase with its multicodec, as in did:key and Multikey (`z6Mk…`).
    ///
    /// Throws `credential.parse-base64`, `credential.key-unresolved`, `credential.key-form`, `credential.key-curve`,
    /// `credential.alg-weak`, and `credential.alg-mismatch` for a key that signs nothing.
    public init(multikey text: String) throws(CredentialError) { try self.init(UncheckedPublicKey(multikey: text)) }

    /// Reads the key in a PEM text: one public key (`PUBLIC KEY`, RFC 7468, section 13) or certificate.
    ///
    /// Throws `credential.key-form`, also for a private key, `credential.key-unresolved`, `credential.key-curve`,
    /// `credential.alg-weak`, and `credential.x5-chain` for a certificate that cannot be read.
    public init(pem bytes: [UInt8]) throws(CredentialError) {
        guard bytes.count <= Certificate.maximumCount * 2, let text = String(validating: bytes, as: UTF8.self) else {
            throw CredentialError(.keyForm, "A key in PEM is not text.")
        }
        guard !text.holds("PRIVATE KEY-----") else {
            throw CredentialError(.keyForm, "It holds a private key; a trust file needs the public one.")
        }
        guard text.holds("-----BEGIN CERTIFICATE-----") else {
            try self.init(try UncheckedPublicKey(pem: text))
            return
        }
        guard let der = PEMText.certificate(text) else {
            throw CredentialError(.keyForm, "It does not hold one certificate.")
        }
        let certificate = try CertificateChecks([der])
        try self.init(certificate.leaf.publicKey)
    }

    /// Makes a key from key material after checking its validity.
    ///
    /// Throws `credential.alg-mismatch` for a key that signs nothing, `credential.key-curve` for a point off its curve,
    /// `credential.alg-weak` for a short RSA key and `credential.key-form`.
    init(_ material: UncheckedPublicKey) throws(CredentialError) {
        switch material {
        case .ed25519(let key): self = .ed25519(key)
        case .x25519: throw CredentialError(.algMismatch, "An X25519 key signs nothing.")
        case .point(let name, let point):
            guard let curve = Self.curves[name] else {
                throw CredentialError(.keyUnresolved, "The curve \(name) is not known.")
            }
            guard let key = try? ECDSA.PublicKey(curve: curve, x963: point) else {
                throw CredentialError(.keyCurve, "The key is not a point of the curve \(name).")
            }
            self = .ecdsa(key)
        case .rsa(let modulus, let exponent):
            guard modulus.count >= 256 else {
                throw CredentialError(.algWeak, "An RSA key has fewer than 2048 bits.")
            }
            guard let key = try? RSA.PublicKey(modulus: modulus, exponent: exponent) else {
                throw CredentialError(.keyForm, "An RSA key has a modulus or exponent that none may have.")
            }
            self = .rsa(key)
        }
    }

    private static let curves: [String: ECDSA.Curve] = [
        "P-256": .p256, "P-384": .p384, "P-521": .p521, "secp256k1": .secp256k1,
    ]
}
