/// The permitted uses of a certificate's key (RFC 5280, section 4.2.1.3).
public struct KeyUsage: OptionSet, Hashable, Sendable {
    /// The bits of a key usage set; bit 0 of the certificate's bit string is the lowest bit.
    public let rawValue: UInt32

    /// Makes a key usage set of its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The key may sign data other than certificates and revocation lists.
    public static let digitalSignature = Self(rawValue: 1 << 0)
    /// The key may make signatures that commit the signer to content (non-repudiation).
    public static let contentCommitment = Self(rawValue: 1 << 1)
    /// The key may sign certificates.
    public static let keyCertSign = Self(rawValue: 1 << 5)
    /// The key may sign revocation lists.
    public static let crlSign = Self(rawValue: 1 << 6)
}

/// The names of a subject or an issuer beside its distinguished name (RFC 5280, section 4.2.1.6).
public struct AlternativeNames: Hashable, Sendable {
    /// The email addresses of a subject or issuer.
    public fileprivate(set) var mailAddresses: [String] = []
    /// The host names of a subject or issuer.
    public fileprivate(set) var hostNames: [String] = []
    /// The URIs of the subject or issuer.
    public fileprivate(set) var uris: [String] = []
    /// The number of names of other kinds.
    public fileprivate(set) var otherCount = 0
}

/// The extensions of a certificate that are understood, and the names of the critical ones that are not.
public struct CertificateExtensions: Hashable, Sendable {
    /// The subject's right to issue certificates, and the most intermediate certificates below it.
    public struct BasicConstraints: Hashable, Sendable {
        /// True when the subject is a certification authority.
        public let isAuthority: Bool

        /// The most certificates that are not self-issued and may follow before the leaf; nil for any number.
        public let pathLength: Int?

        /// True when a reader that does not know the extension must refuse the certificate.
        public let isCritical: Bool
    }

    /// The basic constraints; nil without the extension.
    public private(set) var basicConstraints: BasicConstraints?
    /// The permitted uses of the key; nil for any use.
    public private(set) var keyUsage: KeyUsage?
    /// True when the key usage extension is critical.
    public private(set) var isKeyUsageCritical = false
    /// The purposes of the key (extended key usage); nil for any.
    public private(set) var extendedKeyUsage: [ASN1Identifier]?
    /// True when the extended key usage extension is critical.
    public private(set) var isExtendedKeyUsageCritical = false
    /// The identifier of the subject's key.
    public private(set) var subjectKeyIdentifier: [UInt8]?
    /// The identifier of the issuer's key.
    public private(set) var authorityKeyIdentifier: [UInt8]?
    /// The subject's alternative names; nil without the extension.
    public private(set) var subjectAlternativeNames: AlternativeNames?
    /// The issuer's alternative names; nil without the extension.
    public private(set) var issuerAlternativeNames: AlternativeNames?
    /// The addresses at which revocation lists are published; nil when the certificate names none.
    public private(set) var revocationListAddresses: [String]?
    /// The extensions that refuse a certificate: critical ones that are not understood, and limits on names.
    public private(set) var unknownCritical: [ASN1Identifier] = []

    /// The extensions that certificates of mobile documents must not have (ISO/IEC 18013-5, annex B), critical or not.
    public private(set) var forbidden: [ASN1Identifier] = []

    /// Policy mappings, policy constraints, freshest CRL and inhibit any policy (RFC 5280, section 4.2.1).
    private static let forbiddenInMobileDocuments: Set<ASN1Identifier> = [
        ASN1Identifier(2, 5, 29, 33), ASN1Identifier(2, 5, 29, 36), ASN1Identifier(2, 5, 29, 46),
        ASN1Identifier(2, 5, 29, 54),
    ]

    /// The most extensions of a certificate, and the most entries of one extension.
    static let maximumCount = 64

    /// Makes a list without extensions, as certificates before version 3 have it.
    init() {}

    /// Reads the content of the field Extensions.
    init(_ reader: inout DERReader) throws(DERReader.Fault) {
        var seen: Set<ASN1Identifier> = []
        repeat {
            var field = try reader.readSequence()
            let identifier = try field.readIdentifier()
            // A default that is written out is no DER, yet some issuers do it; the signature covers it all the same.
            let isCritical = field.isNext(DERTag.boolean) ? try field.readBoolean() : false
            let value = try field.read(DERTag.octetString).content
            try field.finish()
            guard seen.insert(identifier).inserted, seen.count <= Self.maximumCount else {
                throw reader.fault("an extension is there twice, or there are too many")
            }
            try take(identifier, isCritical: isCritical, value)
        } while !reader.isAtEnd
    }

    private mutating func take(
        _ identifier: ASN1Identifier, isCritical: Bool, _ value: ArraySlice<UInt8>
    ) throws(DERReader.Fault) {
        var reader = DERReader(value)
        switch identifier {
        case KnownObjectIdentifiers.basicConstraints:
            basicConstraints = try BasicConstraints(&reader, isCritical: isCritical)
        case KnownObjectIdentifiers.keyUsage:
            keyUsage = KeyUsage(rawValue: try reader.readNamedBits())
            isKeyUsageCritical = isCritical
        case KnownObjectIdentifiers.extendedKeyUsage:
            extendedKeyUsage = try Self.readPurposes(&reader)
            isExtendedKeyUsageCritical = isCritical
        case KnownObjectIdentifiers.subjectKeyIdentifier:
            subjectKeyIdentifier = Array(try reader.read(DERTag.octetString).content)
        case KnownObjectIdentifiers.authorityKeyIdentifier:
            authorityKeyIdentifier = try Self.readAuthorityKey(&reader)
        case KnownObjectIdentifiers.subjectAlternativeName: subjectAlternativeNames = try AlternativeNames(&reader)
        case KnownObjectIdentifiers.issuerAlternativeName: issuerAlternativeNames = try AlternativeNames(&reader)
        case KnownObjectIdentifiers.crlDistributionPoints: revocationListAddresses = try Self.readPoints(&reader)
        default:
            if Self.forbiddenInMobileDocuments.contains(identifier) { forbidden.append(identifier) }
            // Limits on names count although an authority forgot to call them critical (RFC 5280, section 4.2.1.10).
            if isCritical || identifier == KnownObjectIdentifiers.nameConstraints { unknownCritical.append(identifier) }
            return
        }
        try reader.finish()
    }

    private static func readPurposes(_ reader: inout DERReader) throws(DERReader.Fault) -> [ASN1Identifier] {
        var list = try reader.readSequence()
        var purposes: [ASN1Identifier] = []
        repeat {
            guard purposes.count < maximumCount else { throw list.fault("a list has too many entries") }
            purposes.append(try list.readIdentifier())
        } while !list.isAtEnd
        return purposes
    }

    /// Reads the issuer's key identifier; the issuer's name and number that may follow are read and dropped.
    private static func readAuthorityKey(_ reader: inout DERReader) throws(DERReader.Fault) -> [UInt8]? {
        var fields = try reader.readSequence()
        let identifier = try fields.readIfPresent(DERTag.primitive(0)).map { Array($0.content) }
        _ = try fields.readIfPresent(DERTag.context(1))
        _ = try fields.readIfPresent(DERTag.primitive(2))
        try fields.finish()
        return identifier
    }

    /// Reads the URIs of all CRL distribution points.
    private static func readPoints(_ reader: inout DERReader) throws(DERReader.Fault) -> [String] {
        var list = try reader.readSequence()
        var addresses: [String] = []
        repeat {
            guard addresses.count < maximumCount else { throw list.fault("a list has too many entries") }
            var point = try list.readSequence()
            if var name = try point.readIfPresent(DERTag.context(0)).map({ DERReader($0.content) }) {
                let field = try name.readElement()
                try name.finish()
                if field.tag == DERTag.context(0) {
                    var names = DERReader(field.content)
                    addresses += try AlternativeNames(elements: &names).uris
                }
            }
            _ = try point.readIfPresent(DERTag.primitive(1))
            _ = try point.readIfPresent(DERTag.context(2))
            try point.finish()
        } while !list.isAtEnd
        return addresses
    }
}

extension CertificateExtensions.BasicConstraints {
    fileprivate init(_ reader: inout DERReader, isCritical: Bool) throws(DERReader.Fault) {
        var fields = try reader.readSequence()
        isAuthority = fields.isNext(DERTag.boolean) ? try fields.readBoolean() : false
        pathLength = fields.isAtEnd ? nil : try fields.readSmallInteger()
        try fields.finish()
        guard isAuthority || pathLength == nil else {
            throw reader.fault("a length of paths stands where none can follow")
        }
        self.isCritical = isCritical
    }
}

extension AlternativeNames {
    fileprivate init(_ reader: inout DERReader) throws(DERReader.Fault) {
        var names = try reader.readSequence()
        try self.init(elements: &names)
    }

    /// Reads the content of the ASN.1 type GeneralNames.
    fileprivate init(elements reader: inout DERReader) throws(DERReader.Fault) {
        var count = 0
        repeat {
            let element = try reader.readElement()
            count += 1
            guard count <= CertificateExtensions.maximumCount else { throw reader.fault("a list has too many entries") }
            switch element.tag {
            case DERTag.primitive(1): mailAddresses.append(try Self.text(element, reader))
            case DERTag.primitive(2): hostNames.append(try Self.text(element, reader))
            case DERTag.primitive(6): uris.append(try Self.text(element, reader))
            default: otherCount += 1
            }
        } while !reader.isAtEnd
    }

    /// Reads an IA5String; refuses control characters, because a zero makes some readers stop there.
    private static func text(_ element: DERReader.Element, _ reader: DERReader) throws(DERReader.Fault) -> String {
        guard element.content.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw reader.fault("a name has characters that are not printable ASCII")
        }
        return String(decoding: element.content, as: UTF8.self)
    }
}
