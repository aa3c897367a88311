import JSON
import TestSupport
import Testing

@Suite struct JSONParserTests {
    private func code(_ bytes: [UInt8], limits: JSONLimits = .standard) -> JSONError.Code? {
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: GrammarCases.accepted) func `valid JSON is parsed to its value`(text: String, value: JSONValue)
        throws
    {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(.shows("ARI-035", "CHK-079"), arguments: GrammarCases.refused)
    func `JSON that breaks the grammar is refused with its code`(text: String, expected: JSONError.Code) {
        #expect(code(Array(text.utf8)) == expected)
    }

    @Test(arguments: GrammarCases.refusedBytes)
    func `JSON bytes that are no UTF-8 are refused with their code`(bytes: [UInt8], expected: JSONError.Code) {
        #expect(code(bytes) == expected)
    }

    @Test(arguments: GrammarCases.texts) func `escapes in JSON strings and names are decoded to their code points`(
        written: String, text: String
    ) throws {
        let value = try JSONValue(parsing: "\"" + written + "\"")
        #expect(value.string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(
            try JSONValue(parsing: "{\"" + written + "\":0}").object?.names.map { Array($0.utf8) } == [Array(text.utf8)]
        )
    }

    @Test(arguments: GrammarCases.numbers) func `JSON numbers keep their text`(text: String) throws {
        #expect(try JSONValue(parsing: text).number?.text == text)
        #expect(try JSONValue(parsing: "[" + text + "]").text == "[" + text + "]")
        #expect(JSONNumber(text: text)?.text == text)
    }

    @Test(arguments: GrammarCases.noNumbers) func `text that is no JSON number is refused`(text: String) {
        #expect(JSONNumber(text: text) == nil)
        #expect(code(Array(text.utf8)) != nil)
        #expect(code(Array("[\(text)]".utf8)) != nil)
    }

    @Test func `an unescaped control character in a JSON string is refused`() throws {
        for byte in UInt8(0)..<0x20 {
            #expect(code([0x22, byte, 0x22]) == .controlCharacter)
            let digits = String(byte, radix: 16)
            let escape = "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            #expect(try JSONValue(parsing: "\"\(escape)\"") == .string(String(Unicode.Scalar(byte))))
        }
        #expect(try JSONValue(parsing: "\"\u{7F}\"") == .string("\u{7F}"))
    }

    @Test func `every character after a backslash is a known escape or refused`() {
        let known = Set("\"\\/bfnrtu".utf8)
        for byte in UInt8(0x20)..<0x7F where !known.contains(byte) {
            #expect(code([0x22, 0x5C, byte, 0x22]) == .badEscape)
        }
    }

    @Test func `every byte at the start of a JSON value is either a valid start or refused`() {
        let values: [UInt8: [UInt8]] = [
            0x22: Array("\"\"".utf8), 0x5B: Array("[]".utf8), 0x7B: Array("{}".utf8), 0x74: Array("true".utf8),
            0x66: Array("false".utf8), 0x6E: Array("null".utf8),
        ]
        for byte in UInt8(0)...255 {
            let isDigit = (0x30...0x39).contains(byte)
            let bytes = values[byte] ?? [byte]
            let expected: JSONError.Code? =
                switch byte {
                case 0x2D: .truncated
                case 0x20, 0x09, 0x0A, 0x0D: .truncated
                default: isDigit || values[byte] != nil ? nil : .syntax
                }
            #expect(code(bytes) == expected, "byte \(byte)")
        }
    }

    @Test func `a JSON string is read whole at any length, whatever it contains`() throws {
        for length in 0...40 {
            let text = String(repeating: "a", count: length)
            #expect(try JSONValue(parsing: "\"\(text)\"") == .string(text))
            #expect(try JSONValue(parsing: "\"\(text)é\(text)\"") == .string(text + "é" + text))
            #expect(try JSONValue(parsing: "\"\(text)\\n\(text)\"") == .string(text + "\n" + text))
            #expect(code(Array("\"\(text)\u{1}\(text)\"".utf8)) == .controlCharacter)
            #expect(code(Array("\"\(text)".utf8)) == .truncated)
        }
    }

    @Test(.shows("CHK-079")) func `a JSON error states the byte offset`() {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: #"{"a":1,"a":2}"#) }
        #expect(error?.offset == 7)
        #expect(error?.path == nil)
        #expect(error?.description == "json.duplicate-name: a name that was there before is at byte 7")
    }
}
