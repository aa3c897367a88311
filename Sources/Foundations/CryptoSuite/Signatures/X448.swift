#if DEBIAN_LIBRARIES
    public import Determinism

    /// Key agreement on Curve448.
    ///
    /// Keys are 56 bytes, little-endian as in RFC 7748; any 56 bytes are a private key, as clamping happens on use.
    public enum X448 {
        /// The length of private keys, public keys and shared secrets.
        public static let keyCount = 56

        /// Draws a private key of 56 bytes.
        public static func makePrivateKey(from random: inout some RandomSource) -> Secret {
            var bytes = random.bytes(count: keyCount)
            return Secret(consuming: &bytes)
        }

        /// Returns the 56-byte public key that belongs to `privateKey`.
        ///
        /// Throws `crypto.invalid-key` when the private key is not 56 bytes.
        public static func publicKey(for privateKey: Secret) throws(CryptoError) -> [UInt8] {
            try check(privateKey.count)
            return try CryptoError.require(
                OpenSSLBackEnd.x448PublicKey(privateKey), "the public key could not be computed")
        }

        /// Returns the 56-byte secret that both sides compute; it is input to a key derivation, never a key.
        ///
        /// Throws `crypto.invalid-key` when a key is not 56 bytes and `crypto.low-order-point` when the result is all
        /// zero (RFC 7748, section 6.2).
        public static func sharedSecret(privateKey: Secret, publicKey: [UInt8]) throws(CryptoError) -> Secret {
            try check(privateKey.count)
            try check(publicKey.count)
            guard let secret = OpenSSLBackEnd.x448SharedSecret(privateKey, publicKey) else {
                throw CryptoError(.lowOrderPoint, "the public key is of low order")
            }
            return secret
        }

        private static func check(_ count: Int) throws(CryptoError) {
            guard count == keyCount else {
                throw CryptoError(.invalidKey, "an X448 key has \(keyCount) bytes, not \(count)")
            }
        }
    }
#endif
