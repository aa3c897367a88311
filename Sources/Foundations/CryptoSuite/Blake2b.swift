#if DEBIAN_LIBRARIES
    /// The BLAKE2b digest (RFC 7693), with or without a key.
    public enum Blake2b {
        /// The most bytes that a digest and a key have.
        public static let maximumCount = 64

        /// Returns the digest of `bytes`, `count` of them; with a key it authenticates as a MAC does.
        ///
        /// Digests of different lengths have nothing in common: none is the beginning of another. Throws
        /// `crypto.invalid-length` unless `count` is 1…64, and `crypto.invalid-key` for a key outside 1…64 bytes.
        public static func hash(
            _ bytes: some Collection<UInt8>, key: Secret? = nil, count: Int = 32
        ) throws(CryptoError) -> [UInt8] {
            guard (1...maximumCount).contains(count) else {
                throw CryptoError(.invalidLength, "a BLAKE2b digest has 1…\(maximumCount) bytes, not \(count)")
            }
            if let key, !(1...maximumCount).contains(key.count) {
                throw CryptoError(.invalidKey, "a BLAKE2b key has 1…\(maximumCount) bytes, not \(key.count)")
            }
            return try CryptoError.require(
                BackEnd.blake2b(bytes, key: key, count: count), "the digest could not be computed")
        }
    }
#endif
