import JSON
import Testing

@testable import Desk

@Suite struct RawPayloadTextTests {
    private func raw(_ text: String) -> RawPayloadText { RawPayloadText(Array(text.utf8), limits: JSONLimits()) }

    @Test func `of raw text 2,000 lines are shown, and one more is cut off`() {
        for (count, isCut) in [(2000, false), (2001, true)] {
            let raw = raw(Array(repeating: "x", count: count).joined(separator: "\n"))
            #expect(raw.lines.count == 2000)
            #expect(raw.isCut == isCut)
        }
    }

    @Test func `of a raw JSON value 2,000 lines are shown, and one more is cut off`() {
        for (count, isCut) in [(1998, false), (1999, true), (2000, true)] {
            let raw = raw("[" + Array(repeating: "1", count: count).joined(separator: ",") + "]")
            #expect(raw.lines.count == 2000)
            #expect(raw.isCut == isCut)
        }
    }

    @Test func `of a line of raw text 20,000 characters are shown, and one more is cut off`() {
        for (count, isCut) in [(20_000, false), (20_001, true)] {
            let raw = raw(String(repeating: "x", count: count))
            #expect(raw.lines.map(\.utf8.count) == [20_000])
            #expect(raw.isCut == isCut)
        }
    }

    @Test func `of a raw JSON string 300 characters are shown, and of a longer one its size too`() {
        for (count, rest) in [(300, ""), (301, " … 301 bytes")] {
            let text = String(repeating: "x", count: 300)
            #expect(raw("\"" + String(repeating: "x", count: count) + "\"").lines == ["\"" + text + "\"" + rest])
        }
    }

    @Test func `raw JSON has each member on its own line, and empty values on one line`() {
        #expect(
            raw(#"{"a":{},"b":[],"c":[1,{"d":"e"}],"f":null}"#).lines == [
                "{", "  \"a\": {},", "  \"b\": [],", "  \"c\": [", "    1,", "    {", "      \"d\": \"e\"", "    }",
                "  ],",
                "  \"f\": null", "}",
            ])
    }
}
