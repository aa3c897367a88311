#if DEBIAN_LIBRARIES
    public import Determinism

    /// The fields of a revocation list to be issued for samples, tests and forgeries; nothing of it is checked.
    public struct RevocationListTemplate: Sendable {
        /// The name of the list's issuer.
        public var issuer: [CertificateTemplate.NamePart]
        /// The time at which the list is made.
        public var thisUpdate: WallTime
        /// The time at which the next list is due; left out when nil.
        public var nextUpdate: WallTime?
        /// The serial numbers of the revoked certificates, as contents of INTEGER.
        public var revokedSerialNumbers: [[UInt8]]
        /// The extensions of the list.
        public var extensions: [CertificateTemplate.Extension] = []

        /// Makes a template of a revocation list without extensions.
        public init(
            issuer: [CertificateTemplate.NamePart], thisUpdate: WallTime, nextUpdate: WallTime?,
            revokedSerialNumbers: [[UInt8]]
        ) {
            self.issuer = issuer
            self.thisUpdate = thisUpdate
            self.nextUpdate = nextUpdate
            self.revokedSerialNumbers = revokedSerialNumbers
        }

        /// Returns the list in DER, signed by `key`; each entry is revoked when the list is made.
        public func sign(by key: CertificateTemplate.SigningKey) throws(CryptoError) -> [UInt8] {
            let made = CertificateTemplate.time(thisUpdate)
            let entries = revokedSerialNumbers.map {
                DERWriter.sequence(DERWriter.element(DERTag.integer, $0), made)
            }
            let list = extensions.map(\.der)
            let signed = DERWriter.sequence(
                DERWriter.integer(1), key.algorithm, CertificateTemplate.name(issuer), made,
                nextUpdate.map { CertificateTemplate.time($0) } ?? [],
                entries.isEmpty ? [] : DERWriter.sequence(of: entries),
                list.isEmpty ? [] : DERWriter.element(DERTag.context(0), DERWriter.sequence(of: list)))
            return DERWriter.sequence(signed, key.algorithm, DERWriter.byteString(try key.sign(signed)))
        }
    }
#endif
