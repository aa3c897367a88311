/// Derives keys from a shared secret, RFC 5869.
public enum HKDF {
    /// The most bytes that one derivation gives: 255 blocks of 32.
    public static let maximumOutputCount = 255 * 32

    /// Extracts with `salt` and expands with `info` to `count` bytes, on SHA-256.
    ///
    /// `salt` and `info` may be empty; an empty salt means 32 zero bytes. Throws `crypto.invalid-length` unless `count`
    /// is 1…8160.
    public static func deriveSHA256(
        inputKey: Secret, salt: [UInt8], info: [UInt8], count: Int
    ) throws(CryptoError) -> Secret {
        guard (1...maximumOutputCount).contains(count) else {
            throw CryptoError(.invalidLength, "HKDF gives 1…\(maximumOutputCount) bytes, not \(count)")
        }
        return try CryptoError.require(
            BackEnd.hkdfSHA256(inputKey: inputKey, salt: salt, info: info, count: count), "the key could not be derived"
        )
    }
}
