/// Encryption with authentication (AEAD): the ciphers of the protocols, each with its lengths.
///
/// Tags have 16 bytes and follow the ciphertext; a message has at most 2³¹ − 17 bytes. Never seal two messages with one
/// key and nonce.
@safe public struct AuthenticatedCipher: Sendable {
    /// Seals or opens a message with a key, a nonce and additional data, all of lengths that fit; nil when it fails.
    typealias Work = @Sendable (UnsafeRawBufferPointer, Secret, [UInt8], [UInt8]) -> [UInt8]?

    /// The length of the tag that follows the ciphertext.
    public static let tagCount = AEADLayout.tagCount

    /// AES in Galois/counter mode (NIST SP 800-38D): keys of 16 or 32 bytes, nonces of 12.
    public static let aesGCM = unsafe AuthenticatedCipher(
        keyCounts: [16, 32], nonceCount: AEADLayout.nonceCount,
        sealing: { unsafe AESGCMBackEnd.aesGCMSeal($0, key: $1, nonce: $2, additionalData: $3) },
        opening: { unsafe AESGCMBackEnd.aesGCMOpen($0, key: $1, nonce: $2, additionalData: $3) })

    /// ChaCha20 and Poly1305 (RFC 8439): keys of 32 bytes, nonces of 12.
    public static let chaChaPoly = unsafe AuthenticatedCipher(
        keyCounts: [32], nonceCount: AEADLayout.nonceCount,
        sealing: { unsafe ChaChaPolyBackEnd.chaChaPolySeal($0, key: $1, nonce: $2, additionalData: $3) },
        opening: { unsafe ChaChaPolyBackEnd.chaChaPolyOpen($0, key: $1, nonce: $2, additionalData: $3) })

    #if DEBIAN_LIBRARIES
        /// XChaCha20 and Poly1305 (draft-irtf-cfrg-xchacha-03): keys of 32 bytes, nonces of 24.
        ///
        /// Nonces of this length can be random without ever repeating under one key.
        public static let xChaChaPoly = unsafe AuthenticatedCipher(
            keyCounts: [32], nonceCount: 24,
            sealing: { unsafe BackEnd.xChaChaPolySeal($0, key: $1, nonce: $2, additionalData: $3) },
            opening: { unsafe BackEnd.xChaChaPolyOpen($0, key: $1, nonce: $2, additionalData: $3) })
    #endif

    /// The lengths that a key of the cipher may have, ascending.
    let keyCounts: [Int]
    /// The length of the cipher's nonce in bytes.
    public let nonceCount: Int
    /// The function that encrypts: it returns ciphertext and tag.
    let sealing: Work
    /// The function that checks the tag and decrypts; its input is at least as long as a tag.
    let opening: Work

    /// Encrypts `plaintext`: ciphertext of the same length, then the tag.
    ///
    /// Throws `crypto.invalid-key` for a key of a length that the cipher does not take, `crypto.invalid-length` for
    /// another nonce or a message that is too long.
    public func seal(
        _ plaintext: some Collection<UInt8>, key: Secret, nonce: [UInt8], additionalData: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try check(key, nonce, messageCount: plaintext.count, dataCount: additionalData.count)
        let sealed = unsafe withRawBytes(plaintext) { unsafe sealing($0, key, nonce, additionalData) }
        return try CryptoError.require(sealed, "the message could not be sealed")
    }

    /// Decrypts what `seal` made: ciphertext followed by its tag.
    ///
    /// Throws `crypto.authentication-failed` when any bit of message, tag, nonce, key or additional data differs, and
    /// as `seal` does for lengths; fewer bytes than a tag are `crypto.invalid-length`. Nothing is returned before the
    /// tag was checked.
    public func open(
        _ sealed: some Collection<UInt8>, key: Secret, nonce: [UInt8], additionalData: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try check(key, nonce, messageCount: sealed.count - Self.tagCount, dataCount: additionalData.count)
        let plaintext = unsafe withRawBytes(sealed) { unsafe opening($0, key, nonce, additionalData) }
        guard let plaintext else { throw CryptoError(.authenticationFailed, "the tag does not fit the message") }
        return plaintext
    }

    private func check(_ key: Secret, _ nonce: [UInt8], messageCount: Int, dataCount: Int) throws(CryptoError) {
        guard keyCounts.contains(key.count) else {
            let allowed = keyCounts.map { "\($0)" }.joined(separator: " or ")
            throw CryptoError(.invalidKey, "a key has \(allowed) bytes, not \(key.count)")
        }
        guard nonce.count == nonceCount else {
            throw CryptoError(.invalidLength, "a nonce has \(nonceCount) bytes, not \(nonce.count)")
        }
        try AEADLayout.check(messageCount: messageCount, dataCount: dataCount)
    }
}
