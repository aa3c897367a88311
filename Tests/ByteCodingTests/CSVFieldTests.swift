import ByteCoding
import Testing

@Suite struct CSVFieldTests {
    @Test func `quotation marks in a CSV field are doubled, also before a combining mark`() {
        #expect(CSVField.quoted("a") == "\"a\"")
        #expect(Array(CSVField.quoted("A\"\u{301},=1").utf8) == Array("\"A\"\"\u{301},=1\"".utf8))
        #expect(Array(CSVField.quoted("\"\u{200D}\"").utf8) == Array("\"\"\"\u{200D}\"\"\"".utf8))
    }

    @Test(arguments: [",", "\"", ",\u{301}", "\"\u{301}", "\n", "\r", "\r\n", "\u{B}", "\u{85}", "\u{2028}"])
    func `a CSV field with a comma, quote or line break is quoted`(_ text: String) {
        #expect(CSVField.quotedIfNeeded("a\(text)b").utf8.first == UInt8(ascii: "\""))
    }

    @Test func `a CSV field without commas, quotes and line breaks is not quoted`() {
        for text in ["", "a b", "=1", "é;"] { #expect(CSVField.quotedIfNeeded(text) == text) }
    }

    @Test(arguments: [
        "=1", "+1", "-1", "@a", "=\u{301}1", "+\u{301}", "-\u{301}", "@\u{301}", "\u{FF1D}1", "\u{FF0B}1", "\u{FF0D}1",
        "\u{FF20}a", "\u{FE66}1", "\u{2212}1", "\t=1", "\r", "\n=1", " =1", "\u{200B}=1", "\u{FEFF}=1",
    ])
    func `a formula in a CSV field gets an apostrophe in front`(_ text: String) {
        #expect(Array(CSVField.spreadsheetCell(text).utf8) == Array("\"'\(text)\"".utf8))
    }

    @Test func `a CSV field that starts no formula gets no apostrophe`() {
        for text in ["", " ", "A=1", "'=1", "é", "1-1"] { #expect(CSVField.spreadsheetCell(text) == "\"\(text)\"") }
    }
}
