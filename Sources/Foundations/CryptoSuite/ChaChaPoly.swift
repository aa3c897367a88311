/// Encryption with authentication by ChaCha20 and Poly1305 (RFC 8439).
///
/// Nonces have 12 bytes, tags 16; a message has at most 2³¹ − 17 bytes. Never seal two messages with one key and nonce.
public enum ChaChaPoly {
    /// The length of a nonce.
    public static let nonceCount = AEADLayout.nonceCount

    /// The length of the tag that follows the ciphertext.
    public static let tagCount = AEADLayout.tagCount

    /// Encrypts `plaintext`: ciphertext of the same length, then the tag.
    ///
    /// Throws `crypto.invalid-key` unless the key has 32 bytes, `crypto.invalid-length` for another nonce or a message
    /// that is too long.
    public static func seal(
        _ plaintext: some Collection<UInt8>, key: Secret, nonce: [UInt8], additionalData: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try cipher.seal(plaintext, key, nonce, additionalData)
    }

    /// Decrypts what `seal` made: ciphertext followed by its tag.
    ///
    /// Throws `crypto.authentication-failed` when any bit of message, tag, nonce, key or additional data differs, and as
    /// `seal` does for lengths; fewer bytes than a tag are `crypto.invalid-length`. Nothing is returned before the
    /// tag was checked.
    public static func open(
        _ sealed: some Collection<UInt8>, key: Secret, nonce: [UInt8], additionalData: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try cipher.open(sealed, key, nonce, additionalData)
    }

    private static let cipher = unsafe AuthenticatedCipher(
        keyCounts: [32], nonceCount: nonceCount,
        sealing: { unsafe ChaChaPolyBackEnd.chaChaPolySeal($0, key: $1, nonce: $2, additionalData: $3) },
        opening: { unsafe ChaChaPolyBackEnd.chaChaPolyOpen($0, key: $1, nonce: $2, additionalData: $3) })
}
