import ByteCoding
public import CryptoSuite
public import Determinism
public import JSON

/// A key that signs requests or presentations, Ed25519 or P-256, named by a did:jwk.
public struct PresentationSigningKey: Sendable {
    private enum Half: Sendable {
        case ed25519(seed: Secret)
        case p256(ECDSA.PrivateKey)
    }

    private let half: Half

    /// The did:jwk that identifies the key.
    public let identifier: String

    /// The public key as a JWK.
    public let publicJWK: JSONValue

    /// Makes an Ed25519 key from a seed of 32 bytes.
    ///
    /// - Throws: `answer.holder-key` for another length.
    public init(seed: Secret) throws(PresentationError) {
        guard let publicKey = try? Ed25519.publicKey(for: seed) else {
            throw PresentationError(.walletHolderKey, "A key has 32 bytes.")
        }
        self.init(
            .ed25519(seed: seed), ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64URL.encode(publicKey))])
    }

    /// Makes a P-256 key from its scalar, 32 bytes in big-endian order.
    ///
    /// - Throws: `answer.holder-key` for another length, and for a number that is no scalar of the curve.
    public init(p256 scalar: Secret) throws(PresentationError) {
        guard let key = try? ECDSA.PrivateKey(curve: .p256, scalar: scalar) else {
            throw PresentationError(.walletHolderKey, "The key is not a scalar of P-256.")
        }
        let point = key.publicKey.x963
        self.init(
            .p256(key),
            [
                "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(point[1...32])),
                "y": .string(Base64URL.encode(point[33...64])),
            ])
    }

    private init(_ half: Half, _ publicJWK: JSONValue) {
        self.half = half
        self.publicJWK = publicJWK
        identifier = "did:jwk:" + Base64URL.encode(publicJWK.encoded)
    }

    /// Makes a random Ed25519 key.
    public init(random: inout some RandomSource) throws(PresentationError) {
        try self.init(seed: Secret(copying: random.bytes(count: 32)))
    }

    /// Reads a private key in a JWK: of kind OKP with the curve Ed25519, or of kind EC with the curve P-256.
    ///
    /// - Throws: `answer.holder-key`.
    public init(jwk bytes: [UInt8]) throws(PresentationError) {
        guard let object = (try? JSONValue(parsing: bytes))?.object, let text = object["d"]?.string,
            var number = Base64URL.decode(text)
        else { throw PresentationError(.walletHolderKey, "The file holds no JWK of a private key.") }
        let secret = Secret(consuming: &number)
        switch (object["kty"]?.string, object["crv"]?.string) {
        case ("OKP", "Ed25519"): try self.init(seed: secret)
        case ("EC", "P-256"): try self.init(p256: secret)
        default: throw PresentationError(.walletHolderKey, "The file holds no JWK of an Ed25519 or P-256 key.")
        }
        for name in ["x", "y"] where object[name] != nil && object[name] != publicJWK.object?[name] {
            throw PresentationError(.walletHolderKey, "The two halves of the key do not fit each other.")
        }
    }

    /// Makes a signed token of three parts over `claims`, with `typ`, by EdDSA or ES256.
    public func token(type: String, _ claims: JSONObject) throws(PresentationError) -> [UInt8] {
        let header: JSONValue = [
            "alg": .string(algorithm), "kid": .string(identifier + "#0"), "typ": .string(type),
        ]
        var text = Array(Base64URL.encode(header.encoded).utf8) + [UInt8(ascii: ".")]
        Base64URL.append(claims.encoded, to: &text)
        guard let signature = try? sign(text) else {
            throw PresentationError(.walletHolderKey, "The key signs nothing.")
        }
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
        return text
    }

    private var algorithm: String {
        switch half {
        case .ed25519: "EdDSA"
        case .p256: "ES256"
        }
    }

    private func sign(_ text: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch half {
        case .ed25519(let seed): try Ed25519.sign(text, seed: seed)
        case .p256(let key): try key.sign(text, hash: .sha256)
        }
    }
}
