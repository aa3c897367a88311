import ByteCoding
public import CryptoSuite
public import Determinism
public import JSON

/// An Ed25519 key that signs requests or presentations, named by a did:jwk.
public struct SigningKey: Sendable {
    private let seed: Secret

    /// The DID of the key.
    public let identifier: String

    /// The public key as a JWK.
    public let publicJWK: JSONValue

    /// Takes a seed of 32 bytes.
    ///
    /// - Throws: `answer.holder-key` for another length.
    public init(seed: Secret) throws(PresentationError) {
        guard let publicKey = try? Ed25519.publicKey(for: seed) else {
            throw PresentationError(.walletHolderKey, "A key has 32 bytes.")
        }
        self.seed = seed
        publicJWK = ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64URL.encode(publicKey))]
        identifier = "did:jwk:" + Base64URL.encode(publicJWK.encoded)
    }

    /// Draws a fresh key.
    public init(random: inout some RandomSource) throws(PresentationError) {
        try self.init(seed: Secret(copying: random.bytes(count: 32)))
    }

    /// Reads a private key in a JWK of kind OKP with the curve Ed25519.
    ///
    /// - Throws: `answer.holder-key`.
    public init(jwk bytes: [UInt8]) throws(PresentationError) {
        guard let object = (try? JSONValue(parsing: bytes))?.object, object["kty"]?.string == "OKP",
            object["crv"]?.string == "Ed25519", let text = object["d"]?.string, let seed = Base64URL.decode(text)
        else { throw PresentationError(.walletHolderKey, "The file holds no JWK of an Ed25519 key.") }
        try self.init(seed: Secret(copying: seed))
        guard object["x"] == nil || object["x"] == publicJWK["x"] else {
            throw PresentationError(.walletHolderKey, "The two halves of the key do not fit each other.")
        }
    }

    /// A token in three parts over `claims`, with `typ`, signed with EdDSA.
    public func token(type: String, _ claims: JSONObject) throws(PresentationError) -> [UInt8] {
        let header: JSONValue = ["alg": "EdDSA", "kid": .string(identifier + "#0"), "typ": .string(type)]
        var text = Array(Base64URL.encode(header.encoded).utf8) + [UInt8(ascii: ".")]
        Base64URL.append(claims.encoded, to: &text)
        guard let signature = try? Ed25519.sign(text, seed: seed) else {
            throw PresentationError(.walletHolderKey, "The key signs nothing.")
        }
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
        return text
    }
}
