#if DEBIAN_LIBRARIES
    extension CertificateTemplate.SigningKey {
        /// Reads a private key in DER: a PrivateKeyInfo (PKCS #8, RFC 5958) or an ECPrivateKey (RFC 5915).
        ///
        /// Keys of ECDSA, Ed25519 and Ed448 are read. Throws `crypto.malformed-certificate` for other bytes, and
        /// `crypto.invalid-key` for a key of another algorithm, on another curve, or of another length. The caller
        /// wipes `der`.
        public init(privateKey der: [UInt8]) throws(CryptoError) {
            let parts = try DERErrorConversion.read("private key", der) { (reader) throws(DERReader.Fault) in
                var information = try reader.readSequence()
                return try PrivateKeyParts(&information)
            }
            let secret = Secret(copying: parts.secret)
            switch parts.algorithm {
            case KnownObjectIdentifiers.ecPublicKey:
                guard let curve = ECDSA.Curve.allCases.first(where: { $0.objectIdentifier == parts.curve }) else {
                    throw CryptoError(.invalidKey, "the curve of the private key is not supported")
                }
                self = .ecdsa(try ECDSA.PrivateKey(curve: curve, scalar: secret))
            case KnownObjectIdentifiers.ed25519 where secret.count == Ed25519.keyCount: self = .ed25519(secret)
            case KnownObjectIdentifiers.ed448 where secret.count == Ed448.keyCount: self = .ed448(secret)
            default: throw CryptoError(.invalidKey, "the private key is none of ECDSA, Ed25519 or Ed448")
            }
        }

        /// Returns the PrivateKeyInfo (PKCS #8, RFC 5958) in DER.
        ///
        /// Throws `crypto.invalid-key` for RSA. The caller wipes the bytes.
        public func privateKeyInfo() throws(CryptoError) -> [UInt8] {
            let version = DERWriter.integer(0)
            switch self {
            case .ecdsa(let key):
                let inner = DERWriter.sequence(
                    DERWriter.integer(1), DERWriter.octetString(key.scalar.copyBytes()),
                    DERWriter.element(DERTag.context(1), DERWriter.byteString(key.publicKey.x963)))
                let algorithm = DERWriter.sequence(
                    DERWriter.identifier(KnownObjectIdentifiers.ecPublicKey),
                    DERWriter.identifier(key.publicKey.curve.objectIdentifier))
                return DERWriter.sequence(version, algorithm, DERWriter.octetString(inner))
            case .ed25519(let seed), .ed448(let seed):
                return DERWriter.sequence(
                    version, algorithm, DERWriter.octetString(DERWriter.octetString(seed.copyBytes())))
            case .rsa: throw CryptoError(.invalidKey, "private keys of RSA are not written")
            }
        }
    }

    /// The parts of a private key in DER that make the key.
    private struct PrivateKeyParts {
        let algorithm: ASN1Identifier
        let curve: ASN1Identifier?
        let secret: ArraySlice<UInt8>

        /// Reads the content of a PrivateKeyInfo or of an ECPrivateKey, which its version tells apart.
        init(_ information: inout DERReader) throws(DERReader.Fault) {
            let version = try information.readSmallInteger()
            guard information.isNext(DERTag.sequence) else {
                guard version == 1 else { throw information.fault("a key has a version that is not known") }
                (secret, curve) = try Self.ellipticCurve(&information)
                algorithm = KnownObjectIdentifiers.ecPublicKey
                return
            }
            guard version <= 1 else { throw information.fault("a key has a version that is not known") }
            var identifiers = try information.readSequence()
            algorithm = try identifiers.readIdentifier()
            var inner = DERReader(try information.read(DERTag.octetString).content)
            // Attributes and a public key may follow.
            while !information.isAtEnd { _ = try information.readElement() }
            guard algorithm == KnownObjectIdentifiers.ecPublicKey else {
                let isEdwards = [KnownObjectIdentifiers.ed25519, KnownObjectIdentifiers.ed448].contains(algorithm)
                secret = isEdwards ? try inner.read(DERTag.octetString).content : []
                curve = nil
                return
            }
            curve =
                identifiers.isNext(DERTag.objectIdentifier) ? try identifiers.readIdentifier() : nil
            var key = try inner.readSequence()
            guard try key.readSmallInteger() == 1 else { throw key.fault("a key has a version that is not known") }
            secret = try Self.ellipticCurve(&key).secret
            try inner.finish()
        }

        /// Reads the content of an ECPrivateKey behind its version.
        private static func ellipticCurve(
            _ reader: inout DERReader
        ) throws(DERReader.Fault) -> (secret: ArraySlice<UInt8>, curve: ASN1Identifier?) {
            let secret = try reader.read(DERTag.octetString).content
            var curve: ASN1Identifier?
            if reader.isNext(DERTag.context(0)) {
                var parameters = try reader.readSequence(DERTag.context(0))
                curve = parameters.isNext(DERTag.objectIdentifier) ? try parameters.readIdentifier() : nil
            }
            _ = try reader.readIfPresent(DERTag.context(1))
            try reader.finish()
            return (secret, curve)
        }
    }

    extension CertificateTemplate {
        /// Returns a request for a certificate (PKCS #10, RFC 2986) in DER, which asks for `extensions`.
        ///
        /// Throws the errors of signing.
        public static func request(
            for subject: [NamePart], extensions: [Extension], by key: SigningKey
        ) throws(CryptoError) -> [UInt8] {
            let attribute = DERWriter.sequence(
                DERWriter.identifier(KnownObjectIdentifiers.extensionRequest),
                DERWriter.element(DERTag.set, DERWriter.sequence(of: extensions.map(\.der))))
            let information = DERWriter.sequence(
                DERWriter.integer(0), name(subject), try key.subjectPublicKeyInfo(),
                DERWriter.element(DERTag.context(0), attribute))
            return DERWriter.sequence(
                information, key.algorithm, DERWriter.byteString(try key.sign(information)))
        }
    }
#endif
