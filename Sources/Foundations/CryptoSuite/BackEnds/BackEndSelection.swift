// The library of each operation. Every operation below has one owner; where two libraries can do it, tests run the same
// vectors on both.

#if DEBIAN_LIBRARIES
    typealias BackEnd = SodiumBackEnd
#else
    typealias BackEnd = CryptoKitBackEnd
#endif

#if DEBIAN_LIBRARIES
    typealias AESGCMBackEnd = OpenSSLBackEnd
    typealias ChaChaPolyBackEnd = OpenSSLBackEnd
    typealias HashBackEnd = OpenSSLBackEnd
#else
    typealias AESGCMBackEnd = CryptoKitBackEnd
    typealias ChaChaPolyBackEnd = CryptoKitBackEnd
    typealias HashBackEnd = CryptoKitBackEnd
#endif

/// The layout and the length limits of messages sealed with AEAD.
enum AEADLayout {
    static let nonceCount = 12
    static let tagCount = 16
    /// The longest message in bytes: the libraries count in 32 bits with a sign.
    static let maximumMessageCount = Int(Int32.max) - tagCount

    /// Throws for a plaintext or additional data longer than the libraries can count.
    static func check(messageCount: Int, dataCount: Int = 0) throws(CryptoError) {
        let allowed = 0...maximumMessageCount
        guard allowed.contains(messageCount), allowed.contains(dataCount) else {
            throw CryptoError(.invalidLength, "a message of \(messageCount) bytes cannot be handled")
        }
    }
}
