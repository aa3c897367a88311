import JSON
import TestSupport
import Testing

@testable import DIDComm

@Suite(.enabled(if: OutsideVectors.arePresent, "skipped: outside vectors not present"))
struct EnvelopeVectorTests {
    @Test(.shows("CHK-078", "CHK-136"), arguments: ["rfc0019", "generated_pack"])
    func `envelopes of RFC 0019 and of another agent open with their sender and their text`(list: String) throws {
        let vectors = try EnvelopeVectors.reader().elements(list)
        #expect(vectors.count == (list == "rfc0019" ? 2 : 3))
        for vector in vectors {
            let envelope = try EnvelopeVectors.envelope(vector)
            let key = try EnvelopeSamples.key(vector.string("recipient_seed_ascii"))
            var codec = EnvelopeCodec()
            let opened = try codec.unpack(envelope) { $0 == key.verkey ? key : nil }
            #expect(opened.plaintext == Array(try vector.string("plaintext").utf8))
            #expect(opened.recipient == key.verkey)
            #expect(try sender(opened) == vector.optionalString("sender_verkey"))
            if case .authenticated(let message) = opened {
                // The envelope that the RFC prints is for two.
                let isForOne = try vector.optionalString("name")?.contains("one recipient") ?? false
                #expect(message.isSenderExclusive == isForOne)
            }
        }
    }

    @Test func `a published envelope for two recipients opens with either key`() throws {
        let vector = try EnvelopeVectors.reader().elements("generated_pack")[1]
        let envelope = try EnvelopeVectors.envelope(vector)
        for seed in ["000000000000000000000000Trustee1", "testseed000000000000000000000001"] {
            let key = try EnvelopeSamples.key(seed)
            var codec = EnvelopeCodec()
            let opened = try codec.unpack(envelope) { $0 == key.verkey ? key : nil }
            #expect(opened.recipient == key.verkey)
            #expect(opened.plaintext == Array(try vector.string("plaintext").utf8))
        }
    }

    @Test func `published envelopes with a change are refused`() throws {
        let vectors = try EnvelopeVectors.reader().elements("generated_pack_negative")
        #expect(vectors.count == 2)
        for vector in vectors {
            let envelope = try EnvelopeVectors.envelope(vector)
            #expect(throws: DIDCommError.self) { try EnvelopeSamples.open(envelope) }
        }
    }

    @Test func `two layers packed by another agent are unwrapped from the last routing key to the first`() throws {
        let reader = try EnvelopeVectors.reader()
        let vector = try reader.member("generated_forward")
        let seeds = try vector.strings("routing_seeds_in_routingKeys_order")
        let first = try EnvelopeSamples.key(seeds[0])
        let second = try EnvelopeSamples.key(seeds[1])
        var codec = EnvelopeCodec()
        let outer = try codec.unpack(EnvelopeVectors.envelope(vector)) { $0 == second.verkey ? second : nil }
        guard case .anonymous(let outerMessage) = outer else {
            Issue.record("a layer is anonymous")
            return
        }
        let toFirst = try ForwardMessage(parsing: outerMessage.plaintext)
        #expect(toFirst.recipientKey == first.verkey)
        let inner = try codec.unpack(toFirst.envelope) { $0 == first.verkey ? first : nil }
        let toTrustee = try ForwardMessage(parsing: inner.plaintext)
        #expect(toTrustee.recipientKey == (try EnvelopeSamples.trustee().verkey))
        let original = try reader.elements("generated_pack")[0].member("envelope").value
        #expect(try JSONValue(parsing: toTrustee.envelope) == original)
        #expect(throws: Never.self) { try EnvelopeSamples.open(toTrustee.envelope) }
    }

    private func sender(_ opened: OpenedEnvelope) -> String? {
        if case .authenticated(let message) = opened { message.sender.base58 } else { nil }
    }
}
