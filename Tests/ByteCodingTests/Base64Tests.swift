import ByteCoding
import Testing

@Suite struct Base64Tests {
    // RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]) func `the examples of RFC 4648 are written and read`(plain: String, text: String) {
        let unpadded = String(text.prefix { $0 != "=" })
        #expect(Base64.encode(plain.utf8) == text)
        #expect(Base64URL.encode(plain.utf8) == unpadded)
        #expect(Base64URL.encode(plain.utf8, isPadded: true) == text)
        for form in [text, unpadded] {
            #expect(Base64.decode(form) == Array(plain.utf8))
            #expect(Base64URL.decode(form) == Array(plain.utf8))
        }
    }

    @Test func `each alphabet is read alone unless both are asked for`() {
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
    ]) func `wrong padding, other characters and loose bits are refused`(text: String) {
        #expect(Base64.decode(text) == nil)
        #expect(Base64URL.decode(text, acceptsBothAlphabets: true) == nil)
    }

    @Test func `bytes of every length come back`() {
        for count in 0..<100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 91 &+ 200) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
