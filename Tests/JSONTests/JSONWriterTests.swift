import JSON
import Testing

@Suite struct JSONWriterTests {
    @Test func `JSON is written without white space, members in their order`() {
        let value: JSONValue = ["b": [1, -2.5, nil, true, false], "a": ["x": [:], "y": []], "é/": "\"\\/"]
        #expect(value.text == #"{"b":[1,-2.5,null,true,false],"a":{"x":{},"y":[]},"é/":"\"\\/"}"#)
        #expect(JSONValue.strings(["a", "b"]).text == #"["a","b"]"#)
    }

    @Test func `only quotation marks, backslashes and control characters are escaped`() throws {
        let text = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0) })) + "é€😀\u{2028}"
        let written = JSONValue.string(text).text
        #expect(
            written.hasPrefix(#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010"#))
        #expect(written.contains(##"\u001f !\"#$%&'()*+,-./0"##) && written.contains(#"[\\]"#))
        #expect(written.hasSuffix("~\u{7F}é€😀\u{2028}\""))
        #expect(try JSONValue(parsing: written) == .string(text))
    }

    @Test func `JSON that is written is read back unchanged`() throws {
        for (text, value) in GrammarCases.accepted {
            #expect(try JSONValue(parsing: value.encoded) == value)
            #expect(try JSONValue(parsing: try JSONValue(parsing: text).text) == value)
        }
    }

    // Canonical form: RFC 8785.

    @Test func `the example of RFC 8785 section 3.2 becomes its canonical form`() throws {
        let text = #"""
            {
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }
            """#
        let canonical =
            #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
            + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        #expect(try JSONValue(parsing: text).canonical() == Array(canonical.utf8))
    }

    @Test func `canonical JSON orders names by UTF-16 code units, as in RFC 8785 section 3.2.3`() throws {
        let text = #"""
            {"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
             "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}
            """#
        let value = try JSONValue(parsing: JSONValue(parsing: text).canonical())
        #expect(
            value.object?.map(\.value) == [
                "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign",
                "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
            ])
    }

    /// RFC 8785, appendix B: the bits of a double and its text.
    @Test(
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
            (0xC340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
            (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"), (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
            (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
            (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
            (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
            (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
            (0x41B3_DE43_5555_5557, "333333333.33333343"), (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func `canonical JSON writes numbers as in RFC 8785 appendix B`(bits: UInt64, text: String) throws {
        let number = try #require(JSONNumber(Double(bitPattern: bits)))
        #expect(number.text == text)
        #expect(try JSONValue.number(number).canonical() == Array(text.utf8))
    }

    @Test(arguments: [
        ("1", "1"), ("10", "10"), ("1.0", "1"), ("100", "100"), ("1e20", "100000000000000000000"), ("1e21", "1e+21"),
        ("123e19", "1.23e+21"), ("12e19", "120000000000000000000"), ("0.1", "0.1"), ("0.5", "0.5"), ("12.5", "12.5"),
        ("1e-6", "0.000001"), ("1e-7", "1e-7"), ("1.5e-7", "1.5e-7"), ("-1.5e-6", "-0.0000015"), ("-0.0", "0"),
        ("1.25e3", "1250"), ("123456.789", "123456.789"), ("9007199254740993", "9007199254740992"), ("1e-400", "0"),
    ])
    func `equal JSON numbers have one canonical text`(text: String, canonical: String) throws {
        #expect(try JSONValue(parsing: text).canonical() == Array(canonical.utf8))
    }

    @Test(arguments: ["1e400", "-1e309"]) func `a JSON number beyond double has no canonical form`(text: String) throws
    {
        let value = try JSONValue(parsing: "{\"a\":[\(text)]}")
        let error = #expect(throws: JSONError(.numberOutOfRange, at: .root, "")) { try value.canonical() }
        #expect(error?.path?.description == "$.a[0]")
        #expect(JSONNumber(Double.infinity) == nil && JSONNumber(Double.nan) == nil)
    }

    @Test func `the canonical form of canonical JSON is itself`() throws {
        for (_, value) in GrammarCases.accepted {
            let canonical = try value.canonical()
            #expect(try JSONValue(parsing: canonical).canonical() == canonical)
        }
    }
}
