import ByteCoding
import CBOR
import TestSupport
import Testing

/// RFC 8949, appendix A: the encodings and what they mean.
@Suite struct CBORAppendixATests {
    static let items: [(String, CBORItem)] =
        integers + [
            ("f90000", .float(0)), ("f98000", .float(-0.0)), ("f93c00", .float(1)), ("fb3ff199999999999a", .float(1.1)),
            ("f93e00", .float(1.5)), ("f97bff", .float(65504)), ("fa47c35000", .float(100_000)),
            ("fa7f7fffff", .float(3.4028234663852886e38)), ("fb7e37e43c8800759c", .float(1e300)),
            ("f90001", .float(5.960464477539063e-8)), ("f90400", .float(0.00006103515625)), ("f9c400", .float(-4)),
            ("fbc010666666666666", .float(-4.1)), ("f97c00", .float(.infinity)), ("f97e00", .float(.nan)),
            ("f9fc00", .float(-.infinity)), ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
            ("f7", .undefined), ("f0", .simple(16)), ("f8ff", .simple(255)),
            ("c074323031332d30332d32315432303a30343a30305a", .tagged(0, .text("2013-03-21T20:04:00Z"))),
            ("c11a514b67b0", .tagged(1, .int(1_363_896_240))),
            ("c1fb41d452d9ec200000", .tagged(1, .float(1363896240.5))),
            ("d74401020304", .tagged(23, .bytes([1, 2, 3, 4]))),
            ("d818456449455446", .tagged(24, .bytes([0x64, 0x49, 0x45, 0x54, 0x46]))),
            ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .tagged(32, .text("http://www.example.com"))),
            ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6161", .text("a")),
            ("6449455446", .text("IETF")), ("62225c", .text("\"\\")), ("62c3bc", .text("\u{fc}")),
            ("63e6b0b4", .text("\u{6c34}")), ("64f0908591", .text("\u{10151}")), ("80", .array([])),
            ("83010203", .array([.int(1), .int(2), .int(3)])),
            ("8301820203820405", .array([.int(1), .array([.int(2), .int(3)]), .array([.int(4), .int(5)])])),
            (
                "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
                .array((1...25).map { .int($0) })
            ),
            ("a0", .map([:])), ("a201020304", .map([.int(1): .int(2), .int(3): .int(4)])),
            ("a26161016162820203", .map([.text("a"): .int(1), .text("b"): .array([.int(2), .int(3)])])),
            ("826161a161626163", .array([.text("a"), .map([.text("b"): .text("c")])])),
            (
                "a56161614161626142616361436164614461656145",
                .map(Dictionary(uniqueKeysWithValues: "abcde".map { (.text("\($0)"), .text($0.uppercased())) }))
            ),
        ]

    private static let integers: [(String, CBORItem)] = [
        ("00", .int(0)), ("01", .int(1)), ("0a", .int(10)), ("17", .int(23)), ("1818", .int(24)), ("1819", .int(25)),
        ("1864", .int(100)), ("1903e8", .int(1000)), ("1a000f4240", .int(1_000_000)),
        ("1b000000e8d4a51000", .int(1_000_000_000_000)), ("1bffffffffffffffff", .unsigned(.max)),
        ("c249010000000000000000", .tagged(2, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]))),
        ("3bffffffffffffffff", .negative(.max)),
        ("c349010000000000000000", .tagged(3, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]))), ("20", .int(-1)),
        ("29", .int(-10)), ("3863", .int(-100)), ("3903e7", .int(-1000)),
    ]

    /// Encodings that the writer does not choose.
    static let others: [(String, CBORItem)] = [
        ("fa7f800000", .float(.infinity)), ("fa7fc00000", .float(.nan)), ("faff800000", .float(-.infinity)),
        ("fb7ff0000000000000", .float(.infinity)), ("fb7ff8000000000000", .float(.nan)),
        ("fbfff0000000000000", .float(-.infinity)), ("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])),
        ("7f657374726561646d696e67ff", .text("streaming")), ("9fff", .array([])),
        ("9f018202039f0405ffff", .array([.int(1), .array([.int(2), .int(3)]), .array([.int(4), .int(5)])])),
        ("83019f0203ff820405", .array([.int(1), .array([.int(2), .int(3)]), .array([.int(4), .int(5)])])),
        (
            "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
            .array((1...25).map { .int($0) })
        ),
        ("bf61610161629f0203ffff", .map([.text("a"): .int(1), .text("b"): .array([.int(2), .int(3)])])),
        ("826161bf61626163ff", .array([.text("a"), .map([.text("b"): .text("c")])])),
        ("bf6346756ef563416d7421ff", .map([.text("Fun"): .bool(true), .text("Amt"): .int(-2)])),
        ("1b0000000000000001", .int(1)), ("590001aa", .bytes([0xAA])), ("5fff", .bytes([])),
    ]

    @Test(.shows("MDR-002"), arguments: items)
    func `each CBOR example of RFC 8949 appendix A is written as printed`(hex: String, item: CBORItem) {
        #expect(Hex.encode(item.encoded) == hex)
    }

    @Test(arguments: items + others)
    func `each CBOR example of RFC 8949 appendix A is read as its value`(hex: String, item: CBORItem) throws {
        let bytes = try #require(Hex.decode(hex))
        let value = try CBORValue(parsing: bytes)
        #expect(value.item.encoded == item.encoded)
        #expect(Array(value.encoding) == bytes)
    }
}

extension CBORValue {
    /// The item that would be written anew.
    var item: CBORItem {
        switch content {
        case .unsigned(let number): .unsigned(number)
        case .negative(let number): .negative(number)
        case .bytes(let bytes): .bytes(bytes)
        case .text(let text): .text(text)
        case .array(let elements): .array(elements.map(\.item))
        case .map(let entries): .map(Dictionary(uniqueKeysWithValues: entries.map { ($0.key.item, $0.value.item) }))
        case .tagged(let tag, let content): .tagged(tag, content.item)
        case .bool(let value): .bool(value)
        case .null: .null
        case .undefined: .undefined
        case .simple(let value): .simple(value)
        case .float(let number): .float(number)
        }
    }
}
