/// Encryption with authentication by AES in Galois/counter mode (NIST SP 800-38D).
///
/// Nonces have 12 bytes, tags 16; a message has at most 2³¹ − 17 bytes. Never seal two messages with one key and nonce.
public enum AESGCM {
    /// The length of a nonce.
    public static let nonceCount = AEADLayout.nonceCount

    /// The length of the tag that follows the ciphertext.
    public static let tagCount = AEADLayout.tagCount

    /// Encrypts `plaintext`: ciphertext of the same length, then the tag.
    ///
    /// Throws `crypto.invalid-key` unless the key has 16 or 32 bytes, `crypto.invalid-length` for another nonce or a message
    /// that is too long.
    public static func seal(
        _ plaintext: some Collection<UInt8>, key: Secret, nonce: [UInt8], additionalData: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try check(key, nonce, additionalData, messageCount: plaintext.count)
        let sealed = unsafe withRawBytes(plaintext) {
            unsafe AESGCMBackEnd.aesGCMSeal($0, key: key, nonce: nonce, additionalData: additionalData)
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
        try check(key, nonce, additionalData, messageCount: sealed.count - tagCount)
        let plaintext = unsafe withRawBytes(sealed) {
            unsafe AESGCMBackEnd.aesGCMOpen($0, key: key, nonce: nonce, additionalData: additionalData)
        }
        guard let plaintext else { throw CryptoError(.authenticationFailed, "the tag does not fit the message") }
        return plaintext
    }

    private static func check(
        _ key: Secret, _ nonce: [UInt8], _ additionalData: [UInt8], messageCount: Int
    ) throws(CryptoError) {
        guard key.count == 16 || key.count == 32 else {
            throw CryptoError(.invalidKey, "a key has 16 or 32 bytes, not \(key.count)")
        }
        guard nonce.count == nonceCount else {
            throw CryptoError(.invalidLength, "a nonce has \(nonceCount) bytes, not \(nonce.count)")
        }
        try AEADLayout.check(messageCount: messageCount, dataCount: additionalData.count)
    }
}
