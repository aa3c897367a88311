/// The encodings of Ed25519 keys and signatures that libsodium refuses, for libraries that state no such rule.
///
/// Source: RFC 8032, sections 5.1.3 and 5.1.7; the points of small order are those whose order divides eight.
enum Ed25519Encoding {
    /// The y coordinates, without the sign bit, of the points of small order and of their encodings above the prime.
    private static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5, 0xDF,
            0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A, 0x20,
            0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    ]

    /// The order of the group, 2²⁵² + 27742317777372353535851937790883648493, least significant byte first.
    private static let order: [UInt8] =
        [0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14]
        + [UInt8](repeating: 0, count: 15) + [0x10]

    /// Checks that the key is canonical and of large order, the commitment of large order, and the scalar reduced.
    ///
    /// All of it is public, so that time may depend on it. Keys have 32 bytes and signatures 64.
    static func isAcceptable(publicKey: [UInt8], signature: [UInt8]) -> Bool {
        guard publicKey.count == 32, signature.count == 64 else { return false }
        return isCanonical(publicKey) && !isOfSmallOrder(publicKey) && !isOfSmallOrder(Array(signature[..<32]))
            && isLess(Array(signature[32...]), than: order)
    }

    private static func isCanonical(_ point: [UInt8]) -> Bool {
        isLess(withoutSign(point), than: [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F])
    }

    private static func isOfSmallOrder(_ point: [UInt8]) -> Bool { smallOrder.contains(withoutSign(point)) }

    private static func withoutSign(_ point: [UInt8]) -> [UInt8] { point.dropLast() + [point[31] & 0x7F] }

    /// Compares numbers of 32 bytes, least significant byte first.
    private static func isLess(_ left: [UInt8], than right: [UInt8]) -> Bool {
        left.reversed().lexicographicallyPrecedes(right.reversed())
    }
}
