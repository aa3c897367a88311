import ByteCoding
import CBOR
import CodedErrors
import TestSupport
import Testing

@Suite struct CBORReaderTests {
    static let refused: [(String, CBORError.Code)] = [
        ("", .truncated), ("18", .truncated), ("1901", .truncated), ("44010203", .truncated), ("8201", .truncated),
        ("a101", .truncated), ("9f01", .truncated), ("5f4101", .truncated), ("c0", .truncated), ("fb00", .truncated),
        ("9bffffffffffffffff", .truncated), ("bb8000000000000000", .truncated), ("5b7fffffffffffffff00", .truncated),
        ("a2010203", .truncated), ("5b4000000000000000", .truncated),
        ("1c", .badHead), ("3d", .badHead), ("fc", .badHead), ("1f", .badHead), ("3f", .badHead), ("df00", .badHead),
        ("f800", .badSimple), ("f818", .badSimple), ("f81f", .badSimple),
        ("ff", .strayBreak), ("8201ff", .strayBreak), ("bf01ff", .strayBreak), ("a1ff00", .strayBreak),
        ("c0ff", .strayBreak),
        ("5f6161ff", .badChunk), ("7f4161ff", .badChunk), ("5f5f4101ffff", .badChunk), ("5f01ff", .badChunk),
        ("61ff", .notUTF8), ("62c328", .notUTF8), ("63eda080", .notUTF8), ("7f61c361bcff", .notUTF8),
        ("a201000100", .duplicateKey), ("a20100180100", .duplicateKey), ("a2616100616101", .duplicateKey),
        ("bf616100616101ff", .duplicateKey), ("a2616100" + "7f6161ff01", .duplicateKey),
        ("81a1" + "00a220012002", .duplicateKey), ("a2410100410101", .duplicateKey),
        ("a2f500f501", .duplicateKey), ("a2810100810101", .duplicateKey), ("a2c10000c10001", .duplicateKey),
        ("0000", .trailingData), ("8000", .trailingData),
    ]

    private func code(_ bytes: [UInt8], limits: CBORLimits = CBORLimits()) -> CBORError.Code? {
        do throws(CBORError) {
            _ = try CBORValue(parsing: bytes, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [1, 11, 5000, 90_000])
    func `a byte string is no other kind of item, as a key and as a value`(count: Int) throws {
        let bytes: CBORItem = .bytes([UInt8](repeating: 7, count: count))
        let map = try CBORValue(parsing: CBORItem.ordered([[.text("a"), .int(1)], [bytes, .int(2)]]).encoded)
        #expect(map["none"] == nil && map[7] == nil)
        #expect(map["a"]?.int == 1)
        let value = try CBORValue(parsing: bytes.encoded)
        #expect(value.int == nil && value.text == nil && value.array == nil && value.map == nil && value.tagged == nil)
        #expect(value.bytes?.count == count)
    }

    @Test(.shows("MDR-007"), arguments: refused)
    func `CBOR that breaks a rule is refused with the code of the rule`(hex: String, expected: CBORError.Code) throws {
        #expect(code(try #require(Hex.decode(hex))) == expected)
    }

    @Test(arguments: [
        "a1f500", "a1f93c0000", "a18000", "a1c00100", "a1a1000100", "a2810100810200", "a2f500f401", "a2c10000c00001",
    ])
    func `a key of a map may be any item`(hex: String) throws {
        let map = try CBORValue(parsing: try #require(Hex.decode(hex)))
        #expect(map.map?.isEmpty == false && map["a"] == nil && map[1] == nil)
    }

    @Test func `every CBOR error code has an explanation and a case that gives it`() {
        let given = Set(Self.refused.map(\.1) + [.tooLarge, .tooDeep, .tooManyItems, .notEmbedded])
        #expect(given == Set(CBORError.Code.allCases))
        for code in CBORError.Code.allCases { #expect(!code.explanation.meaning.isEmpty) }
    }

    @Test(arguments: [UInt8(0x81), 0xC1, 0x9F])
    func `CBOR items are nested at most 32 deep`(opener: UInt8) {
        let closers = opener == 0x9F ? 1 : 0
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: opener, count: depth) + [0] + Array(repeating: 0xFF, count: depth * closers)
        }
        #expect(code(nested(32)) == nil)
        #expect(code(nested(33)) == .tooDeep)
        #expect(code(nested(10_000)) == .tooDeep)
    }

    @Test func `CBOR with the allowed number of bytes or items is read, and one more is refused`() {
        var limits = CBORLimits()
        limits.maximumBytes = 4
        #expect(code([0x83, 0, 0, 0], limits: limits) == nil)
        #expect(code([0x84, 0, 0, 0, 0], limits: limits) == .tooLarge)
        limits = CBORLimits()
        limits.maximumItems = 4
        #expect(code([0x83, 0, 0, 0], limits: limits) == nil)
        #expect(code([0x84, 0, 0, 0, 0], limits: limits) == .tooManyItems)
        #expect(code([0x5F, 0x40, 0x40, 0x40, 0x40, 0xFF], limits: limits) == .tooManyItems)
    }

    @Test func `an embedded CBOR item in tag 24 is one whole item and has its bytes in the outer input`() throws {
        let outer = CBORItem.array([.int(7), .embedded(.array([.int(1), .text("a")]))]).encoded
        let inner = try #require(try CBORValue(parsing: outer).array?.last)
        #expect(Array(inner.encoding) == [0xD8, 0x18, 0x44, 0x82, 0x01, 0x61, 0x61])
        let value = try inner.embedded()
        #expect(value.range == 5..<9 && outer[value.range].elementsEqual(value.encoding))
        for (item, expected) in [
            (CBORItem.bytes([0]), CBORError.Code.notEmbedded), (.tagged(23, .bytes([0])), .notEmbedded),
            (.tagged(24, .text("a")), .notEmbedded), (.tagged(24, .bytes([0, 0])), .trailingData),
            (.tagged(24, .bytes([])), .truncated), (.tagged(24, .bytes([0x82, 1])), .truncated),
        ] {
            let error = #expect(throws: CBORError.self) { try CBORValue(parsing: item.encoded).embedded() }
            #expect(error?.code == expected)
        }
        let chunked: [UInt8] = [0xD8, 0x18, 0x5F, 0x41, 0x82, 0x42, 0x01, 0x02, 0xFF]
        #expect(try CBORValue(parsing: chunked).embedded().array?.compactMap(\.int) == [1, 2])
    }

    @Test func `an embedded CBOR item that reads past its byte string is refused`() throws {
        let bytes: [UInt8] = [0x82, 0xD8, 0x18, 0x42, 0x82, 0x01, 0x02]
        let inner = try #require(try CBORValue(parsing: bytes).array?.first)
        let error = #expect(throws: CBORError.self) { try inner.embedded() }
        #expect(error?.code == .truncated)
    }

    @Test func `a CBOR item cut short or followed by more is refused`() {
        let item = CBORItem.map([
            .text("a"): .array([.int(500), .float(1.5), .null]), .int(1): .tagged(0, .bytes([1, 2, 3])),
        ]).encoded
        for message in [item, [0xBF, 0x61, 0x61, 0x9F, 0x5F, 0x41, 0x01, 0xFF, 0xFF, 0xFF]] {
            let read: ([UInt8]) throws -> CBORValue? = { try CBORValue(parsing: $0) }
            #expect(DecoderVerifier.acceptedTruncations(of: message, by: read) == [])
            #expect(DecoderVerifier.acceptedExtensions(of: message, by: read) == [])
        }
    }

    @Test func `entries of a CBOR map are found by text and by integer`() throws {
        let map = try CBORValue(
            parsing: CBORItem.map([.int(1): .text("x"), .int(-7): .int(2), .text("k"): .null]).encoded)
        #expect(map[1]?.text == "x" && map[-7]?.int == 2 && map["k"] != nil && map["l"] == nil && map[2] == nil)
    }

    @Test func `a CBOR integer outside of the range of Int reads as nil`() throws {
        #expect(try CBORValue(parsing: CBORItem.unsigned(UInt64(Int.max)).encoded).int == .max)
        #expect(try CBORValue(parsing: CBORItem.unsigned(UInt64(Int.max) + 1).encoded).int == nil)
        #expect(try CBORValue(parsing: CBORItem.negative(UInt64(Int.max)).encoded).int == .min)
        #expect(try CBORValue(parsing: CBORItem.negative(.max).encoded).int == nil)
    }
}
