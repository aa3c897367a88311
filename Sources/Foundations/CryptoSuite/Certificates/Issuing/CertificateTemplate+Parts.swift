#if DEBIAN_LIBRARIES
    extension CertificateTemplate.Extension {
        /// Makes the extension with the subject's right to issue certificates, and the path length.
        public static func basicConstraints(
            isAuthority: Bool, pathLength: Int? = nil, isCritical: Bool = true
        ) -> Self {
            let fields = (isAuthority ? DERWriter.boolean(true) : []) + (pathLength.map { DERWriter.integer($0) } ?? [])
            return Self(
                KnownObjectIdentifiers.basicConstraints, isCritical: isCritical,
                value: DERWriter.element(DERTag.sequence, fields))
        }

        /// Makes the extension with the permitted uses of the key.
        public static func keyUsage(_ usage: KeyUsage, isCritical: Bool = true) -> Self {
            Self(KnownObjectIdentifiers.keyUsage, isCritical: isCritical, value: DERWriter.namedBits(usage.rawValue))
        }

        /// Makes the extension with the purposes of the key.
        public static func extendedKeyUsage(_ uses: [ASN1Identifier], isCritical: Bool = true) -> Self {
            Self(
                KnownObjectIdentifiers.extendedKeyUsage, isCritical: isCritical,
                value: DERWriter.sequence(of: uses.map { DERWriter.identifier($0) }))
        }

        /// Makes the extension with the identifier of the subject's key.
        public static func subjectKeyIdentifier(_ bytes: [UInt8]) -> Self {
            Self(KnownObjectIdentifiers.subjectKeyIdentifier, isCritical: false, value: DERWriter.octetString(bytes))
        }

        /// Makes the extension with the identifier of the issuer's key.
        public static func authorityKeyIdentifier(_ bytes: [UInt8]) -> Self {
            Self(
                KnownObjectIdentifiers.authorityKeyIdentifier, isCritical: false,
                value: DERWriter.sequence(DERWriter.element(DERTag.primitive(0), bytes)))
        }

        /// Makes the extension with the URIs of the issuer.
        public static func issuerAlternativeName(uris: [String]) -> Self {
            Self(KnownObjectIdentifiers.issuerAlternativeName, isCritical: false, value: names(uris: uris, hosts: []))
        }

        /// Makes the extension with the URIs and the host names of the subject.
        public static func subjectAlternativeName(uris: [String], hosts: [String]) -> Self {
            Self(
                KnownObjectIdentifiers.subjectAlternativeName, isCritical: false, value: names(uris: uris, hosts: hosts)
            )
        }

        /// Makes the extension with the address of the revocation list.
        public static func revocationList(uri: String) -> Self {
            let names = DERWriter.element(
                DERTag.context(0), DERWriter.element(DERTag.primitive(6), Array(uri.utf8)))
            let point = DERWriter.sequence(DERWriter.element(DERTag.context(0), names))
            return Self(
                KnownObjectIdentifiers.crlDistributionPoints, isCritical: false, value: DERWriter.sequence(point))
        }

        private static func names(uris: [String], hosts: [String]) -> [UInt8] {
            DERWriter.sequence(
                of: uris.map { DERWriter.element(DERTag.primitive(6), Array($0.utf8)) }
                    + hosts.map { DERWriter.element(DERTag.primitive(2), Array($0.utf8)) })
        }
    }

    extension CertificateTemplate.SigningKey {
        /// Returns the SubjectPublicKeyInfo of the public key, in DER.
        public func subjectPublicKeyInfo() throws(CryptoError) -> [UInt8] {
            switch self {
            case .ecdsa(let key):
                DERWriter.sequence(
                    DERWriter.sequence(
                        DERWriter.identifier(KnownObjectIdentifiers.ecPublicKey),
                        DERWriter.identifier(key.publicKey.curve.objectIdentifier)),
                    DERWriter.byteString(key.publicKey.x963))
            case .ed25519(let seed):
                DERWriter.sequence(
                    DERWriter.sequence(DERWriter.identifier(KnownObjectIdentifiers.ed25519)),
                    DERWriter.byteString(try Ed25519.publicKey(for: seed)))
            case .ed448(let seed):
                DERWriter.sequence(
                    DERWriter.sequence(DERWriter.identifier(KnownObjectIdentifiers.ed448)),
                    DERWriter.byteString(try Ed448.publicKey(for: seed)))
            case .rsa(let key):
                DERWriter.sequence(
                    DERWriter.sequence(
                        DERWriter.identifier(KnownObjectIdentifiers.rsaEncryption), DERWriter.element(DERTag.null, [])),
                    DERWriter.byteString(
                        DERWriter.sequence(
                            DERWriter.integer(key.publicKey.modulus), DERWriter.integer(key.publicKey.exponent))))
            }
        }

        /// The AlgorithmIdentifier of the signatures that this key makes, in DER.
        public var algorithm: [UInt8] {
            switch self {
            case .ecdsa(let key): DERWriter.sequence(DERWriter.identifier(Self.signature(by: key.publicKey.curve)))
            case .ed25519: DERWriter.sequence(DERWriter.identifier(KnownObjectIdentifiers.ed25519))
            case .ed448: DERWriter.sequence(DERWriter.identifier(KnownObjectIdentifiers.ed448))
            case .rsa:
                DERWriter.sequence(
                    DERWriter.identifier(KnownObjectIdentifiers.rsaWithSHA256), DERWriter.element(DERTag.null, []))
            }
        }

        /// Returns the signature over `message` in the form that certificates have it.
        public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
            switch self {
            case .ecdsa(let key): try key.signDER(message, hash: key.publicKey.curve.hash)
            case .ed25519(let seed): try Ed25519.sign(message, seed: seed)
            case .ed448(let seed): try Ed448.sign(message, seed: seed)
            case .rsa(let key): try key.signPKCS1(message, hash: .sha256)
            }
        }

        private static func signature(by curve: ECDSA.Curve) -> ASN1Identifier {
            switch curve.hash {
            case .sha256: KnownObjectIdentifiers.ecdsaWithSHA256
            case .sha384: KnownObjectIdentifiers.ecdsaWithSHA384
            case .sha512: KnownObjectIdentifiers.ecdsaWithSHA512
            }
        }
    }
#endif
