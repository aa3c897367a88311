#if DEBIAN_LIBRARIES
    public import Determinism

    /// A certificate of X.509 (RFC 5280, section 4.1), read strictly.
    ///
    /// DER alone is taken, to the last byte: definite lengths in their shortest form, each field in its one form. Three
    /// exceptions are harmless, because the signature covers the bytes as they are: a serial number may be negative or
    /// zero, a default of `critical` or `cA` may be written out, and a year before 2050 may have four digits.
    ///
    /// Reading a certificate says nothing about trust: see `CertificatePath`.
    public struct Certificate: Sendable {
        /// The most bytes of a certificate: 65,536.
        public static let maximumCount = DERErrorConversion.maximumCount

        /// The bytes of the whole certificate in DER.
        public let der: [UInt8]
        /// The version: 1, 2 or 3.
        public let version: Int
        /// The serial number in two's complement, in big-endian order; at most 64 bytes.
        public let serialNumber: [UInt8]
        /// The name of the certificate that issued this one.
        public let issuer: DistinguishedName
        /// The name of the certificate's owner.
        public let subject: DistinguishedName
        /// The first second at which the certificate is valid.
        public let notBefore: WallTime
        /// The last second at which the certificate is valid.
        public let notAfter: WallTime
        /// The owner's public key.
        public let publicKey: SubjectPublicKey
        /// True when the key is a point in compressed form.
        public let hasCompressedKey: Bool
        /// The algorithm that the certificate is signed with, as the signed part has it.
        public let signatureAlgorithm: CertificateSignatureAlgorithm
        /// True when the algorithm outside the signed part is byte for byte the one inside.
        public let hasOneSignatureAlgorithm: Bool
        /// The extensions of the certificate.
        public let extensions: CertificateExtensions

        private let signedPart: Range<Int>
        private let signature: [UInt8]

        /// Reads a certificate in DER.
        ///
        /// Throws `crypto.malformed-certificate`, `crypto.certificate-too-large` for more than `maximumCount` bytes,
        /// and `crypto.invalid-point` for a key that is not on its curve.
        public init(der: [UInt8]) throws(CryptoError) {
            let form = try DERErrorConversion.read("certificate", der) { (reader) throws(DERReader.Fault) in
                try CertificateReader(&reader)
            }
            self.der = der
            version = form.version
            serialNumber = Array(form.serialNumber)
            issuer = form.issuer
            subject = form.subject
            notBefore = form.notBefore
            notAfter = form.notAfter
            publicKey = try form.publicKey.key()
            hasCompressedKey =
                form.publicKey.algorithm == KnownObjectIdentifiers.ecPublicKey && form.publicKey.bytes.first != 4
            signatureAlgorithm = form.innerAlgorithm
            hasOneSignatureAlgorithm = form.hasOneAlgorithm
            extensions = form.extensions
            signedPart = form.signedPart
            signature = Array(form.signature)
        }

        /// True when subject and issuer are one name.
        public var isSelfIssued: Bool { subject == issuer }

        /// True when the certificate names itself as issuer and its own key signed it.
        public var isSelfSigned: Bool { isSelfIssued && isSigned(by: publicKey) }

        /// Returns true when the certificate's signature was made by the owner of `key`.
        ///
        /// False also when the algorithm is not supported, is another outside than inside, or does not fit the key.
        public func isSigned(by key: SubjectPublicKey) -> Bool {
            hasOneSignatureAlgorithm && signatureAlgorithm.verify(signature, over: der[signedPart], by: key)
        }

        /// Returns true when `time` lies within the validity, extended by a tolerance at both ends.
        public func isValid(at time: WallTime, toleranceMilliseconds: Int64 = 0) -> Bool {
            !isExpired(at: time, toleranceMilliseconds: toleranceMilliseconds)
                && !isNotYetValid(at: time, toleranceMilliseconds: toleranceMilliseconds)
        }

        /// Returns true when the validity ended before `time`, with a tolerance.
        func isExpired(at time: WallTime, toleranceMilliseconds: Int64) -> Bool {
            let end = notAfter.millisecondsSinceEpoch + 999
            return time.millisecondsSinceEpoch.subtractingReportingOverflow(end).partialValue > toleranceMilliseconds
        }

        func isNotYetValid(at time: WallTime, toleranceMilliseconds: Int64) -> Bool {
            let start = notBefore.millisecondsSinceEpoch
            return start.subtractingReportingOverflow(time.millisecondsSinceEpoch).partialValue > toleranceMilliseconds
        }
    }

    extension Certificate: Hashable {
        /// Returns true when both certificates have the same bytes.
        public static func == (left: Self, right: Self) -> Bool { left.der == right.der }

        /// Hashes the bytes of the certificate.
        public func hash(into hasher: inout Hasher) { hasher.combine(der) }
    }

    /// Reads the fields of a certificate, without a check of its key.
    private struct CertificateReader {
        let version: Int
        let serialNumber: ArraySlice<UInt8>
        let issuer, subject: DistinguishedName
        let notBefore, notAfter: WallTime
        let publicKey: SubjectPublicKeyReader
        let innerAlgorithm: CertificateSignatureAlgorithm
        let hasOneAlgorithm: Bool
        let extensions: CertificateExtensions
        let signedPart: Range<Int>
        let signature: ArraySlice<UInt8>

        init(_ reader: inout DERReader) throws(DERReader.Fault) {
            var certificate = try reader.readSequence()
            let signed = try certificate.read(DERTag.sequence)
            let outerAlgorithm = try certificate.read(DERTag.sequence)
            signature = try certificate.readByteString()
            try certificate.finish()
            signedPart = signed.encoding.indices

            var fields = DERReader(signed.content)
            version = try Self.readVersion(&fields)
            serialNumber = try fields.readInteger()
            guard serialNumber.count <= 64 else { throw fields.fault("a serial number has more than 64 bytes") }
            let inner = try fields.read(DERTag.sequence)
            hasOneAlgorithm = inner.encoding == outerAlgorithm.encoding
            var algorithm = DERReader(inner.content)
            innerAlgorithm = try CertificateSignatureAlgorithm(&algorithm)
            issuer = try DistinguishedName(&fields)
            var validity = try fields.readSequence()
            notBefore = try validity.readTime()
            notAfter = try validity.readTime()
            try validity.finish()
            subject = try DistinguishedName(&fields)
            var information = try fields.readSequence()
            publicKey = try SubjectPublicKeyReader(&information)
            if version >= 2 {
                _ = try fields.readIfPresent(DERTag.primitive(1))
                _ = try fields.readIfPresent(DERTag.primitive(2))
            }
            if version == 3, var list = try fields.readIfPresent(DERTag.context(3)).map({ DERReader($0.content) }) {
                var entries = try list.readSequence()
                try list.finish()
                extensions = try CertificateExtensions(&entries)
            } else {
                extensions = CertificateExtensions()
            }
            try fields.finish()
        }

        private static func readVersion(_ fields: inout DERReader) throws(DERReader.Fault) -> Int {
            guard var field = try fields.readIfPresent(DERTag.context(0)).map({ DERReader($0.content) }) else {
                return 1
            }
            let number = try field.readSmallInteger()
            try field.finish()
            guard 1...2 ~= number else { throw field.fault("the version is not one of 1 to 3") }
            return number + 1
        }
    }
#endif
