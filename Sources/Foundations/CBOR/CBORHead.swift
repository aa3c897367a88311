import ByteCoding

/// The first bytes of a data item: its major type and its argument (RFC 8949, section 3).
struct CBORHead {
    /// The major type: the upper three bits of the first byte.
    let major: UInt8
    /// The additional information: the lower five bits of the first byte.
    let information: UInt8
    /// The argument; 0 for an indefinite length.
    let argument: UInt64
    /// The index of the first byte after the head.
    let end: Int

    /// True when the length is indefinite, or, of major type 7, the item is a break.
    var isIndefinite: Bool { information == 31 }

    static let breakByte: UInt8 = 0xFF

    /// Reads the head at `start`, without reading at or past `limit`.
    init(_ bytes: [UInt8], at start: Int, limit: Int) throws(CBORError) {
        guard start < limit else { throw CBORError(.truncated, offset: start, "the bytes end before an item") }
        major = bytes[start] >> 5
        information = bytes[start] & 31
        let count: Int
        switch information {
        case 0...23:
            argument = UInt64(information)
            end = start + 1
            return
        case 24...27: count = 1 << Int(information - 24)
        case 31 where major >= 2 && major != 6:
            argument = 0
            end = start + 1
            return
        default: throw CBORError(.badHead, offset: start, "a first byte has no meaning")
        }
        guard limit - start > count else { throw CBORError(.truncated, offset: limit, "the bytes end in a head") }
        end = start + 1 + count
        argument = UInt64(bigEndianBytes: bytes[(start + 1)..<end])
    }
}
