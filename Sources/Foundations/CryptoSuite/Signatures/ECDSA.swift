#if DEBIAN_LIBRARIES
    /// Signatures on curves in short Weierstrass form (FIPS 186-5, SEC 1; RFC 8812 for secp256k1; RFC 5639).
    ///
    /// A signature is r, then s, each in big-endian order and as long as a coordinate (IEEE P1363, as JOSE and COSE
    /// have it); only X.509 has the DER form, which `verify(signature:…)` refuses.
    public enum ECDSA {
        /// An elliptic curve; each has the cofactor 1.
        public enum Curve: Hashable, Sendable, CaseIterable {
            /// P-256 (secp256r1).
            case p256
            /// P-384 (secp384r1).
            case p384
            /// P-521 (secp521r1).
            case p521
            /// secp256k1 (SEC 2, section 2.4.1).
            case secp256k1
            /// brainpoolP256r1 (RFC 5639, section 3.4).
            case brainpoolP256r1
            /// brainpoolP320r1 (RFC 5639, section 3.5).
            case brainpoolP320r1
            /// brainpoolP384r1 (RFC 5639, section 3.6).
            case brainpoolP384r1
            /// brainpoolP512r1 (RFC 5639, section 3.7).
            case brainpoolP512r1

            /// The length of a coordinate, of a scalar and of each half of a signature: 32, 40, 48, 64 or 66 bytes.
            public var coordinateCount: Int {
                switch self {
                case .p256, .secp256k1, .brainpoolP256r1: 32
                case .brainpoolP320r1: 40
                case .p384, .brainpoolP384r1: 48
                case .brainpoolP512r1: 64
                case .p521: 66
                }
            }

            /// The hash that the curve is used with in certificates and COSE (RFC 9053, section 2.1; ISO/IEC 18013-5,
            /// clause 9.1.2.4): as long as a coordinate, or the next shorter one.
            public var hash: SHA2 {
                switch self {
                case .p256, .secp256k1, .brainpoolP256r1: .sha256
                case .p384, .brainpoolP320r1, .brainpoolP384r1: .sha384
                case .p521, .brainpoolP512r1: .sha512
                }
            }

            /// The length of an ECDSA signature: twice that of a coordinate.
            public var signatureCount: Int { 2 * coordinateCount }

            /// The order of the curve's group, in big-endian order, as long as a coordinate.
            var order: [UInt8] {
                guard let order = Self.orders[self] else { preconditionFailure("the library has no such curve") }
                return order
            }

            private static let orders = Dictionary(
                uniqueKeysWithValues: allCases.compactMap { curve in
                    OpenSSLBackEnd.order(of: curve).map { (curve, $0) }
                })
        }

        /// A public key of ECDSA or ECDH: a point of a curve.
        ///
        /// It holds the form that the library works with, so that a second check costs no second reading.
        public struct PublicKey: Sendable {
            /// The curve that the point lies on.
            public let curve: Curve

            /// The point's first coordinate, in big-endian order.
            public let x: [UInt8]

            /// The point's second coordinate, in big-endian order; that of a compressed point is computed each time.
            public var y: [UInt8] { given ?? OpenSSLBackEnd.secondCoordinate(of: key, count: curve.coordinateCount) }

            /// The second coordinate when the encoding contained it; nil for a compressed point.
            private let given: [UInt8]?

            /// True when `y` is odd; with `x` and the curve this identifies the point without computing `y`.
            fileprivate let isYOdd: Bool

            let key: OpenSSLBackEnd.Key

            /// Reads a point in an encoding of X9.63 and SEC 1, section 2.3.4: 04 ‖ x ‖ y, or 02 or 03 ‖ x.
            ///
            /// Throws `crypto.invalid-point` for another first byte (the hybrid forms 06 and 07 and infinity, 00,
            /// too), another length, a coordinate that is not below the prime, and a point off the curve.
            public init(curve: Curve, x963: [UInt8]) throws(CryptoError) {
                let count = curve.coordinateCount
                let expected = x963.first == 4 ? 1 + 2 * count : 1 + count
                guard let form = x963.first, 2...4 ~= form, x963.count == expected else {
                    throw CryptoError(.invalidPoint, "\(x963.count) bytes encode no point of the curve")
                }
                guard let key = OpenSSLBackEnd.ecPublicKey(curve, point: x963) else {
                    throw CryptoError(.invalidPoint, "the point does not lie on the curve")
                }
                self.curve = curve
                self.key = key
                if form == 4 {
                    x = Array(x963[1...count])
                    given = Array(x963[(1 + count)...])
                    isYOdd = x963[2 * count] & 1 == 1
                } else {
                    x = Array(x963[1...])
                    given = nil
                    isYOdd = form == 3
                }
            }

            /// The uncompressed encoding of the point: 04 ‖ x ‖ y.
            public var x963: [UInt8] { [4] + x + y }

            /// The compressed encoding of the point: 02, or 03 when y is odd, then x.
            public var compressed: [UInt8] { [isYOdd ? 3 : 2] + x }
        }

        /// Returns true when `signature` was made over `message` by the owner of `publicKey`.
        ///
        /// `hash` is what the message is hashed with; a digest longer than the order is cut to the order's length.
        /// False also for a signature of another length than `curve.signatureCount`, and when r or s is 0 or not below
        /// the order. Both values of s pass (RFC 8812 does not ask for the low one), so two signatures of one message
        /// may be valid.
        public static func verify(
            signature: [UInt8], message: some Collection<UInt8>, publicKey: PublicKey, hash: SHA2
        ) -> Bool {
            guard let encoded = ECDSASignatureCoding.derEncoding(of: signature, curve: publicKey.curve) else {
                return false
            }
            return OpenSSLBackEnd.verify(encoded, message, publicKey.key, hash, .none)
        }

        /// Returns true when `derSignature` was made over `message` by the owner of `publicKey`.
        ///
        /// X.509 and CRLs carry signatures in this DER form (RFC 3279, section 2.2.3).
        ///
        /// Only the one DER encoding of two numbers from 1 up to, not including, the order is taken.
        public static func verify(
            derSignature: [UInt8], message: some Collection<UInt8>, publicKey: PublicKey, hash: SHA2
        ) -> Bool {
            guard let halves = ECDSASignatureCoding.halves(inDER: derSignature, curve: publicKey.curve) else {
                return false
            }
            return verify(signature: halves, message: message, publicKey: publicKey, hash: hash)
        }
    }

    extension ECDSA.PublicKey: Hashable {
        /// Returns true when both are the same point of the same curve.
        public static func == (left: Self, right: Self) -> Bool {
            left.curve == right.curve && left.x == right.x && left.isYOdd == right.isYOdd
        }

        /// Hashes the curve, the first coordinate and whether the second is odd.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(curve)
            hasher.combine(x)
            hasher.combine(isYOdd)
        }
    }
#endif
