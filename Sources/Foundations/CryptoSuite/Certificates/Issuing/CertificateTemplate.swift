#if DEBIAN_LIBRARIES
    public import Determinism

    /// A certificate to be issued, for samples, tests and forgeries: nothing of it is checked.
    ///
    /// The certificate of a template is decided by the template and the issuer's key alone, because signatures take no
    /// random bytes.
    public struct CertificateTemplate: Sendable {
        /// A key that signs certificates and lists.
        public enum SigningKey: Sendable {
            /// ECDSA, with the hash that is as long as the curve allows: SHA-256, SHA-384 or SHA-512.
            case ecdsa(ECDSA.PrivateKey)
            /// Ed25519, by its seed of 32 bytes.
            case ed25519(Secret)
            /// RSA PKCS#1 version 1.5 with SHA-256.
            case rsa(RSA.PrivateKey)
        }

        /// An attribute of a name, in a UTF8String or a PrintableString.
        public struct NamePart: Sendable {
            let type: ASN1Identifier
            let text: String
            let isPrintable: Bool

            /// The country as a part of a name.
            public static func country(_ text: String, isPrintable: Bool = true) -> Self {
                Self(type: KnownIdentifiers.country, text: text, isPrintable: isPrintable)
            }

            /// The state or province as a part of a name.
            public static func stateOrProvince(_ text: String) -> Self {
                Self(type: KnownIdentifiers.stateOrProvince, text: text, isPrintable: false)
            }

            /// The common name as a part of a name.
            public static func commonName(_ text: String, isPrintable: Bool = false) -> Self {
                Self(type: KnownIdentifiers.commonName, text: text, isPrintable: isPrintable)
            }
        }

        /// An extension with its value in DER.
        public struct Extension: Sendable {
            /// The name of the extension.
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
        /// The content of the serial number.
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
        /// An AlgorithmIdentifier in DER that takes the place of the true one inside the signed part.
        public var innerAlgorithm: [UInt8]?
        /// An AlgorithmIdentifier in DER that takes the place of the true one outside the signed part.
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

        /// The certificate in DER, signed by `key`.
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

        /// A time in the form that RFC 5280 has for its year: UTCTime until 2049, GeneralizedTime after.
        static func time(_ time: WallTime) -> [UInt8] {
            let seconds = Int((time.millisecondsSinceEpoch - (time.millisecondsSinceEpoch < 0 ? 999 : 0)) / 1000)
            let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
            let second = seconds - day * 86_400
            let (year, month, date) = civil(day)
            let isShort = 1950...2049 ~= year
            let fields = [isShort ? year % 100 : year, month, date, second / 3600, second / 60 % 60, second % 60]
            let text = fields.enumerated().map { index, value in
                let digits = String(value)
                let width = index == 0 && !isShort ? 4 : 2
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            }.joined()
            return DERWriter.element(isShort ? DERTag.utcTime : DERTag.generalizedTime, Array((text + "Z").utf8))
        }

        /// Year, month and day of the days since 1970-01-01 in the Gregorian calendar; years begin in March.
        private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
            let shifted = day + 719_468
            let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let monthIndex = (5 * dayOfYear + 2) / 153
            let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
            return (
                yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1
            )
        }
    }
#endif
