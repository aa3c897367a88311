#if DEBIAN_LIBRARIES
    public import Determinism

    extension RSA {
        /// An RSA private key: a modulus with both exponents.
        public struct PrivateKey: Sendable {
            /// The public key that belongs to the private key.
            public let publicKey: PublicKey

            /// The private exponent, in big-endian order.
            public let privateExponent: Secret

            /// Makes a private key of `n`, `e` and `d` of a JWK (RFC 7518, section 6.3), in big-endian order.
            ///
            /// Throws what the public key throws, and `crypto.invalid-key` when the two exponents do not belong
            /// together.
            public init(modulus: [UInt8], exponent: [UInt8], privateExponent: Secret) throws(CryptoError) {
                publicKey = try PublicKey(modulus: modulus, exponent: exponent)
                self.privateExponent = privateExponent
                let probe = [UInt8](repeating: 0, count: modulus.count - 1) + [2]
                guard let power = OpenSSLBackEnd.power(probe, privateExponent, modulus: modulus),
                    OpenSSLBackEnd.power(power, Secret(copying: exponent), modulus: modulus) == probe
                else { throw CryptoError(.invalidKey, "the two exponents do not belong together") }
            }

            /// Makes an RSA key with the exponent 65537; the same random bytes always give the same key.
            ///
            /// - Parameter bitCount: 2048…8192, a multiple of 16, else `crypto.invalid-length`. 2048 bits take less
            ///   than a second.
            public static func make(
                bitCount: Int, from random: inout some RandomSource
            ) throws(CryptoError) -> Self {
                guard modulusBitCounts.contains(bitCount), bitCount.isMultiple(of: 16) else {
                    throw CryptoError(.invalidLength, "no RSA key of \(bitCount) bits is made")
                }
                for _ in 0..<16 {
                    let first = try prime(count: bitCount / 16, from: &random)
                    let second = try prime(count: bitCount / 16, from: &random)
                    let exponent: [UInt8] = [1, 0, 1]
                    guard first != second,
                        let parts = OpenSSLBackEnd.rsaKeyParts(first, second, exponent: exponent)
                    else { continue }
                    return try Self(modulus: parts.modulus, exponent: exponent, privateExponent: parts.privateExponent)
                }
                throw CryptoError(.internal, "the random source gives no two primes")
            }

            /// Returns the signature of `message` by PKCS#1 version 1.5.
            public func signPKCS1(_ message: some Collection<UInt8>, hash: SHA2) throws(CryptoError) -> [UInt8] {
                let encoded = RSAEncoding.pkcs1(digest: hash.hash(message), hash: hash, count: publicKey.signatureCount)
                return try sign(encoded: encoded)
            }

            /// Returns the signature of `message` by PSS with the given salt, whose length is usually that of a digest.
            ///
            /// Throws `crypto.invalid-length` for a salt that the modulus has no room for.
            public func signPSS(
                _ message: some Collection<UInt8>, hash: SHA2, salt: [UInt8]
            ) throws(CryptoError) -> [UInt8] {
                let bitCount = 8 * publicKey.modulus.count - (publicKey.modulus.first ?? 0).leadingZeroBitCount
                guard
                    let encoded = RSAEncoding.pss(
                        digest: hash.hash(message), salt: salt, bitCount: bitCount - 1, hash: hash.hash, mask: hash.hash
                    )
                else { throw CryptoError(.invalidLength, "a salt of \(salt.count) bytes is too long for the modulus") }
                return try sign(encoded: encoded)
            }

            /// Signs a message that is padded already, so that tests can make padding that a verifier must refuse.
            ///
            /// Throws `crypto.invalid-length` when the number is longer than the modulus.
            public func sign(encoded: [UInt8]) throws(CryptoError) -> [UInt8] {
                guard encoded.count <= publicKey.signatureCount else {
                    throw CryptoError(.invalidLength, "the padded message is longer than the modulus")
                }
                return try CryptoError.require(
                    OpenSSLBackEnd.power(encoded, privateExponent, modulus: publicKey.modulus),
                    "the signature could not be computed")
            }

            /// Returns a prime of `count` bytes whose two highest bits are set, so that a product has twice its length.
            private static func prime(count: Int, from random: inout some RandomSource) throws(CryptoError) -> Secret {
                // One odd number in about 350 of 1024 bits is prime, one in 1,400 of 4096.
                for _ in 0..<100_000 {
                    var bytes = random.bytes(count: count)
                    bytes[0] |= 0xc0
                    bytes[count - 1] |= 1
                    let candidate = Secret(consuming: &bytes)
                    if OpenSSLBackEnd.isPrime(candidate) { return candidate }
                }
                throw CryptoError(.internal, "the random source gives no prime")
            }
        }
    }

    /// Encodes and pads digests for RSA signatures (RFC 8017, section 9).
    public enum RSAEncoding {
        /// Encodes a digest by EMSA-PKCS1-v1_5: 00 01 FF… 00 ‖ DigestInfo, `count` bytes long.
        public static func pkcs1(digest: [UInt8], hash: SHA2, count: Int) -> [UInt8] {
            let arc: UInt8 =
                switch hash {
                case .sha256: 1
                case .sha384: 2
                case .sha512: 3
                }
            let algorithm: [UInt8] = [0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, arc, 5, 0]
            let information =
                [0x30, UInt8(algorithm.count + 2 + digest.count)] + algorithm + [4, UInt8(digest.count)] + digest
            let padding = [UInt8](repeating: 0xff, count: max(8, count - 3 - information.count))
            return [0, 1] + padding + [0] + information
        }

        /// Encodes a digest by EMSA-PSS with this salt for a modulus of `bitCount` + 1 bits; nil when there is no room.
        ///
        /// `hash` makes the inner digest and `mask` the mask of MGF1; both are the same function unless a test wants a
        /// padding that must be refused.
        public static func pss(
            digest: [UInt8], salt: [UInt8], bitCount: Int, hash: ([UInt8]) -> [UInt8], mask: ([UInt8]) -> [UInt8]
        ) -> [UInt8]? {
            let count = (bitCount + 7) / 8
            let inner = hash([UInt8](repeating: 0, count: 8) + digest + salt)
            guard count >= inner.count + salt.count + 2 else { return nil }
            let maskedCount = count - inner.count - 1
            let block = [UInt8](repeating: 0, count: maskedCount - salt.count - 1) + [1] + salt
            var masked = zip(block, generateMask(from: inner, count: maskedCount, hash: mask)).map { $0 ^ $1 }
            masked[0] &= 0xff >> UInt8(8 * count - bitCount)
            return masked + inner + [0xbc]
        }

        /// Generates a mask with MGF1 (RFC 8017, annex B.2.1).
        private static func generateMask(from seed: [UInt8], count: Int, hash: ([UInt8]) -> [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = []
            var counter: UInt32 = 0
            while bytes.count < count {
                bytes += hash(seed + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) })
                counter += 1
            }
            return Array(bytes[..<count])
        }
    }
#endif
