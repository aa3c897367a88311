import ByteCoding
import JSON
import TestSupport
import Testing

@Suite struct JSONDocumentTests {
    private static let letter = #" {"a" : [1, {"b\u0041": "x\"]}" , "c":-0.5e1}], "é":{} ,"n":null} "#

    private func bytes(_ path: JSONPath, in text: String = letter) throws -> String {
        String(decoding: try JSONDocument(parsing: text).bytes(at: path), as: UTF8.self)
    }

    @Test func `a JSON document returns its own bytes and those of every value in it`() throws {
        let document = try JSONDocument(parsing: Self.letter)
        #expect(document.bytes == Array(Self.letter.utf8))
        #expect(try bytes([]) == Self.letter.dropFirst().dropLast())
        #expect(try bytes(["a"]) == #"[1, {"b\u0041": "x\"]}" , "c":-0.5e1}]"#)
        #expect(try bytes(["a", 0]) == "1")
        #expect(try bytes(["a", 1, "bA"]) == #""x\"]}""#)
        #expect(try bytes(["a", 1, "c"]) == "-0.5e1")
        #expect(try bytes(["é"]) == "{}")
        #expect(try bytes(["n"]) == "null")
        #expect(try bytes([], in: "  12 ") == "12")
        #expect(try bytes([1], in: "[true,false]") == "false")
    }

    @Test func `a request for a missing value's bytes in a JSON document is refused with the path`() throws {
        #expect(throws: JSONError(.missing, at: .root, "")) { try bytes(["b"]) }
        #expect(throws: JSONError(.missing, at: .root, "")) { try bytes(["a", 2]) }
        #expect(throws: JSONError(.missing, at: .root, "")) { try bytes(["a", -1]) }
        #expect(throws: JSONError(.wrongKind, at: .root, "")) { try bytes(["a", "x"]) }
        #expect(throws: JSONError(.wrongKind, at: .root, "")) { try bytes(["n", 0]) }
        let error = #expect(throws: JSONError.self) { try bytes(["a", 1, "d"]) }
        #expect(error?.path?.description == "$.a[1].d")
    }

    @Test func `a JSON member is found by its code points, not by its appearance`() throws {
        let text = "{\"e\u{301}\":1,\"\u{E9}\":2}"
        #expect(try bytes(["\u{E9}"], in: text) == "2")
        #expect(try JSONDocument(parsing: text).value["\u{E9}"] == 2)
        #expect(try JSONDocument(parsing: text).value["e\u{301}"] == 1)
    }

    @Test func `a JSON document cut short or followed by more is refused`() {
        for text in [#"{"a":[1,2.5e3,"x\n\ud83d\ude00é",null,true,false,{}]}"#, "[]", #""abc""#] {
            let message = Array(text.utf8)
            #expect(DecoderVerifier.acceptedTruncations(of: message) { try JSONDocument(parsing: $0) } == [])
            #expect(DecoderVerifier.acceptedExtensions(of: message) { try JSONDocument(parsing: $0) } == [])
            #expect(DecoderVerifier.acceptedTruncations(of: message) { try JSONValue(parsing: $0) } == [])
        }
    }
}
