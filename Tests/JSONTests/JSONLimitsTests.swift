import JSON
import TestSupport
import Testing

@Suite struct JSONLimitsTests {
    private func code(_ text: String, _ limits: JSONLimits) -> JSONError.Code? {
        do throws(JSONError) {
            _ = try JSONValue(parsing: text, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    private func limits(_ change: (inout JSONLimits) -> Void) -> JSONLimits {
        var limits = JSONLimits()
        change(&limits)
        return limits
    }

    @Test(.shows("ARI-035", "CHK-083")) func `a JSON document has at most the allowed number of bytes`() {
        let four = limits { $0.maximumBytes = 4 }
        #expect(code("null", four) == nil)
        #expect(code("null ", four) == .tooLarge)
        #expect(code("", limits { $0.maximumBytes = 0 }) == .truncated)
        #expect(code("1", limits { $0.maximumBytes = 0 }) == .tooLarge)
    }

    @Test(.shows("ARI-035", "CHK-084")) func `brackets in JSON are nested at most to the allowed depth`() {
        let two = limits { $0.maximumDepth = 2 }
        #expect(code("[[1],[2],{}]", two) == nil)
        #expect(code("{\"a\":[1]}", two) == nil)
        #expect(code("[[[]]]", two) == .tooDeep)
        #expect(code("[[{}]]", two) == .tooDeep)
        #expect(code("1", limits { $0.maximumDepth = 0 }) == nil)
        #expect(code("[]", limits { $0.maximumDepth = 0 }) == .tooDeep)
        let deepest = limits { $0.maximumDepth = JSONLimits.greatestDepth }
        let open = String(repeating: "[", count: 128)
        let close = String(repeating: "]", count: 128)
        #expect(code(open + close, deepest) == nil)
        #expect(code("[" + open + close + "]", deepest) == .tooDeep)
        #expect(code(String(repeating: "{\"a\":", count: 100_000), deepest) == .tooDeep)
    }

    @Test func `a JSON string has at most the allowed number of bytes`() {
        let four = limits { $0.maximumStringBytes = 4 }
        for text in ["abcd", "éé", "😀", "a\\nbc", "\\u00e9é", "\\ud83d\\ude00", "\\n\\n\\n\\n", ""] {
            #expect(code("\"\(text)\"", four) == nil)
            #expect(code("{\"\(text)\":1}", four) == nil)
        }
        for text in ["abcde", "ééa", "😀a", "a\\nbcd", "\\u00e9éa", "a\\ud83d\\ude00", "\\n\\n\\n\\n\\n"] {
            #expect(code("\"\(text)\"", four) == .stringTooLong)
            #expect(code("{\"\(text)\":1}", four) == .stringTooLong)
        }
        #expect(code("\"\"", limits { $0.maximumStringBytes = 0 }) == nil)
        #expect(code("\"a\"", limits { $0.maximumStringBytes = 0 }) == .stringTooLong)
    }

    @Test func `a JSON number has at most the allowed number of characters`() {
        let four = limits { $0.maximumNumberBytes = 4 }
        for text in ["1234", "-1.5", "1e10", "[1,2,3,4,5]"] { #expect(code(text, four) == nil) }
        for text in ["12345", "-1.55", "1e100", "[1,23456]"] { #expect(code(text, four) == .numberTooLong) }
    }

    @Test func `a JSON object has at most the allowed number of members`() {
        let two = limits { $0.maximumMembers = 2 }
        #expect(code(#"{"a":{"c":1,"d":2},"b":2}"#, two) == nil)
        #expect(code(#"{"a":1,"b":2,"c":3}"#, two) == .tooManyMembers)
        #expect(code("{}", limits { $0.maximumMembers = 0 }) == nil)
        #expect(code(#"{"a":1}"#, limits { $0.maximumMembers = 0 }) == .tooManyMembers)
    }

    @Test func `a JSON array has at most the allowed number of elements`() {
        let two = limits { $0.maximumElements = 2 }
        #expect(code("[[1,2],[1,2]]", two) == nil)
        #expect(code("[1,2,3]", two) == .tooManyElements)
        #expect(code("[]", limits { $0.maximumElements = 0 }) == nil)
        #expect(code("[1]", limits { $0.maximumElements = 0 }) == .tooManyElements)
    }

    @Test func `the standard JSON limits are the documented ones`() {
        let standard = JSONLimits.standard
        #expect(standard.maximumBytes == 1_048_576 && standard.maximumStringBytes == 1_048_576)
        #expect(standard.maximumDepth == 32 && standard.maximumNumberBytes == 128)
        #expect(standard.maximumMembers == 10_000 && standard.maximumElements == 10_000)
    }
}
