import Testing

@testable import Desk

@Suite struct DisplayTextTests {
    @Test(arguments: [
        "Amina Diallo", "أمينة ديالو", "नमस्ते", "Łódź – “5 €”", "e\u{301}", "👩🏽‍🚀", "❤\u{FE0F}", "क्‍ष", "می‌خواهم",
    ])
    func `ordinary text in any language is displayed unchanged`(_ text: String) {
        #expect(DisplayText(text).text == text)
        #expect(!DisplayText(text).hasHidden)
    }

    @Test(arguments: [
        ("a\u{202E}b", "a⟨U+202E⟩b"), ("\u{2066}x\u{2069}", "⟨U+2066⟩x⟨U+2069⟩"), ("a\u{200B}b", "a⟨U+200B⟩b"),
        ("a\u{200D}b", "a⟨U+200D⟩b"), ("\u{FEFF}x", "⟨U+FEFF⟩x"), ("a\u{0}b", "a⟨U+0000⟩b"),
        ("x\u{E0041}", "x⟨U+E0041⟩"), ("\u{2028}", "⟨U+2028⟩"), ("\u{200F}", "⟨U+200F⟩"), ("\u{E000}", "⟨U+E000⟩"),
        ("पा\u{200D}", "पा⟨U+200D⟩"), ("Al\u{FE00}ice", "Al⟨U+FE00⟩ice"), ("Al\u{FE0F}ice", "Al⟨U+FE0F⟩ice"),
        ("\u{FE0E}", "⟨U+FE0E⟩"), ("❤\u{FE01}", "❤⟨U+FE01⟩"), ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}⟨U+FE0F⟩"),
    ])
    func `a control or invisible character is displayed as its code point`(_ text: String, _ shown: String) {
        #expect(DisplayText(text).text == shown)
        #expect(DisplayText(text).hasHidden)
    }

    @Test func `line breaks and tabs in displayed text become blanks`() {
        #expect(DisplayText("a\n\tb").text == "a  b")
    }

    @Test func `four combining marks on a letter are displayed, and a fifth is not`() {
        #expect(DisplayText("x" + String(repeating: "\u{301}", count: 4)).text.unicodeScalars.count == 5)
        #expect(!DisplayText("x" + String(repeating: "\u{301}", count: 4)).hasHidden)
        #expect(DisplayText("x" + String(repeating: "\u{301}", count: 5)).text.unicodeScalars.count == 5)
        #expect(DisplayText("x" + String(repeating: "\u{301}", count: 5)).hasHidden)
    }

    @Test func `displayed text at the limit is whole, and one byte past it is cut`() {
        for (count, isCut) in [(2000, false), (2001, true)] {
            let text = DisplayText(String(repeating: "x", count: count))
            #expect(text.text.utf8.count == 2000)
            #expect(text.isCut == isCut)
        }
        #expect(DisplayText("abc", limit: 3).text == "abc")
        #expect(!DisplayText("abc", limit: 3).isCut)
        #expect(DisplayText("abcd", limit: 3).text == "abc")
        #expect(DisplayText("abcd", limit: 3).isCut)
    }
}
