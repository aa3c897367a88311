import Testing

@testable import HandoverCommands

@Suite struct PayloadKindTests {
    @Test(arguments: [
        (#"{"a":1}"#, PayloadKind.json), (" [1]\n", .json), ("{\"a\":1", .text), ("aGk.aGk.c2ln", .jwt),
        ("aGk.aGk.c2ln\n", .jwt), ("aGk.aGk.", .jwt), ("aGk.aGk.c2ln~WyJ4Il0~", .sdJWT),
        ("aGk.aGk.c2ln~WyJ4Il0~aGk.aGk.c2ln", .sdJWT), ("aGk.aGk", .text), (".aGk.aGk", .text), ("a b.c.d", .text),
        ("hello", .text), ("a\u{1}b", .binary), ("", .binary),
    ])
    func `the kind of a payload is recognised from its first characters`(text: String, kind: PayloadKind) {
        #expect(PayloadKind(of: Array(text.utf8)) == kind)
    }

    @Test func `a payload that is no UTF-8 is of kind binary`() {
        #expect(PayloadKind(of: [0xFF, 0xFE]) == .binary)
    }
}
