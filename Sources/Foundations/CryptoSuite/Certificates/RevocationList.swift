#if DEBIAN_LIBRARIES
    public import Determinism

    /// A list of revoked certificates (CRL; RFC 5280, section 5), read strictly like a certificate.
    public struct RevocationList: Sendable {
        /// The most bytes of a revocation list: 1 MiB.
        public static let maximumCount = 1 << 20

        /// The status of a certificate at a time, according to one revocation list.
        public enum CertificateStatus: Hashable, Sendable {
            /// The list is complete, and the certificate is not on it.
            case good
            /// The certificate is on the revocation list.
            case revoked
            /// The list does not decide about the certificate, as for another issuer or a time outside its dates.
            ///
            /// The others are another key, and a critical extension that is not understood.
            case unknown(reason: String)
        }

        /// The name of the authority whose certificates it lists.
        public let issuer: DistinguishedName
        /// The time at which the revocation list was issued.
        public let thisUpdate: WallTime
        /// The latest time at which the next list is due; nil when the list does not say.
        public let nextUpdate: WallTime?
        /// The serial numbers of the revoked certificates, as certificates have them.
        public let revokedSerialNumbers: Set<[UInt8]>

        private let der: [UInt8]
        private let form: RevocationListReader

        /// Reads a revocation list in DER.
        ///
        /// Throws `crypto.malformed-certificate`, and `crypto.certificate-too-large` for more than `maximumCount`
        /// bytes.
        public init(der: [UInt8]) throws(CryptoError) {
            form = try DERErrorConversion.read("revocation list", der, limit: Self.maximumCount) {
                (reader) throws(DERReader.Fault) in try RevocationListReader(&reader)
            }
            self.der = der
            issuer = form.issuer
            thisUpdate = form.thisUpdate
            nextUpdate = form.nextUpdate
            revokedSerialNumbers = form.revoked
        }

        /// Returns the status of `certificate` according to its issuer's list.
        ///
        /// - Parameters:
        ///   - authority: the certificate that issued it and has to have signed the list; its key may sign lists.
        ///   - time: the time of asking. A list that is not yet made or whose next one is due says nothing, and one
        ///     without such a date is taken at any time after it was made.
        public func answer(
            for certificate: Certificate, issuedBy authority: Certificate, at time: WallTime,
            toleranceMilliseconds: Int64 = 60_000
        ) -> CertificateStatus {
            // Its key says whose list it is: string types may differ (RFC 5280, section 7.1).
            guard certificate.issuer.hasSameText(as: issuer), authority.subject.hasSameText(as: issuer) else {
                return .unknown(reason: "the list is of another issuer")
            }
            if let usage = authority.extensions.keyUsage, !usage.contains(.crlSign) {
                return .unknown(reason: "the key of the issuer may not sign lists")
            }
            guard form.isSigned(in: der, by: authority.publicKey) else {
                return .unknown(reason: "the list is not signed by the key of the issuer")
            }
            if let unknown = form.unknownCritical {
                return .unknown(reason: "the critical extension \(unknown) of the list is not understood")
            }
            if revokedSerialNumbers.contains(certificate.serialNumber) { return .revoked }
            let (now, made) = (time.millisecondsSinceEpoch, thisUpdate.millisecondsSinceEpoch)
            guard made.subtractingReportingOverflow(now).partialValue <= toleranceMilliseconds else {
                return .unknown(reason: "the list was made after the time that counts")
            }
            if let end = nextUpdate?.millisecondsSinceEpoch,
                now.subtractingReportingOverflow(end).partialValue > toleranceMilliseconds
            {
                return .unknown(reason: "the next list is due")
            }
            return .good
        }
    }

    /// Reads the fields of a revocation list.
    private struct RevocationListReader {
        let issuer: DistinguishedName
        let thisUpdate: WallTime
        let nextUpdate: WallTime?
        private(set) var revoked: Set<[UInt8]> = []
        /// A critical extension that is not understood, of the list or of an entry.
        private(set) var unknownCritical: ASN1Identifier?

        private let algorithm: CertificateSignatureAlgorithm
        private let hasOneAlgorithm: Bool
        private let signedPart: Range<Int>
        private let signature: ArraySlice<UInt8>

        init(_ reader: inout DERReader) throws(DERReader.Fault) {
            var list = try reader.readSequence()
            let signed = try list.read(DERTag.sequence)
            let outer = try list.read(DERTag.sequence)
            signature = try list.readByteString()
            try list.finish()
            signedPart = signed.encoding.indices

            var fields = DERReader(signed.content)
            let hasVersion = fields.isNext(DERTag.integer)
            if hasVersion, try fields.readSmallInteger() != 1 { throw fields.fault("the version is not 2") }
            let inner = try fields.read(DERTag.sequence)
            hasOneAlgorithm = inner.encoding == outer.encoding
            var algorithmReader = DERReader(inner.content)
            algorithm = try CertificateSignatureAlgorithm(&algorithmReader)
            issuer = try DistinguishedName(&fields)
            thisUpdate = try fields.readTime()
            nextUpdate =
                fields.isNext(DERTag.utcTime) || fields.isNext(DERTag.generalizedTime)
                ? try fields.readTime() : nil
            if fields.isNext(DERTag.sequence) {
                var entries = try fields.readSequence()
                while !entries.isAtEnd { try readEntry(&entries) }
            }
            if hasVersion, var extensions = try fields.readIfPresent(DERTag.context(0)).map({ DERReader($0.content) }) {
                try readExtensions(&extensions)
                try extensions.finish()
            }
            try fields.finish()
        }

        /// Returns true when the list is signed by `key`, with the same algorithm inside and outside the signed part.
        func isSigned(in der: [UInt8], by key: SubjectPublicKey) -> Bool {
            hasOneAlgorithm && algorithm.verify(Array(signature), over: der[signedPart], by: key)
        }

        private mutating func readEntry(_ entries: inout DERReader) throws(DERReader.Fault) {
            var entry = try entries.readSequence()
            revoked.insert(Array(try entry.readInteger()))
            _ = try entry.readTime()
            if !entry.isAtEnd { try readExtensions(&entry) }
            try entry.finish()
        }

        /// Reads the extensions of a revocation list; every critical one counts as not understood.
        ///
        /// So a list of changes, or one of some certificates only, is not used as a complete one.
        private mutating func readExtensions(_ reader: inout DERReader) throws(DERReader.Fault) {
            var list = try reader.readSequence()
            repeat {
                var field = try list.readSequence()
                let identifier = try field.readIdentifier()
                let isCritical = field.isNext(DERTag.boolean) ? try field.readBoolean() : false
                _ = try field.read(DERTag.octetString)
                try field.finish()
                if isCritical { unknownCritical = identifier }
            } while !list.isAtEnd
        }
    }
#endif
