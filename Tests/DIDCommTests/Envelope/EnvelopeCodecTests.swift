import ByteCoding
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import DIDComm

@Suite struct EnvelopeCodecTests {
    @Test func `a message packed with authcrypt is unpacked with its sender`() throws {
        let opened = try EnvelopeSamples.open(EnvelopeSamples.authcrypted())
        #expect(
            opened
                == .authenticated(
                    AuthenticatedMessage(
                        plaintext: EnvelopeSamples.message, sender: try EnvelopeSamples.steward().verkey,
                        recipient: try EnvelopeSamples.trustee().verkey, isSenderExclusive: true)))
    }

    @Test func `a message packed with anoncrypt is unpacked without a sender`() throws {
        let opened = try EnvelopeSamples.open(EnvelopeSamples.anoncrypted())
        #expect(
            opened
                == .anonymous(
                    AnonymousMessage(
                        plaintext: EnvelopeSamples.message, recipient: try EnvelopeSamples.trustee().verkey)))
    }

    @Test(arguments: [0, 1, 2, 3, 1000, 65_536]) func `messages of any length are packed and unpacked unchanged`(
        count: Int
    ) throws {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 4)
        let envelope = try codec.pack(
            message, from: EnvelopeSamples.steward(), to: [EnvelopeSamples.trustee().verkey], random: &random)
        #expect(try EnvelopeSamples.open(envelope).plaintext == message)
    }

    @Test func `the same randomness gives the same envelope, and other randomness a different one`() throws {
        #expect(try EnvelopeSamples.authcrypted() == EnvelopeSamples.authcrypted())
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 1)
        let recipients = [try EnvelopeSamples.trustee().verkey]
        let first = try codec.pack(
            EnvelopeSamples.message, from: EnvelopeSamples.steward(), to: recipients, random: &random)
        let second = try codec.pack(
            EnvelopeSamples.message, from: EnvelopeSamples.steward(), to: recipients, random: &random)
        #expect(first == (try EnvelopeSamples.authcrypted()))
        #expect(second != first)
        #expect(try EnvelopeSamples.open(second) == EnvelopeSamples.open(first))
    }

    @Test func `an envelope is written as RFC 0019 prints it, in base64url with padding`() throws {
        let envelope = try JSONValue(parsing: EnvelopeSamples.authcrypted())
        let reader = JSONValueReader(envelope)
        #expect(try reader.object().names == ["protected", "iv", "ciphertext", "tag"])
        for name in ["protected", "iv", "ciphertext", "tag"] {
            let text = try reader.string(name)
            #expect(text.utf8.count % 4 == 0)
            #expect(Base64URL.decode(text) != nil)
        }
        let header = try #require(Base64URL.decode(reader.string("protected")))
        let inside = JSONValueReader(try JSONValue(parsing: header))
        #expect(try inside.object().names == ["enc", "typ", "alg", "recipients"])
        #expect(try inside.string("enc") == "xchacha20poly1305_ietf")
        #expect(try inside.string("typ") == "JWM/1.0")
        #expect(try inside.string("alg") == "Authcrypt")
        let recipient = try inside.elements("recipients")[0]
        #expect(try recipient.object().names == ["encrypted_key", "header"])
        #expect(try recipient.object("header").names == ["kid", "sender", "iv"])
        #expect(try recipient.object("header")["kid"] == .string(EnvelopeSamples.trustee().verkey.base58))
    }

    @Test(.shows("CHK-136"))
    func `each of several recipients opens the envelope and learns that there are others`() throws {
        let (steward, trustee, other) = (
            try EnvelopeSamples.steward(), try EnvelopeSamples.trustee(), try EnvelopeSamples.other()
        )
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 9)
        let envelope = try codec.pack(
            EnvelopeSamples.message, from: steward, to: [other.verkey, trustee.verkey], random: &random)
        for key in [trustee, other] {
            let opened = try codec.unpack(envelope) { $0 == key.verkey ? key : nil }
            guard case .authenticated(let message) = opened else {
                Issue.record("authcrypt has a sender")
                continue
            }
            #expect(message.sender == steward.verkey && message.recipient == key.verkey)
            #expect(!message.isSenderExclusive)
        }
        #expect(throws: DIDCommError(.envelopeNotForUs, "")) { try codec.unpack(envelope) { _ in nil } }
    }

    @Test func `an envelope codec with a filled cache gives the same results as a new one`() throws {
        let (steward, trustee) = (try EnvelopeSamples.steward(), try EnvelopeSamples.trustee())
        var warm = EnvelopeCodec(cache: KeyAgreementCache(capacity: 4))
        for seed in UInt64(0)..<6 {
            var random = SeededRandom(seed: seed)
            var again = SeededRandom(seed: seed)
            var cold = EnvelopeCodec()
            let envelope = try warm.pack([1, 2], from: steward, to: [trustee.verkey], random: &random)
            #expect(try cold.pack([1, 2], from: steward, to: [trustee.verkey], random: &again) == envelope)
            cold.cache.removeAll()
            let opened = try warm.unpack(envelope) { $0 == trustee.verkey ? trustee : nil }
            #expect(try cold.unpack(envelope) { $0 == trustee.verkey ? trustee : nil } == opened)
        }
    }

    @Test(.shows("CHK-081")) func `a wrong private key for a recipient opens no envelope`() throws {
        let other = try EnvelopeSamples.other()
        var codec = EnvelopeCodec()
        let envelope = try EnvelopeSamples.authcrypted()
        #expect(throws: DIDCommError(.envelopeNotForUs, "")) { try codec.unpack(envelope) { _ in other } }
    }

    @Test(.shows("CHK-060")) func `packing for a recipient key of small order is refused`() throws {
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 1)
        let unsafe = try #require(Verkey([1] + [UInt8](repeating: 0, count: 31)))
        let steward = try EnvelopeSamples.steward()
        #expect(throws: DIDCommError(.keyUnsafe, "")) {
            try codec.pack([1], from: steward, to: [unsafe], random: &random)
        }
        #expect(throws: DIDCommError(.keyUnsafe, "")) {
            try codec.packAnonymously([1], to: [unsafe], random: &random)
        }
        #expect(codec.cache.count == 0)
    }

    @Test func `an envelope has at least one recipient and at most the allowed number`() throws {
        var codec = EnvelopeCodec(limits: EnvelopeLimits(maximumRecipients: 2))
        var random = SeededRandom(seed: 1)
        let recipient = try EnvelopeSamples.trustee().verkey
        #expect(throws: Never.self) {
            try codec.packAnonymously([1], to: [recipient, recipient], random: &random)
        }
        for count in [0, 3] {
            #expect(throws: DIDCommError(.envelopeTooManyRecipients, "")) {
                try codec.packAnonymously([1], to: Array(repeating: recipient, count: count), random: &random)
            }
        }
    }

    @Test func `packing refuses what the limits would not let unpacking accept`() throws {
        let recipient = try EnvelopeSamples.trustee().verkey
        let size = try EnvelopeSamples.anoncrypted().count
        for (limit, fits) in [(size, true), (size - 1, false), (10, false)] {
            var codec = EnvelopeCodec(limits: EnvelopeLimits(maximumBytes: limit))
            var random = SeededRandom(seed: 2)
            let envelope = Result {
                try codec.packAnonymously(EnvelopeSamples.message, to: [recipient], random: &random)
            }
            #expect(((try? envelope.get()) != nil) == fits)
            if !fits {
                #expect(throws: DIDCommError(.envelopeTooLarge, "")) { try envelope.get() }
            }
        }
    }
}
