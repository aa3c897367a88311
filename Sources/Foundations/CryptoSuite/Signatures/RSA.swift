#if DEBIAN_LIBRARIES
    /// Signatures by RSA (RFC 8017): PKCS#1 version 1.5, and PSS with MGF1 by the same hash.
    public enum RSA {
        /// The allowed sizes of an RSA modulus in bits.
        public static let modulusBitCounts = 2048...8192

        /// An RSA public key: a modulus and a public exponent.
        ///
        /// It holds the form that the library works with, so that a second check costs no second reading.
        public struct PublicKey: Sendable {
            /// The modulus, in big-endian order, without leading zeros.
            public let modulus: [UInt8]

            /// The public exponent, in big-endian order, without leading zeros.
            public let exponent: [UInt8]

            let key: OpenSSLBackEnd.Key

            /// Makes a public key of both numbers in big-endian order, as a JWK has them (RFC 7518, section 6.3.1).
            ///
            /// Throws `crypto.invalid-key` when a number begins with a zero byte or is even, when the modulus has fewer
            /// than 2048 or more than 8192 bits, and when the exponent is below 3 or has more than 8 bytes.
            public init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
                try RSA.check(modulus: modulus, exponent: exponent)
                self.modulus = modulus
                self.exponent = exponent
                key = try CryptoError.require(
                    OpenSSLBackEnd.rsaPublicKey(modulus: modulus, exponent: exponent), "the RSA key could not be made")
            }

            /// The number of bytes of the modulus and of each signature: 256…1024.
            public var signatureCount: Int { modulus.count }
        }

        /// Returns true when `signature` was made over `message` by PKCS#1 version 1.5 (RFC 8017, section 8.2.2).
        ///
        /// False also for a signature that is not exactly as long as the modulus; of the encodings of a digest only the
        /// one with NULL parameters passes.
        public static func verifyPKCS1(
            signature: [UInt8], message: some Collection<UInt8>, publicKey: PublicKey, hash: SHA2
        ) -> Bool {
            guard signature.count == publicKey.signatureCount else { return false }
            return OpenSSLBackEnd.verify(signature, message, publicKey.key, hash, .pkcs1)
        }

        /// Returns true when `signature` was made over `message` by PSS (RFC 8017, section 8.1.2).
        ///
        /// MGF1 has the same hash. False also for a signature that is not exactly as long as the modulus, and for a
        /// salt of another length than `saltCount`, which is that of a digest unless it is given.
        public static func verifyPSS(
            signature: [UInt8], message: some Collection<UInt8>, publicKey: PublicKey, hash: SHA2, saltCount: Int? = nil
        ) -> Bool {
            let saltCount = saltCount ?? hash.digestCount
            guard signature.count == publicKey.signatureCount, (0...publicKey.signatureCount).contains(saltCount) else {
                return false
            }
            return OpenSSLBackEnd.verify(signature, message, publicKey.key, hash, .pss(saltCount: saltCount))
        }

        static func check(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
            let bitCount = 8 * modulus.count - (modulus.first ?? 0).leadingZeroBitCount
            guard modulus.first ?? 0 != 0, modulusBitCounts.contains(bitCount), (modulus.last ?? 0) & 1 == 1 else {
                throw CryptoError(.invalidKey, "an RSA modulus is odd and has 2048…8192 bits, not \(bitCount)")
            }
            guard 1...8 ~= exponent.count, exponent.first ?? 0 != 0, (exponent.last ?? 0) & 1 == 1, exponent != [1]
            else {
                throw CryptoError(.invalidKey, "an RSA exponent is odd, at least 3, and has at most 8 bytes")
            }
        }
    }

    extension RSA.PublicKey: Hashable {
        /// Returns true when both have the same modulus and exponent.
        public static func == (left: Self, right: Self) -> Bool {
            left.modulus == right.modulus && left.exponent == right.exponent
        }

        /// Hashes the modulus and the exponent.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(modulus)
            hasher.combine(exponent)
        }
    }
#endif
