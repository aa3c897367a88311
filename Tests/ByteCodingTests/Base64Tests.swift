import ByteCoding
import Testing

@Suite struct Base64Tests {
    // RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]) func `the base 64 examples of RFC 4648 are encoded and decoded`(plain: String, text: String) {
        let unpadded = String(text.prefix { $0 != "=" })
        #expect(Base64.encode(plain.utf8) == text)
        #expect(Base64URL.encode(plain.utf8) == unpadded)
        #expect(Base64URL.encode(plain.utf8, isPadded: true) == text)
        for form in [text, unpadded] {
            #expect(Base64.decode(form) == Array(plain.utf8))
            #expect(Base64URL.decode(form) == Array(plain.utf8))
        }
    }

    @Test func `each base 64 alphabet is decoded alone unless both are requested`() {
        let bytes: [UInt8] = [0xFB, 0xFF, 0xBF]
        #expect(Base64.encode(bytes) == "+/+/")
        #expect(Base64URL.encode(bytes) == "-_-_")
        #expect(Base64.decode("-_-_") == nil)
        #expect(Base64URL.decode("+/+/") == nil)
        for text in ["+/+/", "-_-_", "+_-/"] {
            #expect(Base64.decode(text, acceptsBothAlphabets: true) == bytes)
            #expect(Base64URL.decode(text, acceptsBothAlphabets: true) == bytes)
        }
    }

    @Test(arguments: [
        "Z", "Zg=", "Zg===", "Zg====", "=", "==", "===", "====", "Zm8==", "Zm9v=", "Zm9v====", "Z=g=", "Zg==Zg==",
        " Zg==",
        "Zg==\n", "Zm 9v", "Zh==", "Zm9=", "Zh", "Zm9vYh", "Zm9v.mFy", "Zm9vé",
    ]) func `base 64 with wrong padding, other characters or unused bits is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
        #expect(Base64URL.decode(text, acceptsBothAlphabets: true) == nil)
    }

    @Test func `bytes of every length survive base 64 encoding and decoding`() {
        for count in 0..<100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 91 &+ 200) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test func `base 64 is padded when that is requested`() {
        for count in 0..<50 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 57 &+ 251) }
            let text = Base64URL.encode(bytes, isPadded: true)
            #expect(text.utf8.count == (count + 2) / 3 * 4)
            #expect(text.prefix { $0 != "=" } == Base64URL.encode(bytes)[...])
            #expect(Base64URL.decode(text) == bytes)
        }
    }

    @Test func `base 64 appended to other text equals base 64 encoded alone`() {
        for count in 0..<50 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 57 &+ 251) }
            var text = Array("before:".utf8)
            Base64URL.append(bytes, to: &text, isPadded: true)
            Base64URL.append(bytes.reversed(), to: &text)
            let expected = "before:" + Base64URL.encode(bytes, isPadded: true) + Base64URL.encode(bytes.reversed())
            #expect(String(decoding: text, as: UTF8.self) == expected)
        }
    }

    @Test func `base 64 decoding of a run stops at the first character of another alphabet`() throws {
        for count in 0..<50 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 57 &+ 251) }
            for isPadded in [false, true] {
                let digits = Base64URL.encode(bytes, isPadded: isPadded)
                for behind in ["", "\"", "\"AAAAAAAAAAAA", ".", "é", "\0"] {
                    let text = Array((">>" + digits + behind).utf8)
                    let run = try #require(Base64URL.decodeRun(in: text, from: 2, room: 16))
                    #expect(run.bytes == bytes)
                    #expect(run.end == 2 + digits.utf8.count)
                }
            }
        }
        #expect(Base64URL.decodeRun(in: Array("A\"".utf8), from: 0) == nil)
        #expect(Base64URL.decodeRun(in: Array("AB\"".utf8), from: 0) == nil)
        #expect(Base64URL.decodeRun(in: Array("AA=\"".utf8), from: 0) == nil)
        #expect(Base64URL.decodeRun(in: Array("AAAA=\"".utf8), from: 0) == nil)
        #expect(Base64URL.decodeRun(in: Array("AAAAAAAA".utf8), from: 2, limit: 4)?.end == 6)
        #expect(Base64URL.decodeRun(in: Array("AAAAAAAA".utf8), from: 2, limit: 0)?.end == 2)
        #expect(Base64URL.decodeRun(in: [], from: 1) == nil)
        #expect(Base64URL.decodeRun(in: [], from: -1) == nil)
        #expect(
            Base64URL.decodeRun(in: Array("+/8=".utf8), from: 0, acceptsBothAlphabets: true)?.bytes == [0xFB, 0xFF])
        #expect(Base64URL.decodeRun(in: Array("+/8=".utf8), from: 0)?.end == 0)
    }

    @Test func `a character outside of the base 64 alphabet is refused at any position`() {
        let text = Array(Base64URL.encode(0..<60).utf8)
        for position in text.indices {
            for stranger in [UInt8(0), 0x20, 0x22, 0x2B, 0x2E, 0x3D, 0x40, 0x5B, 0x60, 0x7B, 0x80, 0xFF] {
                var changed = text
                changed[position] = stranger
                let run = Base64URL.decodeRun(in: changed, from: 0)
                #expect(run == nil || run?.end ?? .max <= position + 1)
                #expect(run?.bytes ?? [] == Array((0..<60).prefix(run?.bytes.count ?? 0)))
            }
        }
    }
}
