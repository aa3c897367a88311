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
        try AEADLayout.check(key, nonce, nonceCount: nonceCount)
        try AEADLayout.check(messageCount: plaintext.count, dataCount: additionalData.count)
        let sealed = unsafe withRawBytes(plaintext) {
            unsafe ChaChaPolyBackEnd.chaChaPolySeal($0, key: key, nonce: nonce, additionalData: additionalData)
        }
        return try CryptoError.require(sealed, "the message could not be sealed")
    }

    /// Decrypts what `seal` made: ciphertext followed by its tag.
    ///
    /// Throws `crypto.authentication-failed` when any bit of message, tag, nonce, key or additional data differs, and as
    /// `seal` does for lengths; fewer bytes than a tag are `crypto.invalid-length`. Nothing is returned before the
    /// tag was checked.
    public static func open(
        _ sealed: some Collection<UInt8>, key: Secret, nonce: [UInt8], additionalData: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try AEADLayout.check(key, nonce, nonceCount: nonceCount)
        try AEADLayout.check(messageCount: sealed.count - tagCount, dataCount: additionalData.count)
        let plaintext = unsafe withRawBytes(sealed) {
            unsafe ChaChaPolyBackEnd.chaChaPolyOpen($0, key: key, nonce: nonce, additionalData: additionalData)
        }
        guard let plaintext else { throw CryptoError(.authenticationFailed, "the tag does not fit the message") }
        return plaintext
    }
}
