/// Signatures on the Edwards form of Curve25519, RFC 8032 (pure, no context).
public enum Ed25519 {
    /// The length of a seed and of a public key.
    public static let keyCount = 32

    /// The length of a signature.
    public static let signatureCount = 64

    /// Returns the 32-byte public key that belongs to the 32-byte `seed`.
    ///
    /// Throws `crypto.invalid-key` when the seed is not 32 bytes.
    public static func publicKey(for seed: Secret) throws(CryptoError) -> [UInt8] {
        try check(seed)
        return try CryptoError.require(
            BackEnd.ed25519PublicKey(seed), "the public key could not be computed")
    }

    /// Returns the 64-byte signature of `message`.
    ///
    /// The same message and seed always give the same one, but on Apple's systems, where CryptoKit draws randomness for
    /// each.
    ///
    /// Throws `crypto.invalid-key` when the seed is not 32 bytes.
    public static func sign(_ message: some Collection<UInt8>, seed: Secret) throws(CryptoError) -> [UInt8] {
        try check(seed)
        return try CryptoError.require(
            BackEnd.ed25519Sign(message, seed), "the signature could not be computed")
    }

    /// Returns true when `signature` was made over `message` by the owner of `publicKey`.
    ///
    /// False also for wrong lengths, public keys and commitments of small order, non-canonical keys, and a scalar that
    /// is not reduced: each signature has one accepted form.
    public static func verify(
        signature: [UInt8], message: some Collection<UInt8>, publicKey: [UInt8]
    ) -> Bool {
        guard signature.count == signatureCount, publicKey.count == keyCount else { return false }
        return BackEnd.ed25519Verify(signature, message, publicKey)
    }

    private static func check(_ seed: Secret) throws(CryptoError) {
        guard seed.count == keyCount else {
            throw CryptoError(.invalidKey, "an Ed25519 seed has \(keyCount) bytes, not \(seed.count)")
        }
    }
}
