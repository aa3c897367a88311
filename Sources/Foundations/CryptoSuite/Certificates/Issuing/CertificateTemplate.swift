#if DEBIAN_LIBRARIES
    public import Determinism

    /// The fields of a certificate to be issued for samples, tests and forgeries; nothing of it is checked.
    ///
    /// The certificate of a template is decided by the template and the issuer's key alone, because signatures take no
    /// random bytes.
    public struct CertificateTemplate: Sendable {
        /// A key that signs certificates and revocation lists.
        public enum SigningKey: Sendable {
            /// An ECDSA key, with the hash of the curve's size: SHA-256, SHA-384 or SHA-512.
            case ecdsa(ECDSA.PrivateKey)
            /// An Ed25519 key, by its seed of 32 bytes.
            case ed25519(Secret)
            /// An Ed448 key, by its seed of 57 bytes.
            case ed448(Secret)
            /// An RSA key that signs by PKCS#1 version 1.5 with SHA-256.
            case rsa(RSA.PrivateKey)
        }

        /// An attribute of a distinguished name, as a UTF8String or a PrintableString.
        public struct NamePart: Sendable {
            let type: ASN1Identifier
            let text: String
            let isPrintable: Bool

            /// Makes the name attribute of the country.
            public static func country(_ text: String, isPrintable: Bool = true) -> Self {
                Self(type: KnownObjectIdentifiers.country, text: text, isPrintable: isPrintable)
            }

            /// Makes the name attribute of the state or province.
            public static func stateOrProvince(_ text: String) -> Self {
                Self(type: KnownObjectIdentifiers.stateOrProvince, text: text, isPrintable: false)
            }

            /// Makes the name attribute of the common name.
            public static func commonName(_ text: String, isPrintable: Bool = false) -> Self {
                Self(type: KnownObjectIdentifiers.commonName, text: text, isPrintable: isPrintable)
            }
        }

        /// A certificate extension with its value in DER.
        public struct Extension: Sendable {
            /// The object identifier of the extension.
            public var identifier: ASN1Identifier
            /// True when a reader that does not know the extension must refuse the certificate.
            public var isCritical: Bool
            /// The value of the extension in DER.
            public var value: [UInt8]

            /// Makes an extension from its parts.
            public init(_ identifier: ASN1Identifier, isCritical: Bool, value: [UInt8]) {
                self.identifier = identifier
                self.isCritical = isCritical
                self.value = value
            }

            var der: [UInt8] {
                DERWriter.sequence(
                    DERWriter.identifier(identifier), isCritical ? DERWriter.boolean(true) : [],
                    DERWriter.octetString(value))
            }
        }

        /// The version of the certificate, counted from 1.
        public var version = 3
        /// The content of the serial number's INTEGER.
        public var serialNumber: [UInt8] = [1]
        /// The name of the certificate's issuer.
        public var issuer: [NamePart]
        /// The name of the certificate's owner.
        public var subject: [NamePart]
        /// The first second of the validity.
        public var notBefore: WallTime
        /// The last second of the validity.
        public var notAfter: WallTime
        /// The SubjectPublicKeyInfo of the owner in DER.
        public var publicKey: [UInt8]
        /// The extensions in their order.
        public var extensions: [Extension] = []
        /// The AlgorithmIdentifier in DER to use inside the signed part instead of the true one; nil for the true one.
        public var innerAlgorithm: [UInt8]?
        /// The AlgorithmIdentifier in DER to use outside the signed part instead of the true one; nil for the true one.
        public var outerAlgorithm: [UInt8]?

        /// Makes a template of version 3 with the serial number 1 and no extensions.
        public init(
            subject: [NamePart], issuer: [NamePart], publicKey: SigningKey, notBefore: WallTime, notAfter: WallTime
        ) throws(CryptoError) {
            self.subject = subject
            self.issuer = issuer
            self.publicKey = try publicKey.subjectPublicKeyInfo()
            self.notBefore = notBefore
            self.notAfter = notAfter
        }

        /// Returns the certificate in DER, signed by `key`.
        public func sign(by key: SigningKey) throws(CryptoError) -> [UInt8] {
            let list = extensions.map(\.der)
            let signed = DERWriter.sequence(
                version == 1 ? [] : DERWriter.element(DERTag.context(0), DERWriter.integer(version - 1)),
                DERWriter.element(DERTag.integer, serialNumber), innerAlgorithm ?? key.algorithm, Self.name(issuer),
                DERWriter.sequence(Self.time(notBefore), Self.time(notAfter)), Self.name(subject), publicKey,
                list.isEmpty ? [] : DERWriter.element(DERTag.context(3), DERWriter.sequence(of: list)))
            return DERWriter.sequence(
                signed, outerAlgorithm ?? key.algorithm, DERWriter.byteString(try key.sign(signed)))
        }

        /// Returns a Name in DER.
        public static func name(_ parts: [NamePart]) -> [UInt8] {
            DERWriter.sequence(
                of: parts.map { part in
                    let tag = part.isPrintable ? DERTag.printableString : DERTag.utf8String
                    let pair = DERWriter.sequence(
                        DERWriter.identifier(part.type), DERWriter.element(tag, Array(part.text.utf8)))
                    return DERWriter.element(DERTag.set, pair)
                })
        }

        /// Encodes a time as RFC 5280 requires for its year: UTCTime until 2049, GeneralizedTime after.
        static func time(_ time: WallTime) -> [UInt8] {
            let civil = CivilDateTime(time)
            let isShort = 1950...2049 ~= civil.date.year
            let digits = civil.text.utf8.filter { 0x30...0x39 ~= $0 }.dropFirst(isShort ? 2 : 0)
            return DERWriter.element(
                isShort ? DERTag.utcTime : DERTag.generalizedTime, digits + [UInt8(ascii: "Z")])
        }
    }
#endif
