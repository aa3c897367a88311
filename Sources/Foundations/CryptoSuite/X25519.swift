public import Determinism

/// Key agreement on Curve25519.
///
/// Keys are 32 bytes, little-endian as in RFC 7748; any 32 bytes are a private key, because clamping happens on use.
public enum X25519 {
    /// The length of private keys, public keys and shared secrets.
    public static let keyCount = 32

    /// Draws a private key of 32 bytes.
    public static func makePrivateKey(from random: inout some RandomSource) -> Secret {
        var bytes = random.bytes(count: keyCount)
        return Secret(consuming: &bytes)
    }

    /// Returns the 32-byte public key that belongs to `privateKey`.
    ///
    /// Throws `crypto.invalid-key` when the private key is not 32 bytes.
    public static func publicKey(for privateKey: Secret) throws(CryptoError) -> [UInt8] {
        try check(privateKey.count)
        return try CryptoError.require(
            BackEnd.x25519PublicKey(privateKey), "the public key could not be computed")
    }

    /// Returns the 32-byte secret that both sides compute; it is input to a key derivation, never a key.
    ///
    /// Throws `crypto.invalid-key` when a key is not 32 bytes and `crypto.low-order-point` when the result is all zero
    /// (RFC 7748, section 6.1, leaves that check to us): such a public key gives the same secret to every key. Points
    /// on the twist and coordinates above the prime are not errors; they are taken as RFC 7748, section 5, says.
    public static func sharedSecret(privateKey: Secret, publicKey: [UInt8]) throws(CryptoError) -> Secret {
        try check(privateKey.count)
        try check(publicKey.count)
        guard let secret = BackEnd.x25519SharedSecret(privateKey, publicKey) else {
            throw CryptoError(.lowOrderPoint, "the public key is of low order")
        }
        return secret
    }

    private static func check(_ count: Int) throws(CryptoError) {
        guard count == keyCount else {
            throw CryptoError(.invalidKey, "an X25519 key has \(keyCount) bytes, not \(count)")
        }
    }
}
