import Testing

@testable import HandoverCommands

@Suite struct ReceivedPayloadKindTests {
    @Test(arguments: [
        (#"{"a":1}"#, ReceivedPayloadKind.json), (" [1]\n", .json), ("{\"a\":1", .text), ("aGk.aGk.c2ln", .jwt),
        ("aGk.aGk.c2ln\n", .jwt), ("aGk.aGk.", .jwt), ("aGk.aGk.c2ln~WyJ4Il0~", .sdJWT),
        ("aGk.aGk.c2ln~WyJ4Il0~aGk.aGk.c2ln", .sdJWT), ("aGk.aGk", .text), (".aGk.aGk", .text), ("a b.c.d", .text),
        ("hello", .text), ("a\u{1}b", .binary), ("", .binary),
    ])
    func `the kind of a payload is recognised from its first characters`(text: String, kind: ReceivedPayloadKind) {
        #expect(ReceivedPayloadKind(of: Array(text.utf8)) == kind)
    }

    @Test(arguments: [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], ReceivedPayloadKind.png),
        ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg),
        (Array("GIF89a".utf8), .gif), (Array("RIFF....WEBPVP8 ".utf8), .webP), (Array("%PDF-1.7\n".utf8), .pdf),
        ([0x50, 0x4B, 3, 4, 20], .zip), ([0x1F, 0x8B, 8, 0], .gzip),
        (Array(repeating: 0, count: 257) + Array("ustar\u{0}00".utf8), .tar), ([0x89, 0x50], .binary),
    ])
    func `received pictures, documents and archives get the file suffix of their format`(
        bytes: [UInt8], kind: ReceivedPayloadKind
    ) {
        #expect(ReceivedPayloadKind(of: bytes) == kind)
    }

    @Test func `a payload that is no UTF-8 is of kind binary`() {
        #expect(ReceivedPayloadKind(of: [0xFF, 0xFE]) == .binary)
    }
}
