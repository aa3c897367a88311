import ByteCoding
import Determinism
import JSON
import TestSupport
import Testing

@testable import DIDComm

@Suite struct ForwardMessageTests {
    private let inner = #"{"protected":"e30=", "iv":"AA"}"#

    private func message(_ msg: String, type: String = "https://didcomm.org/routing/1.0/forward", to: String = "\"x\"")
        -> [UInt8]
    {
        Array("{\"@type\":\"\(type)\",\"@id\":\"1\",\"to\":\(to),\"msg\":\(msg)}".utf8)
    }

    @Test func `the envelope of a forward is an object, kept byte for byte, or a text that holds one`() throws {
        let quoted = JSONValue.string(inner).text
        let forms = [
            inner, quoted, "\"\(Base64.encode(inner.utf8))\"", "\"\(Base64URL.encode(inner.utf8))\"",
            "\"\(Base64URL.encode((" \n" + inner).utf8))\"",
        ]
        for (index, form) in forms.enumerated() {
            let forward = try ForwardMessage(parsing: message(form))
            let expected = index == 4 ? " \n" + inner : inner
            #expect(forward.envelope == Array(expected.utf8))
            #expect(forward.recipient == "x")
            #expect(forward.recipientKey == nil)
        }
    }

    @Test(arguments: ["1", "null", "[]", "true", "\"\"", "\"hello\"", "\"AAAA\"", "\"[1]\""])
    func `a forward without an envelope object is refused`(form: String) {
        #expect(throws: DIDCommError(.forwardMalformed, "")) { try ForwardMessage(parsing: message(form)) }
    }

    @Test func `forwards of both prefixes and every minor version are read, and other messages are not`() throws {
        for type in [
            "https://didcomm.org/routing/1.0/forward", "https://didcomm.org/routing/1.7/forward",
            "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/routing/1.0/forward",
        ] {
            #expect(throws: Never.self) { try ForwardMessage(parsing: message(inner, type: type)) }
        }
        for type in [
            "https://didcomm.org/routing/2.0/forward", "https://didcomm.org/routing/1.0/forwards",
            "https://didcomm.org/routing/1/forward", "https://didcomm.org/routing/1.x/forward", "routing/1.0/forward",
            "https://didcomm.org/trust_ping/1.0/ping", "",
        ] {
            #expect(throws: DIDCommError(.forwardMalformed, "")) {
                try ForwardMessage(parsing: message(inner, type: type))
            }
        }
    }

    @Test func `the next recipient of a forward has at most 2,048 bytes`() throws {
        #expect(throws: Never.self) {
            try ForwardMessage(parsing: message(inner, to: "\"\(String(repeating: "a", count: 2048))\""))
        }
        for to in ["\"\"", "1", "null", "\"\(String(repeating: "a", count: 2049))\""] {
            #expect(throws: DIDCommError(.forwardMalformed, "")) { try ForwardMessage(parsing: message(inner, to: to)) }
        }
        let key = try EnvelopeSamples.trustee().verkey
        for name in [key.base58, key.didKey] {
            #expect(try ForwardMessage(parsing: message(inner, to: "\"\(name)\"")).recipientKey == key)
        }
    }

    @Test func `a forward is read as it was written, and refused when cut short or followed by more`() throws {
        let forward = ForwardMessage(to: try EnvelopeSamples.trustee().verkey, envelope: Array(inner.utf8))
        let bytes = forward.encoded(identifier: "a\"b")
        #expect(try ForwardMessage(parsing: bytes) == forward)
        #expect(try JSONDocument(parsing: bytes).reader.string("@id") == "a\"b")
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { try ForwardMessage(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { try ForwardMessage(parsing: $0) } == [])
    }

    @Test func `a forward beyond the limits is refused`() throws {
        let bytes = message(inner)
        #expect(throws: Never.self) {
            try ForwardMessage(parsing: bytes, limits: EnvelopeLimits(maximumBytes: bytes.count))
        }
        #expect(throws: DIDCommError(.forwardMalformed, "")) {
            try ForwardMessage(parsing: bytes, limits: EnvelopeLimits(maximumBytes: bytes.count - 1))
        }
    }

    @Test func `a message with several routing keys is unwrapped from the last routing key to the first`() throws {
        let (trustee, first, second) = (
            try EnvelopeSamples.trustee(), try EnvelopeSamples.steward(), try EnvelopeSamples.other()
        )
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 5)
        let envelope = try EnvelopeSamples.authcrypted()
        let wrapped = try codec.wrap(
            envelope, for: trustee.verkey, via: [first.verkey, second.verkey], random: &random)
        let outer = try codec.unpack(wrapped) { $0 == second.verkey ? second : nil }
        let toFirst = try ForwardMessage(parsing: outer.plaintext)
        #expect(toFirst.recipientKey == first.verkey)
        let next = try codec.unpack(toFirst.envelope) { $0 == first.verkey ? first : nil }
        let toTrustee = try ForwardMessage(parsing: next.plaintext)
        #expect(toTrustee.recipientKey == trustee.verkey)
        #expect(toTrustee.envelope == envelope)
        let identifier = try JSONDocument(parsing: outer.plaintext).reader.string("@id")
        #expect(identifier.utf8.count == 36 && identifier.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        #expect(identifier != (try JSONDocument(parsing: next.plaintext).reader.string("@id")))
    }

    @Test func `without routing keys an envelope is not wrapped`() throws {
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 5)
        #expect(try codec.wrap([1, 2], for: EnvelopeSamples.trustee().verkey, via: [], random: &random) == [1, 2])
    }
}
