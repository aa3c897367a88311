#if DEBIAN_LIBRARIES
    /// Signatures on the Edwards form of Curve448, RFC 8032, section 5.2 (pure, no context).
    public enum Ed448 {
        /// The length of a seed and of a public key.
        public static let keyCount = 57

        /// The length of a signature.
        public static let signatureCount = 114

        /// Returns the 57-byte public key that belongs to the 57-byte `seed`.
        ///
        /// Throws `crypto.invalid-key` when the seed is not 57 bytes.
        public static func publicKey(for seed: Secret) throws(CryptoError) -> [UInt8] {
            try check(seed)
            return try CryptoError.require(
                OpenSSLBackEnd.ed448PublicKey(seed), "the public key could not be computed")
        }

        /// Returns the 114-byte signature of `message`; the same message and seed always give the same one.
        ///
        /// Throws `crypto.invalid-key` when the seed is not 57 bytes.
        public static func sign(_ message: some Collection<UInt8>, seed: Secret) throws(CryptoError) -> [UInt8] {
            try check(seed)
            return try CryptoError.require(
                OpenSSLBackEnd.ed448Sign(message, seed), "the signature could not be computed")
        }

        /// Returns true when `signature` was made over `message` by the owner of `publicKey`.
        ///
        /// False also for wrong lengths and a scalar that is not reduced.
        public static func verify(
            signature: [UInt8], message: some Collection<UInt8>, publicKey: [UInt8]
        ) -> Bool {
            guard signature.count == signatureCount, publicKey.count == keyCount else { return false }
            return OpenSSLBackEnd.ed448Verify(signature, message, publicKey)
        }

        private static func check(_ seed: Secret) throws(CryptoError) {
            guard seed.count == keyCount else {
                throw CryptoError(.invalidKey, "an Ed448 seed has \(keyCount) bytes, not \(seed.count)")
            }
        }
    }
#endif
