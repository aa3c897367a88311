#if DEBIAN_LIBRARIES
    public import Determinism

    /// Authenticated encryption between two X25519 keys: XSalsa20-Poly1305 under their agreement (NaCl `crypto_box`).
    ///
    /// Nonces have 24 bytes; a box is the 16-byte tag, then the ciphertext. Either side can make what the other side
    /// can open, so a box convinces its recipient alone.
    public enum CryptoBox {
        /// The length of a nonce.
        public static let nonceCount = 24

        /// The length of the authentication tag that precedes the ciphertext.
        public static let tagCount = AEADLayout.tagCount

        /// Returns the 32-byte key that both sides compute: HSalsa20 of their X25519 secret.
        ///
        /// It serves for any number of boxes in both directions. Throws `crypto.invalid-key` when a key is not 32 bytes
        /// and `crypto.low-order-point` for a public key that gives the same secret to every key.
        public static func sharedKey(publicKey: [UInt8], privateKey: Secret) throws(CryptoError) -> Secret {
            guard publicKey.count == X25519.keyCount, privateKey.count == X25519.keyCount else {
                throw CryptoError(.invalidKey, "an X25519 key has \(X25519.keyCount) bytes")
            }
            guard let key = BackEnd.cryptoBoxSharedKey(publicKey, privateKey) else {
                throw CryptoError(.lowOrderPoint, "the public key is of low order")
            }
            return key
        }

        /// Encrypts `plaintext` under a shared key: the tag, then ciphertext of the same length.
        ///
        /// Throws `crypto.invalid-key` unless the key has 32 bytes, `crypto.invalid-length` for another nonce or a
        /// message that is too long.
        public static func seal(
            _ plaintext: some Collection<UInt8>, nonce: [UInt8], sharedKey: Secret
        ) throws(CryptoError) -> [UInt8] {
            try cipher.seal(plaintext, key: sharedKey, nonce: nonce)
        }

        /// Decrypts a box that `seal` made with the same nonce and shared key.
        ///
        /// Throws `crypto.authentication-failed` when any bit of tag, message, nonce or key differs, and as `seal` does
        /// for lengths; fewer bytes than a tag are `crypto.invalid-length`.
        public static func open(
            _ sealed: some Collection<UInt8>, nonce: [UInt8], sharedKey: Secret
        ) throws(CryptoError) -> [UInt8] {
            try cipher.open(sealed, key: sharedKey, nonce: nonce)
        }

        private static let cipher = unsafe AuthenticatedCipher(
            keyCounts: [32], nonceCount: nonceCount,
            sealing: { plaintext, key, nonce, _ in unsafe BackEnd.cryptoBoxSeal(plaintext, nonce: nonce, key: key) },
            opening: { sealed, key, nonce, _ in unsafe BackEnd.cryptoBoxOpen(sealed, nonce: nonce, key: key) })
    }

    /// Encryption to an X25519 key by an anonymous sender (libsodium `crypto_box_seal`).
    ///
    /// A sealed box is an ephemeral public key of 32 bytes, then a `CryptoBox` from that key, whose nonce is the
    /// 24-byte BLAKE2b digest of both public keys. It tells nothing about who made it.
    public enum SealedBox {
        /// The number of bytes by which a sealed box is longer than its plaintext.
        public static let overheadCount = X25519.keyCount + CryptoBox.tagCount

        /// Encrypts `plaintext` to `publicKey` with a fresh ephemeral key, which is forgotten afterwards.
        ///
        /// Throws `crypto.invalid-key` when the public key is not 32 bytes, `crypto.low-order-point` when it gives the
        /// same secret to every key, `crypto.invalid-length` for a message that is too long.
        public static func seal(
            _ plaintext: some Collection<UInt8>, to publicKey: [UInt8], random: inout some RandomSource
        ) throws(CryptoError) -> [UInt8] {
            try seal(plaintext, to: publicKey, ephemeralKey: X25519.makePrivateKey(from: &random))
        }

        /// Seals with the given ephemeral private key, which must never be used twice.
        public static func seal(
            _ plaintext: some Collection<UInt8>, to publicKey: [UInt8], ephemeralKey: Secret
        ) throws(CryptoError) -> [UInt8] {
            let ephemeral = try X25519.publicKey(for: ephemeralKey)
            let key = try CryptoBox.sharedKey(publicKey: publicKey, privateKey: ephemeralKey)
            let nonce = try nonce(ephemeral, publicKey)
            return ephemeral + (try CryptoBox.seal(plaintext, nonce: nonce, sharedKey: key))
        }

        /// Decrypts a sealed box that `seal` made for this pair of keys.
        ///
        /// Throws `crypto.authentication-failed` when any bit differs or the box is for another key,
        /// `crypto.invalid-length` for fewer than 48 bytes, `crypto.low-order-point` when its ephemeral key is of low
        /// order, `crypto.invalid-key` when a key is not 32 bytes.
        public static func open(
            _ sealed: some Collection<UInt8>, publicKey: [UInt8], privateKey: Secret
        ) throws(CryptoError) -> [UInt8] {
            guard sealed.count >= overheadCount else {
                throw CryptoError(.invalidLength, "a sealed box has at least \(overheadCount) bytes")
            }
            let ephemeral = Array(sealed.prefix(X25519.keyCount))
            let key = try CryptoBox.sharedKey(publicKey: ephemeral, privateKey: privateKey)
            let nonce = try nonce(ephemeral, publicKey)
            return try CryptoBox.open(sealed.dropFirst(X25519.keyCount), nonce: nonce, sharedKey: key)
        }

        private static func nonce(_ ephemeral: [UInt8], _ publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
            try Blake2b.hash(ephemeral + publicKey, count: CryptoBox.nonceCount)
        }
    }

    extension Ed25519 {
        /// Returns the 32-byte X25519 key of the same point, for agreement with the owner of a signing key.
        ///
        /// Throws `crypto.invalid-key` unless `publicKey` has 32 bytes, and `crypto.invalid-point` for what no honest
        /// signer publishes: points of small order or outside the large group, and coordinates that are not reduced.
        public static func x25519PublicKey(for publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
            guard publicKey.count == keyCount else {
                throw CryptoError(.invalidKey, "an Ed25519 public key has \(keyCount) bytes, not \(publicKey.count)")
            }
            guard let converted = BackEnd.x25519PublicKey(fromEd25519: publicKey) else {
                throw CryptoError(.invalidPoint, "the signing key is not a point of the large group")
            }
            return converted
        }

        /// Returns the 32-byte X25519 private key that belongs to the converted public key of `seed`: its clamped hash.
        ///
        /// Throws `crypto.invalid-key` when the seed is not 32 bytes.
        public static func x25519PrivateKey(for seed: Secret) throws(CryptoError) -> Secret {
            guard seed.count == keyCount else {
                throw CryptoError(.invalidKey, "an Ed25519 seed has \(keyCount) bytes, not \(seed.count)")
            }
            return try CryptoError.require(
                BackEnd.x25519PrivateKey(fromEd25519: seed), "the private key could not be computed")
        }
    }
#endif
