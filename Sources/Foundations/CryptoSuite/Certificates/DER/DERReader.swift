import ByteCoding

/// Reads DER (X.690, section 10) front to back: definite lengths in their shortest form, nothing else.
///
/// A reader holds a slice of the bytes it was made from, so that offsets in errors count from their start, and no
/// content is copied. It checks the form of each element that it reads, not of those inside it.
struct DERReader {
    /// An element of DER: identifier, length and content.
    struct Element {
        let tag: UInt8
        let content: ArraySlice<UInt8>
        /// The whole element with identifier and length.
        let encoding: ArraySlice<UInt8>
    }

    /// The error for bytes that are not DER, or not the element that was asked for.
    struct Fault: Error {
        let offset: Int
        let reason: String
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// True when all bytes have been read.
    var isAtEnd: Bool { rest.isEmpty }

    /// Returns true when the next element has the identifier `tag`.
    func isNext(_ tag: UInt8) -> Bool { rest.first == tag }

    /// Reads the next element, of any type whose number is below 31.
    mutating func readElement() throws(Fault) -> Element {
        let start = rest.startIndex
        guard rest.count >= 2 else { throw fault("an element is cut short") }
        let tag = rest[start]
        guard tag & 0x1f != 0x1f else { throw fault("an identifier has more than one byte") }
        let (count, header) = try readLength(at: start + 1)
        guard count <= rest.endIndex - header else { throw fault("an element is longer than what holds it") }
        let end = header + count
        let element = Element(tag: tag, content: rest[header..<end], encoding: rest[start..<end])
        rest = rest[end...]
        return element
    }

    /// Returns the length that is encoded at `position`, and the position of the content.
    private func readLength(at position: Int) throws(Fault) -> (count: Int, next: Int) {
        let first = rest[position]
        if first < 0x80 { return (Int(first), position + 1) }
        let digitCount = Int(first & 0x7f)
        guard 1...4 ~= digitCount, position + 1 + digitCount <= rest.endIndex else {
            throw fault("a length is indefinite, cut short, or has more than four bytes")
        }
        let digits = rest[(position + 1)..<(position + 1 + digitCount)]
        let count = Int(bigEndianBytes: digits)
        guard count >= 0x80, digits.first != 0 else { throw fault("a length is not in its shortest form") }
        return (count, digits.endIndex)
    }

    /// Reads the next element, which must have the identifier `tag`.
    mutating func read(_ tag: UInt8) throws(Fault) -> Element {
        guard rest.first == tag else { throw fault("an element of another type stands here") }
        return try readElement()
    }

    /// Reads the next element when it has the identifier `tag`; else returns nil.
    mutating func readIfPresent(_ tag: UInt8) throws(Fault) -> Element? {
        rest.first == tag ? try readElement() : nil
    }

    /// Reads a SEQUENCE, or another constructed element, and returns a reader of its content.
    mutating func readSequence(_ tag: UInt8 = DERTag.sequence) throws(Fault) -> DERReader {
        DERReader(try read(tag).content)
    }

    /// Reads an INTEGER of any sign and returns its content in two's complement.
    mutating func readInteger() throws(Fault) -> ArraySlice<UInt8> {
        let content = try read(DERTag.integer).content
        guard let first = content.first else { throw fault("a number has no bytes") }
        if content.count > 1 {
            let second = content[content.startIndex + 1]
            guard !(first == 0 && second < 0x80), !(first == 0xff && second >= 0x80) else {
                throw fault("a number is not in its shortest form")
            }
        }
        return content
    }

    /// Reads an INTEGER that is not negative and returns its bytes without the leading sign byte.
    mutating func readUnsignedInteger() throws(Fault) -> ArraySlice<UInt8> {
        let content = try readInteger()
        guard let first = content.first, first < 0x80 else { throw fault("a number is negative") }
        return first == 0 && content.count > 1 ? content.dropFirst() : content
    }

    /// Reads an INTEGER from 0 up to 2³¹ − 1.
    mutating func readSmallInteger() throws(Fault) -> Int {
        let digits = try readUnsignedInteger()
        guard digits.count < 4 || digits.count == 4 && (digits.first ?? 0) < 0x80 else {
            throw fault("a number is larger than it can be here")
        }
        return Int(bigEndianBytes: digits)
    }

    /// Reads a BOOLEAN: FF is true, 00 false.
    mutating func readBoolean() throws(Fault) -> Bool {
        let content = try read(DERTag.boolean).content
        guard content.count == 1, let byte = content.first, byte == 0 || byte == 0xff else {
            throw fault("a truth value is neither 00 nor FF")
        }
        return byte == 0xff
    }

    /// Reads an OBJECT IDENTIFIER.
    mutating func readIdentifier() throws(Fault) -> ASN1Identifier {
        let content = try read(DERTag.objectIdentifier).content
        guard let identifier = ASN1Identifier(content: content) else {
            throw fault("an object identifier is not in its shortest form")
        }
        return identifier
    }

    /// Reads a BIT STRING whose bits fill whole bytes.
    mutating func readByteString() throws(Fault) -> ArraySlice<UInt8> {
        let content = try read(DERTag.bitString).content
        guard content.first == 0 else { throw fault("a bit string does not fill its bytes") }
        return content.dropFirst()
    }

    /// Reads a BIT STRING with named bits, at most 32: bit 0 of the list is bit 0 of the result.
    ///
    /// Trailing zero bits are cut (X.690, section 11.2.2).
    mutating func readNamedBits() throws(Fault) -> UInt32 {
        let content = try read(DERTag.bitString).content
        let digits = content.dropFirst()
        guard let unused = content.first, unused < 8, digits.count <= 4 else {
            throw fault("a list of bits has no form that is known")
        }
        guard let last = digits.last else {
            if unused == 0 { return 0 }
            throw fault("a list of bits has no form that is known")
        }
        guard last & (UInt8(1) << unused) != 0, last & ((UInt8(1) << unused) - 1) == 0 else {
            throw fault("a list of bits is not in its shortest form")
        }
        var bits: UInt32 = 0
        for (index, byte) in digits.enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 { bits |= 1 << UInt32(8 * index + bit) }
        }
        return bits
    }

    /// Checks that no bytes are left.
    func finish() throws(Fault) {
        if !rest.isEmpty { throw fault("bytes follow where the element ends") }
    }

    /// Makes a fault at the next byte.
    func fault(_ reason: String) -> Fault { Fault(offset: rest.startIndex, reason: reason) }
}

/// The DER identifiers of the universal types (X.680, section 8.4) and of context-specific elements.
enum DERTag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let utf8String: UInt8 = 0x0c
    static let printableString: UInt8 = 0x13
    static let ia5String: UInt8 = 0x16
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    /// Returns the identifier of a constructed context-specific element.
    static func context(_ number: UInt8) -> UInt8 { 0xa0 | number }

    /// Returns the identifier of a primitive context-specific element.
    static func primitive(_ number: UInt8) -> UInt8 { 0x80 | number }
}
