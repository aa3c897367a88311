/// Writes DER (X.690, section 10): each function returns one whole element.
public enum DERWriter {
    /// Returns an element with this identifier and content.
    public static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    /// Returns a SEQUENCE of whole elements.
    public static func sequence(_ elements: [UInt8]...) -> [UInt8] {
        element(DERTag.sequence, elements.flatMap { $0 })
    }

    /// Returns a SEQUENCE of any number of whole elements.
    public static func sequence(of elements: [[UInt8]]) -> [UInt8] {
        element(DERTag.sequence, elements.flatMap { $0 })
    }

    /// Returns an INTEGER from big-endian bytes that are not negative.
    public static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let needsZero = (digits.first ?? 0x80) >= 0x80
        return element(DERTag.integer, (needsZero ? [0] : []) + digits)
    }

    /// Returns an INTEGER of a number that is not negative.
    public static func integer(_ number: Int) -> [UInt8] {
        integer((0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    /// Returns an OBJECT IDENTIFIER.
    public static func identifier(_ identifier: ASN1Identifier) -> [UInt8] {
        element(DERTag.objectIdentifier, identifier.content)
    }

    /// Returns a BIT STRING that fills its bytes.
    public static func byteString(_ bytes: [UInt8]) -> [UInt8] { element(DERTag.bitString, [0] + bytes) }

    /// Returns an OCTET STRING.
    public static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(DERTag.octetString, bytes) }

    /// Returns a BOOLEAN.
    public static func boolean(_ value: Bool) -> [UInt8] { element(DERTag.boolean, [value ? 0xff : 0]) }

    /// Returns a BIT STRING with named bits: the lowest bit of `bits` is bit 0 of the list.
    public static func namedBits(_ bits: UInt32) -> [UInt8] {
        guard bits != 0 else { return element(DERTag.bitString, [0]) }
        let bitCount = 32 - bits.leadingZeroBitCount
        var bytes = [UInt8](repeating: 0, count: (bitCount + 7) / 8)
        for bit in 0..<bitCount where bits & (1 << UInt32(bit)) != 0 { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return element(DERTag.bitString, [UInt8(8 * bytes.count - bitCount)] + bytes)
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }.drop { $0 == 0 }
        return [0x80 | UInt8(digits.count)] + digits
    }
}
