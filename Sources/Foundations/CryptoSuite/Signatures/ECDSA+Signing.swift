#if DEBIAN_LIBRARIES
    public import Determinism

    extension ECDSA {
        /// A private key of ECDSA or ECDH: a scalar with its public key.
        public struct PrivateKey: Sendable {
            /// The scalar, as long as a coordinate, in big-endian order.
            public let scalar: Secret

            /// The public key that belongs to the private key.
            public let publicKey: PublicKey

            /// Makes a private key of a scalar in big-endian order, as long as a coordinate of the curve.
            ///
            /// Throws `crypto.invalid-key` for another length, 0, and a scalar that is not below the order.
            public init(curve: Curve, scalar: Secret) throws(CryptoError) {
                let isInRange = unsafe scalar.withBytes { unsafe ECDSASignatureCoding.isScalar($0, below: curve.order) }
                guard isInRange, let point = OpenSSLBackEnd.multiplyGenerator(curve, by: scalar) else {
                    throw CryptoError(.invalidKey, "the scalar is not one of the curve's")
                }
                self.scalar = scalar
                publicKey = try PublicKey(curve: curve, x963: point)
            }

            /// Makes a private key from random bytes; the same bytes always give the same key.
            public static func make(_ curve: Curve, from random: inout some RandomSource) throws(CryptoError) -> Self {
                // Nearly half of the draws are too large on the worst curve, brainpoolP384r1. P-521 takes the lowest
                // bit of its first byte alone.
                for _ in 0..<128 {
                    var bytes = random.bytes(count: curve.coordinateCount)
                    if curve == .p521 { bytes[0] &= 1 }
                    if ECDSASignatureCoding.isScalar(bytes, below: curve.order) {
                        return try Self(curve: curve, scalar: Secret(consuming: &bytes))
                    }
                }
                throw CryptoError(.internal, "the random source gives no scalar of the curve")
            }

            /// Returns the signature r ‖ s of `message`, with the nonce of RFC 6979.
            ///
            /// The same message, hash and key always give the same signature.
            ///
            /// The derivation of the nonce leaves bytes behind in memory that is not wiped, unlike the scalar's own.
            public func sign(_ message: some Collection<UInt8>, hash: SHA2) throws(CryptoError) -> [UInt8] {
                let curve = publicKey.curve
                var nonces = DeterministicNonce(curve: curve, scalar: scalar, digest: hash.hash(message), hash: hash)
                let order = curve.order
                while let nonce = nonces.next() {
                    guard let point = OpenSSLBackEnd.multiplyGenerator(curve, by: nonce) else { continue }
                    let x = Array(point[1...curve.coordinateCount])
                    guard let r = OpenSSLBackEnd.remainder(of: x, by: order), r.contains(where: { $0 != 0 }),
                        let s = OpenSSLBackEnd.ecdsaSecondHalf(
                            curve, digest: nonces.reducedDigest, firstHalf: r, scalar: scalar, nonce: nonce)
                    else { continue }
                    return r + s
                }
                throw CryptoError(.internal, "no nonce gives a signature")
            }

            /// Returns the signature in DER, as X.509 has it.
            public func signDER(_ message: some Collection<UInt8>, hash: SHA2) throws(CryptoError) -> [UInt8] {
                try CryptoError.require(
                    ECDSASignatureCoding.derEncoding(of: sign(message, hash: hash), curve: publicKey.curve),
                    "the signature has no DER form")
            }
        }
    }

    /// The nonces that RFC 6979, section 3.2, derives from a private key and a digest.
    private struct DeterministicNonce {
        /// The digest shortened to the length of the order and reduced modulo the order, as long as a coordinate.
        let reducedDigest: [UInt8]

        private let curve: ECDSA.Curve
        private let hash: SHA2
        private var key: [UInt8]
        private var value: [UInt8]
        private var attemptCount = 0

        init(curve: ECDSA.Curve, scalar: Secret, digest: [UInt8], hash: SHA2) {
            self.curve = curve
            self.hash = hash
            reducedDigest = Self.reduce(Self.leftmostBits(of: digest, curve), curve)
            key = [UInt8](repeating: 0, count: hash.digestCount)
            value = [UInt8](repeating: 1, count: hash.digestCount)
            let seed = scalar.copyBytes() + reducedDigest
            for separator: UInt8 in [0, 1] {
                key = mac(value + [separator] + seed)
                value = mac(value)
            }
        }

        /// Returns the next nonce; nil after too many refused ones, which means a fault of the key or the library.
        mutating func next() -> Secret? {
            while attemptCount < 64 {
                if attemptCount > 0 {
                    key = mac(value + [0])
                    value = mac(value)
                }
                attemptCount += 1
                var bytes: [UInt8] = []
                while bytes.count < curve.coordinateCount {
                    value = mac(value)
                    bytes += value
                }
                var candidate = Self.leftmostBits(of: bytes, curve)
                if ECDSASignatureCoding.isScalar(candidate, below: curve.order) { return Secret(consuming: &candidate) }
            }
            return nil
        }

        /// Returns as many leftmost bits of `bytes` as the order has, as a number as long as a coordinate.
        private static func leftmostBits(of bytes: [UInt8], _ curve: ECDSA.Curve) -> [UInt8] {
            let count = curve.coordinateCount
            if bytes.count < count { return [UInt8](repeating: 0, count: count - bytes.count) + bytes }
            let cut = Array(bytes[..<count])
            guard curve == .p521 else { return cut }
            // 521 of 528 bits: shifted right by 7.
            return cut.indices.map { index in
                (index > 0 ? cut[index - 1] << 1 : 0) | (cut[index] >> 7)
            }
        }

        private static func reduce(_ number: [UInt8], _ curve: ECDSA.Curve) -> [UInt8] {
            OpenSSLBackEnd.remainder(of: number, by: curve.order) ?? number
        }

        /// Computes the HMAC by the hash (RFC 2104); the key is as long as a digest.
        private func mac(_ message: [UInt8]) -> [UInt8] {
            let blockCount = hash == .sha256 ? 64 : 128
            let padded = key + [UInt8](repeating: 0, count: blockCount - key.count)
            return hash.hash(padded.map { $0 ^ 0x5c } + hash.hash(padded.map { $0 ^ 0x36 } + message))
        }
    }
#endif
