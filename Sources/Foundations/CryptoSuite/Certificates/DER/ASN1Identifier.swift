/// An object identifier of ASN.1 (X.660), such as 2.5.29.15.
public struct ASN1Identifier: Hashable, Sendable, CustomStringConvertible {
    /// The content of the identifier's DER encoding: base 128, the first two arcs in one number.
    let content: [UInt8]

    /// Reads the content of an object identifier; nil above 64 bytes, or for an arc not in shortest form or below 2³².
    init?(content: some BidirectionalCollection<UInt8>) {
        guard 1...64 ~= content.count, content.last.map({ $0 < 0x80 }) == true else { return nil }
        var value: UInt64 = 0
        for byte in content {
            if value == 0, byte == 0x80 { return nil }
            value = value << 7 | UInt64(byte & 0x7f)
            guard value < 1 << 32 else { return nil }
            if byte < 0x80 { value = 0 }
        }
        self.content = Array(content)
    }

    /// Makes an identifier of its arcs: at least two, the first at most 2 and the second below 2³¹; others trap.
    public init(_ arcs: UInt64...) {
        precondition(arcs.count >= 2 && arcs[0] <= 2, "an object identifier has two arcs or more")
        content = ([arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)).flatMap(Self.digits)
    }

    private static func digits(of arc: UInt64) -> [UInt8] {
        var digits = [UInt8(arc & 0x7f)]
        var rest = arc >> 7
        while rest > 0 {
            digits.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return digits.reversed()
    }

    /// The arcs of the identifier with dots between them.
    public var description: String {
        var arcs: [UInt64] = []
        var value: UInt64 = 0
        for byte in content {
            value = value << 7 | UInt64(byte & 0x7f)
            guard byte < 0x80 else { continue }
            if arcs.isEmpty {
                let root = min(value / 40, 2)
                arcs = [root, value - 40 * root]
            } else {
                arcs.append(value)
            }
            value = 0
        }
        return arcs.map { "\($0)" }.joined(separator: ".")
    }
}
