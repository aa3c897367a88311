import Terminal
import TestSupport
import Testing

@Suite struct TerminalTextTests {
    @Test func `characters without a glyph are shown as code points, and emoji variation selectors are kept`() {
        #expect(TerminalText.sanitised("a\u{34F}b\u{3164}c") == #"a\u{34F}b\u{3164}c"#)
        #expect(TerminalText.sanitised("Al\u{FE00}i\u{FE0F}ce") == #"Al\u{FE00}i\u{FE0F}ce"#)
        #expect(TerminalText.sanitised("\u{FE0F}1\u{FE0F}") == #"\u{FE0F}1\u{FE0F}"#)
        #expect(TerminalText.sanitised("\u{2764}\u{FE0F}") == "\u{2764}\u{FE0F}")
    }

    @Test func `control, direction, format and private characters are made visible`() {
        #expect(TerminalText.sanitised("a\u{1B}[31mb") == "a\\u{1B}[31mb")
        #expect(TerminalText.sanitised("\u{202E}evil") == "\\u{202E}evil")
        #expect(TerminalText.sanitised("a\nb\tc\u{7F}\u{9B}") == "a\\u{A}b\\u{9}c\\u{7F}\\u{9B}")
        #expect(
            TerminalText.sanitised("x\u{200B}\u{2028}\u{E000}\u{E0041}") == "x\\u{200B}\\u{2028}\\u{E000}\\u{E0041}")
    }

    @Test func `letters of any script are kept in terminal text`() {
        for text in ["Café Zürich", "検証者", "Проверка", "مدقق", "😀", "STADONENTRY"] {
            #expect(TerminalText.sanitised(text) == text)
        }
    }

    @Test(.shows("CHK-110")) func `three combining marks on a letter are kept and a fourth is not`() {
        #expect(TerminalText.sanitised("e\u{301}\u{301}\u{301}") == "e\u{301}\u{301}\u{301}")
        #expect(TerminalText.sanitised("e\u{301}\u{301}\u{301}\u{301}").hasSuffix("\\u{301}"))
    }

    @Test func `text of the column limit is kept whole and one column more is cut`() {
        #expect(TerminalText.sanitised("12345", limit: 5) == "12345")
        #expect(TerminalText.sanitised("123456", limit: 5) == "1234…")
        #expect(TerminalText.sanitised("検証者", limit: 5) == "検証…")
        #expect(TerminalText.sanitised("1234\u{1B}", limit: 5) == "1234…")
    }

    @Test func `wide characters count as two columns and combining marks as none`() {
        #expect(TerminalText.width(of: "abc") == 3)
        #expect(TerminalText.width(of: "検証") == 4)
        #expect(TerminalText.width(of: "e\u{301}") == 1)
        #expect(TerminalText.padded("検", to: 4) == "検  ")
        #expect(TerminalText.padded("7", to: 3, alignsRight: true) == "  7")
    }

    @Test func `consecutive spaces of any kind become one in terminal text`() {
        #expect(TerminalText.sanitised("Ada   Sample \u{A0}\u{3000}\u{2003} x") == "Ada Sample x")
        #expect(TerminalText.sanitised("  a ") == " a ")
    }

    @Test func `further lines of a hanging text are indented, wherever it breaks`() {
        let text = String(repeating: "a", count: 35) + " issued by: genuine"
        let lines = TerminalText.hanging(text, indent: 6, width: 30).split(separator: "\n")
        #expect(lines.count == 3 && lines.dropFirst().allSatisfy { $0.hasPrefix("      ") })
        #expect(lines.allSatisfy { TerminalText.width(of: String($0)) <= 30 })
        #expect(TerminalText.hanging(text, indent: 6, width: .max) == text)
        #expect(TerminalText.folded("名名名名名", width: 4) == ["名名", "名名", "名"])
    }

    @Test func `text is wrapped at spaces, and a long word has a line of its own`() {
        #expect(TerminalText.wrapped("one two three", width: 7) == ["one two", "three"])
        #expect(TerminalText.wrapped("a extraordinary b", width: 5) == ["a", "extraordinary", "b"])
        #expect(TerminalText.wrapped("", width: 5) == [""])
    }
}

@Suite struct NumberTextTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (60_419, "60.4 kB"), (551_291, "551 kB"), (999_499, "999 kB"),
        (999_500, "1.00 MB"), (-5, "0 B"),
    ])
    func `byte counts have three digits and a decimal unit`(count: Int, text: String) {
        #expect(NumberText.bytes(count) == text)
    }

    @Test func `decimal numbers are rounded and keep their trailing zeros`() {
        #expect(NumberText.decimal(1.005, places: 1) == "1.0")
        #expect(NumberText.decimal(-0.04, places: 1) == "0.0")
        #expect(NumberText.decimal(-2.5, places: 0) == "-3")
        #expect(NumberText.decimal(.nan, places: 1) == "?")
        #expect(NumberText.decimal(.infinity, places: 1) == "∞")
    }

    @Test func `percentages, seconds, clock times and counts are formatted for people`() {
        #expect(NumberText.percent(0.052) == "5.2 %")
        #expect(NumberText.percent(1) == "100 %")
        #expect(NumberText.percent(0) == "0 %")
        #expect(NumberText.seconds(0.0031) == "3 ms")
        #expect(NumberText.seconds(1.4) == "1.40 s")
        #expect(NumberText.seconds(125) == "2 min 05 s")
        #expect(NumberText.seconds(28_800) == "8 h")
        #expect(NumberText.seconds(30_300) == "8 h 25 min")
        #expect(NumberText.seconds(270_000) == "3 d 03 h")
        #expect(NumberText.clock(6.2) == "0:07")
        #expect(NumberText.clock(nil) == "--:--")
        #expect(NumberText.clock(.infinity) == "--:--")
        #expect(NumberText.count(1_234_567) == "1 234 567")
        #expect(NumberText.count(-12) == "-12")
    }
}

@Suite struct TableTests {
    @Test func `table columns are as wide as their widest cell`() {
        var table = TextTable([.init("name"), .init("bytes", alignsRight: true), .init("note")])
        table.add(["a", "12480", "first"])
        table.add(["longer", "7"])
        #expect(table.lines() == ["name    bytes  note", "a       12480  first", "longer      7"])
    }

    @Test func `a table line too wide for the window is cut with a visible mark`() {
        var table = TextTable([.init(""), .init("")])
        table.add(["key", "0123456789"])
        #expect(table.lines(width: 15) == ["key  0123456789"])
        #expect(table.lines(width: 14) == ["key  01234567…"])
    }
}

@Suite struct JSONTextTests {
    @Test func `JSON members are printed in order without white space`() {
        let value = JSONText.object([
            .init("b", .integer(1)), .init("a", .array([.null, .bool(true), .number(0.5), .number(2)])),
        ])
        #expect(value.line == #"{"b":1,"a":[null,true,0.5,2]}"#)
    }

    @Test func `quotes, control characters and line separators are escaped in JSON output`() {
        #expect(
            JSONText.string("\u{202E}\u{200F}\u{2066}\u{FEFF}x\u{61C}").line
                == #""\u202e\u200f\u2066\ufeffx\u061c""#)
        #expect(
            JSONText.string("\"\\\n\r\t\u{1}\u{1F}\u{7F}\u{2028}é😀").line == #""\"\\\n\r\t\u0001\u001f\u007f\u2028é😀""#)
    }

    @Test func `a number that JSON cannot express is printed as null in JSON output`() {
        #expect(JSONText.number(.infinity).line == "null")
        #expect(JSONText.number(Double.nan, places: 2) == .null)
        #expect(JSONText.number(1.23456, places: 2).line == "1.23")
        #expect(JSONText.string(nil).line == "null")
        #expect(JSONText.integer(nil as Int?).line == "null")
    }
}
