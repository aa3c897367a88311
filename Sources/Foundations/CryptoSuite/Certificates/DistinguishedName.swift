/// The name of a subject or an issuer (RFC 5280, section 4.1.2.4).
///
/// Two names are equal when their bytes are: no case is folded and no string type is converted, as ISO/IEC 18013-5,
/// annex B, asks of the issuer of a document signer.
public struct DistinguishedName: Sendable {
    /// An attribute of a distinguished name: its type and value.
    public struct Attribute: Hashable, Sendable {
        /// The attribute's type.
        public let type: ASN1Identifier

        /// The value as text; nil for string types other than UTF8String, PrintableString and IA5String.
        public let text: String?

        /// True when the attribute's value is a PrintableString.
        public let isPrintable: Bool
    }

    /// The bytes of the whole Name in DER.
    public let der: [UInt8]

    /// The attributes in the order of the name; those of one relative distinguished name are adjacent.
    public let attributes: [Attribute]

    /// The most attributes of a distinguished name.
    static let maximumAttributes = 64

    /// Reads the next element as a Name.
    init(_ reader: inout DERReader) throws(DERReader.Fault) {
        let element = try reader.read(DERTag.sequence)
        der = Array(element.encoding)
        var attributes: [Attribute] = []
        var names = DERReader(element.content)
        while !names.isAtEnd {
            var set = try names.readSequence(DERTag.set)
            var previous: ArraySlice<UInt8>?
            repeat {
                let pair = try set.read(DERTag.sequence)
                if let previous, !previous.lexicographicallyPrecedes(pair.encoding) {
                    throw set.fault("a set is not in order")
                }
                previous = pair.encoding
                guard attributes.count < Self.maximumAttributes else { throw set.fault("a name has too many parts") }
                attributes.append(try Attribute(DERReader(pair.content)))
            } while !set.isAtEnd
        }
        self.attributes = attributes
    }

    /// The country (C), two letters; nil unless there is exactly one.
    public var country: String? { only(KnownObjectIdentifiers.country) }

    /// The state or province (ST); nil unless there is exactly one.
    public var stateOrProvince: String? { only(KnownObjectIdentifiers.stateOrProvince) }

    /// The common name (CN); nil unless there is exactly one.
    public var commonName: String? { only(KnownObjectIdentifiers.commonName) }

    /// True when the country is written as a PrintableString of two capital letters.
    var hasCountryCode: Bool {
        attributes.filter { $0.type == KnownObjectIdentifiers.country }.allSatisfy { attribute in
            attribute.isPrintable && attribute.text?.utf8.count == 2
                && attribute.text?.utf8.allSatisfy { (0x41...0x5a).contains($0) } == true
        } && country != nil
    }

    /// Returns true when both names have the same attributes with the same text, whatever their string types are.
    func hasSameText(as other: Self) -> Bool {
        attributes.count == other.attributes.count
            && zip(attributes, other.attributes).allSatisfy {
                $0.type == $1.type && $0.text != nil && $0.text == $1.text
            }
    }

    private func only(_ type: ASN1Identifier) -> String? {
        let found = attributes.filter { $0.type == type }
        return found.count == 1 ? found[0].text : nil
    }
}

extension DistinguishedName: Hashable, CustomStringConvertible {
    /// Returns true when both names have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.der == right.der }

    /// Hashes the bytes of the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }

    /// The attributes as text, such as `CN=Root, C=NL`.
    ///
    /// For people, not for comparison: unusual types stand there by their number, characters that cannot be seen as
    /// `?`.
    public var description: String {
        attributes.map { attribute in
            "\(Self.shortNames[attribute.type] ?? attribute.type.description)=\(Self.shown(attribute.text ?? "?"))"
        }.joined(separator: ", ")
    }

    private static func shown(_ text: String) -> String {
        // Each character of printable ASCII is seen.
        guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return text }
        return text.unicodeScalars.map { scalar in
            let isSeen = ![.control, .format].contains(scalar.properties.generalCategory)
            return isSeen && !scalar.properties.isDefaultIgnorableCodePoint ? String(scalar) : "?"
        }.joined()
    }

    private static let shortNames: [ASN1Identifier: String] = [
        KnownObjectIdentifiers.commonName: "CN", KnownObjectIdentifiers.country: "C",
        KnownObjectIdentifiers.stateOrProvince: "ST",
        ASN1Identifier(2, 5, 4, 7): "L", ASN1Identifier(2, 5, 4, 10): "O", ASN1Identifier(2, 5, 4, 11): "OU",
        ASN1Identifier(2, 5, 4, 5): "serialNumber",
    ]
}

extension DistinguishedName.Attribute {
    /// Reads the content of an AttributeTypeAndValue.
    init(_ reader: DERReader) throws(DERReader.Fault) {
        var reader = reader
        type = try reader.readIdentifier()
        let value = try reader.readElement()
        try reader.finish()
        isPrintable = value.tag == DERTag.printableString
        switch value.tag {
        case DERTag.utf8String:
            guard let text = String(validating: value.content, as: UTF8.self) else {
                throw reader.fault("a text is not UTF-8")
            }
            self.text = text
        case DERTag.printableString, DERTag.ia5String:
            guard value.content.allSatisfy({ $0 < 0x80 }), !isPrintable || value.content.allSatisfy(Self.isPrintable)
            else { throw reader.fault("a text has characters that its type does not have") }
            text = String(decoding: value.content, as: UTF8.self)
        default: text = nil
        }
    }

    /// Returns true for a character of PrintableString (X.680, section 41.4), and for `*`, `@`, `&` and `_`.
    private static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x20, 0x27...0x29, 0x2b...0x2f, 0x3a, 0x3d, 0x3f: true
        case 0x2a, 0x40, 0x26, 0x5f: true
        default: false
        }
    }
}
