#if DEBIAN_LIBRARIES
    /// The public key of a certificate, or of a PEM text with `PUBLIC KEY`.
    public enum SubjectPublicKey: Hashable, Sendable {
        /// An ECDSA key: a point of a named curve.
        case ecdsa(ECDSA.PublicKey)
        /// An Ed25519 key, 32 bytes.
        case ed25519([UInt8])
        /// An Ed448 key, 57 bytes.
        case ed448([UInt8])
        /// An RSA key of 2048 to 8192 bits.
        case rsa(RSA.PublicKey)
        /// A key that is not supported, by its algorithm, its curve or its size.
        ///
        /// Another algorithm, another curve or one that is written out in numbers, or an RSA key that is too short, too
        /// long or even.
        case unsupported(ASN1Identifier)

        /// Reads a SubjectPublicKeyInfo in DER (RFC 5280, section 4.1.2.7), to the last byte.
        ///
        /// Throws `crypto.malformed-certificate` for other bytes and `crypto.invalid-point` for a point that is not on
        /// its curve.
        public init(der: [UInt8]) throws(CryptoError) {
            self = try DERErrorConversion.read("public key", der) { (reader) throws(DERReader.Fault) in
                var information = try reader.readSequence()
                return try SubjectPublicKeyReader(&information)
            }.key()
        }
    }

    /// Reads the parts of a SubjectPublicKeyInfo.
    struct SubjectPublicKeyReader {
        let algorithm: ASN1Identifier
        let curve: ASN1Identifier?
        let bytes: ArraySlice<UInt8>
        private let rsa: (modulus: [UInt8], exponent: [UInt8])?

        /// Reads the content of a SubjectPublicKeyInfo.
        init(_ information: inout DERReader) throws(DERReader.Fault) {
            var algorithmReader = try information.readSequence()
            algorithm = try algorithmReader.readIdentifier()
            bytes = try information.readByteString()
            try information.finish()
            switch algorithm {
            case KnownObjectIdentifiers.ecPublicKey:
                let parameters = algorithmReader
                let element = try algorithmReader.readElement()
                var named = parameters
                curve = element.tag == DERTag.objectIdentifier ? try named.readIdentifier() : nil
                rsa = nil
                try algorithmReader.finish()
            case KnownObjectIdentifiers.rsaEncryption:
                guard try algorithmReader.read(DERTag.null).content.isEmpty else {
                    throw algorithmReader.fault("a null has content")
                }
                try algorithmReader.finish()
                curve = nil
                var reader = DERReader(bytes)
                var numbers = try reader.readSequence()
                try reader.finish()
                rsa = (Array(try numbers.readUnsignedInteger()), Array(try numbers.readUnsignedInteger()))
                try numbers.finish()
            case KnownObjectIdentifiers.ed25519:
                curve = nil
                rsa = nil
                try algorithmReader.finish()
                guard bytes.count == Ed25519.keyCount else { throw information.fault("an Ed25519 key has 32 bytes") }
            case KnownObjectIdentifiers.ed448:
                curve = nil
                rsa = nil
                try algorithmReader.finish()
                guard bytes.count == Ed448.keyCount else { throw information.fault("an Ed448 key has 57 bytes") }
            default: (curve, rsa) = (nil, nil)
            }
        }

        private static let curves = Dictionary(
            uniqueKeysWithValues: ECDSA.Curve.allCases.map { ($0.objectIdentifier, $0) })

        /// Returns the public key; throws `crypto.invalid-point` for a point that is not on its curve.
        func key() throws(CryptoError) -> SubjectPublicKey {
            if let curve = curve.flatMap({ Self.curves[$0] }) {
                return .ecdsa(try ECDSA.PublicKey(curve: curve, x963: Array(bytes)))
            }
            if let rsa, let key = try? RSA.PublicKey(modulus: rsa.modulus, exponent: rsa.exponent) { return .rsa(key) }
            return switch algorithm {
            case KnownObjectIdentifiers.ed25519: .ed25519(Array(bytes))
            case KnownObjectIdentifiers.ed448: .ed448(Array(bytes))
            default: .unsupported(algorithm)
            }
        }
    }

    extension ECDSA.Curve {
        /// The identifier of the curve in certificates.
        var objectIdentifier: ASN1Identifier {
            switch self {
            case .p256: KnownObjectIdentifiers.p256
            case .p384: KnownObjectIdentifiers.p384
            case .p521: KnownObjectIdentifiers.p521
            case .secp256k1: KnownObjectIdentifiers.secp256k1
            case .brainpoolP256r1: KnownObjectIdentifiers.brainpoolP256r1
            case .brainpoolP320r1: KnownObjectIdentifiers.brainpoolP320r1
            case .brainpoolP384r1: KnownObjectIdentifiers.brainpoolP384r1
            case .brainpoolP512r1: KnownObjectIdentifiers.brainpoolP512r1
            }
        }
    }

    /// Converts faults of DER in certificates and keys into `CryptoError`.
    enum DERErrorConversion {
        /// The most bytes of a certificate or a public key.
        static let maximumCount = 1 << 16

        /// Reads all of `bytes`; `what` names them in the reason of an error.
        static func read<Value>(
            _ what: String, _ bytes: [UInt8], limit: Int = maximumCount,
            _ body: (inout DERReader) throws(DERReader.Fault) -> Value
        ) throws(CryptoError) -> Value {
            guard bytes.count <= limit else {
                throw CryptoError(.certificateTooLarge, "a \(what) has \(bytes.count) bytes, more than \(limit)")
            }
            do throws(DERReader.Fault) {
                var reader = DERReader(bytes[...])
                let value = try body(&reader)
                try reader.finish()
                return value
            } catch {
                throw CryptoError(.malformedCertificate, "a \(what): \(error.reason), at byte \(error.offset)")
            }
        }
    }
#endif
