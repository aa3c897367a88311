import ByteCoding
import Testing

@Suite struct HiddenCodePointTests {
    @Test func `every invisible code point after a letter counts as hidden`() {
        for value in Array(0x0...0x323AF) + Array(0xE0000...0xE0FFF) {
            guard let scalar = Unicode.Scalar(UInt32(value)), scalar.properties.isDefaultIgnorableCodePoint else {
                continue
            }
            #expect(HiddenCodePoint.contains(scalar, after: "l"), "\(String(value, radix: 16))")
        }
        for value in Array(0xFE00...0xFE0F) + Array(0xE0100...0xE01EF) + [
            0x180B, 0x34F, 0x115F, 0x17B4, 0x3164, 0xFFA0,
        ] {
            let scalar = Unicode.Scalar(UInt32(value))
            #expect(scalar.map { HiddenCodePoint.contains($0, after: "l") } == true, "\(String(value, radix: 16))")
            #expect(scalar.map { HiddenCodePoint.isPart(of: "Al\($0)ice") } == true, "\(String(value, radix: 16))")
        }
    }

    @Test func `a variation selector after an emoji and letters of all scripts do not count as hidden`() {
        #expect(!HiddenCodePoint.isPart(of: "\u{2764}\u{FE0F}") && !HiddenCodePoint.isPart(of: "\u{1F600}\u{FE0E}"))
        #expect(HiddenCodePoint.isPart(of: "1\u{FE0F}") && HiddenCodePoint.isPart(of: "\u{FE0F}"))
        for text in ["Café Zürich", "検証者", "Проверка", "مدقق", "हिन्दी", "😀", ""] {
            #expect(!HiddenCodePoint.isPart(of: text), "\(text)")
        }
    }
}
