#if DEBIAN_LIBRARIES
    /// Key agreement on the curves of `ECDSA` (SP 800-56A, section 5.7.1.2).
    public enum ECDH {
        /// Returns the x coordinate of the agreed point, as long as one of the curve; only to derive keys from.
        ///
        /// Throws `crypto.invalid-key` when the keys are of two curves. A public key that exists lies on its curve, and
        /// the curves have no small groups, so that no public key gives the same secret to every key.
        public static func sharedSecret(
            privateKey: ECDSA.PrivateKey, publicKey: ECDSA.PublicKey
        ) throws(CryptoError) -> Secret {
            guard privateKey.publicKey.curve == publicKey.curve else {
                throw CryptoError(.invalidKey, "the two keys are of two curves")
            }
            return try CryptoError.require(
                OpenSSLBackEnd.ecdhSecret(publicKey.curve, scalar: privateKey.scalar, peer: publicKey.key),
                "the agreement could not be computed")
        }
    }
#endif
