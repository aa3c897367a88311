/// What the ciphers with authentication have in common: the lengths that they take, and the tag behind the ciphertext.
@safe struct AuthenticatedCipher: Sendable {
    /// Seals or opens a message with a key, a nonce and additional data, all of lengths that fit; nil when it fails.
    typealias Work = @Sendable (UnsafeRawBufferPointer, Secret, [UInt8], [UInt8]) -> [UInt8]?

    /// The length of the tag.
    static let tagCount = AEADLayout.tagCount

    /// The lengths of a key, ascending.
    let keyCounts: [Int]
    /// The length of a nonce.
    let nonceCount: Int
    /// Makes ciphertext and tag.
    let sealing: Work
    /// Checks the tag and makes the plaintext; is given a tag's bytes at least.
    let opening: Work

    func seal(
        _ plaintext: some Collection<UInt8>, _ key: Secret, _ nonce: [UInt8], _ additionalData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try check(key, nonce, messageCount: plaintext.count, dataCount: additionalData.count)
        let sealed = unsafe withRawBytes(plaintext) { unsafe sealing($0, key, nonce, additionalData) }
        return try CryptoError.require(sealed, "the message could not be sealed")
    }

    func open(
        _ sealed: some Collection<UInt8>, _ key: Secret, _ nonce: [UInt8], _ additionalData: [UInt8]
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
