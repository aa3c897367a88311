import ByteCoding
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import DIDComm

@Suite struct EnvelopeForgeryTests {
    private typealias Part = EnvelopeSamples.Part

    private func refuses(
        _ envelope: [UInt8], _ code: DIDCommError.Code, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: DIDCommError(code, ""), sourceLocation: location) { try EnvelopeSamples.open(envelope) }
    }

    private func refuses(
        header: String, _ code: DIDCommError.Code, _ location: SourceLocation = #_sourceLocation
    ) throws {
        refuses(try EnvelopeSamples.envelope(header: header), code, location)
    }

    @Test func `the parts that the forgery tests change are accepted unchanged`() throws {
        let authcrypt = EnvelopeSamples.header("Authcrypt", [try .authcrypt()])
        let anoncrypt = EnvelopeSamples.header("Anoncrypt", [try .anoncrypt()])
        for header in [authcrypt, anoncrypt] {
            let opened = try EnvelopeSamples.open(EnvelopeSamples.envelope(header: header))
            #expect(opened.plaintext == EnvelopeSamples.message)
        }
    }

    @Test func `an envelope with any one bit changed is refused`() throws {
        for envelope in [try EnvelopeSamples.authcrypted(), try EnvelopeSamples.anoncrypted()] {
            for bit in 0..<envelope.count * 8 {
                var changed = envelope
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(throws: DIDCommError.self, "bit \(bit)") { try EnvelopeSamples.open(changed) }
            }
        }
    }

    @Test func `an envelope cut short or followed by more is refused`() throws {
        let envelope = try EnvelopeSamples.authcrypted()
        #expect(DecoderVerifier.acceptedTruncations(of: envelope) { try EnvelopeSamples.open($0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: envelope) { try EnvelopeSamples.open($0) } == [])
        let limits = EnvelopeLimits.standard
        let parts = { try EnvelopeParts(parsing: $0, limits: limits) }
        #expect(DecoderVerifier.acceptedTruncations(of: envelope, by: parts) == [])
        let header = try EnvelopeParts(parsing: envelope, limits: limits).header
        let read = { try EnvelopeHeader(parsing: $0, limits: limits) }
        #expect(DecoderVerifier.acceptedTruncations(of: header, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: header, by: read) == [])
    }

    @Test(.shows("CHK-078")) func `the protected header is authenticated exactly as transmitted`() throws {
        let envelope = String(decoding: try EnvelopeSamples.anoncrypted(), as: UTF8.self)
        let unpadded = envelope.replacing("=", with: "")
        #expect(unpadded.utf8.count < envelope.utf8.count)
        let limits = EnvelopeLimits.standard
        #expect(
            try EnvelopeParts(parsing: Array(unpadded.utf8), limits: limits).header
                == EnvelopeParts(parsing: Array(envelope.utf8), limits: limits).header)
        refuses(Array(unpadded.utf8), .envelopeNotOpened)
    }

    @Test(.shows("CHK-070", "CHK-071", "CHK-072"))
    func `an envelope of another serialization, type or algorithm is refused`() throws {
        let part = try Part.authcrypt()
        for header in [
            EnvelopeSamples.header("Authcrypt", [part], enc: "chacha20poly1305_ietf"),
            EnvelopeSamples.header("Authcrypt", [part], typ: "JWM/1.1"),
            EnvelopeSamples.header("authcrypt", [part]), EnvelopeSamples.header("ECDH-1PU", [part]),
        ] {
            try refuses(header: header, .envelopeUnsupported)
        }
        for name in ["enc", "typ", "alg", "recipients"] {
            let header = EnvelopeSamples.header("Authcrypt", [part]).replacing("\"\(name)\"", with: "\"other\"")
            try refuses(header: header, .envelopeMalformed)
        }
    }

    @Test(.shows("CHK-033")) func `an algorithm that contradicts the presence of a sender is refused`() throws {
        let (authcrypt, anoncrypt) = (try Part.authcrypt(), try Part.anoncrypt())
        var withoutNonce = authcrypt
        withoutNonce.nonce = nil
        var withoutSender = authcrypt
        withoutSender.sender = nil
        for parts in [[anoncrypt], [withoutNonce], [withoutSender], [authcrypt, anoncrypt]] {
            try refuses(header: EnvelopeSamples.header("Authcrypt", parts), .envelopeMalformed)
        }
        var named = anoncrypt
        (named.sender, named.nonce) = (authcrypt.sender, authcrypt.nonce)
        for parts in [[authcrypt], [withoutNonce], [withoutSender], [named], [anoncrypt, authcrypt]] {
            try refuses(header: EnvelopeSamples.header("Anoncrypt", parts), .envelopeMalformed)
        }
    }

    @Test(.shows("CHK-073", "CHK-074", "CHK-075", "CHK-076"))
    func `an envelope with a part of the wrong length is refused`() throws {
        let good = try Part.authcrypt()
        for change: (inout Part) -> Void in [
            { $0.encryptedKey.removeLast() }, { $0.encryptedKey.append(0) }, { $0.nonce?.removeLast() },
            { $0.nonce?.append(0) }, { $0.sender = Array(repeating: 1, count: 79) },
            { $0.sender = Array(repeating: 1, count: 113) },
        ] {
            var part = good
            change(&part)
            try refuses(header: EnvelopeSamples.header("Authcrypt", [part]), .envelopeMalformed)
        }
        for count in [80, 112] {
            var part = good
            part.sender = Array(repeating: 1, count: count)
            try refuses(header: EnvelopeSamples.header("Authcrypt", [part]), .envelopeNotOpened)
        }
        for count in [79, 81] {
            var part = try Part.anoncrypt()
            part.encryptedKey = Array(repeating: 1, count: count)
            try refuses(header: EnvelopeSamples.header("Anoncrypt", [part]), .envelopeMalformed)
        }
    }

    @Test(.shows("CHK-077")) func `an envelope with a nonce or tag of the wrong length is refused`() throws {
        let parts = try EnvelopeParts(parsing: EnvelopeSamples.authcrypted(), limits: .standard)
        for (nonce, tag) in [(11, 16), (13, 16), (12, 15), (12, 17), (0, 16), (12, 0)] {
            let envelope = text(
                parts, nonce: Array((parts.nonce + [0]).prefix(nonce)),
                tag: Array((parts.sealed.suffix(16) + [0]).prefix(tag)))
            refuses(envelope, .envelopeMalformed)
        }
        #expect(throws: Never.self) {
            try EnvelopeSamples.open(text(parts, nonce: parts.nonce, tag: Array(parts.sealed.suffix(16))))
        }
    }

    private func text(_ parts: EnvelopeParts, nonce: [UInt8], tag: [UInt8]) -> [UInt8] {
        let protected = String(decoding: parts.protectedText, as: UTF8.self)
        let ciphertext = Base64URL.encode(parts.sealed.dropLast(16))
        return Array(
            ("{\"protected\":\"\(protected)\",\"iv\":\"\(Base64URL.encode(nonce))\",\"ciphertext\":\"\(ciphertext)\","
                + "\"tag\":\"\(Base64URL.encode(tag))\"}").utf8)
    }

    @Test func `an envelope that repeats a member is refused, in its header and around it`() throws {
        let header = EnvelopeSamples.header("Authcrypt", [try .authcrypt()], extra: ",\"alg\":\"Authcrypt\"")
        try refuses(header: header, .envelopeMalformed)
        let twice = EnvelopeSamples.header("Authcrypt", [try .authcrypt()])
            .replacing("\"kid\":", with: "\"kid\":\"\",\"kid\":")
        try refuses(header: twice, .envelopeMalformed)
        let envelope = String(decoding: try EnvelopeSamples.authcrypted(), as: UTF8.self)
        for name in ["protected", "iv", "ciphertext", "tag"] {
            let doubled = envelope.dropLast() + ",\"\(name)\":\"\"}"
            refuses(Array(doubled.utf8), .envelopeMalformed)
            let instead = envelope.replacing(name == "tag" ? "\"iv\"" : "\"tag\"", with: "\"\(name)\"")
            refuses(Array(instead.utf8), .envelopeMalformed)
        }
    }

    @Test func `an envelope with a missing member, or one that is no text, is refused`() throws {
        let envelope = String(decoding: try EnvelopeSamples.authcrypted(), as: UTF8.self)
        for name in ["protected", "iv", "ciphertext", "tag"] {
            refuses(Array(envelope.replacing("\"\(name)\":", with: "\"x\":").utf8), .envelopeMalformed)
            refuses(
                Array(envelope.replacing("\"\(name)\":\"", with: "\"\(name)\":1,\"x\":\"").utf8), .envelopeMalformed)
        }
        for text in ["", "{}", "[]", "null", "<html>no</html>", "{\"protected\":\"", "\"protected\""] {
            refuses(Array(text.utf8), .envelopeMalformed)
        }
    }

    @Test func `an envelope with text that is no base 64 is refused`() throws {
        let envelope = String(decoding: try EnvelopeSamples.authcrypted(), as: UTF8.self)
        for stranger in [".", " ", "\\n", "é", "\\u0041A\\u00e9", "===="] {
            for name in ["protected", "iv", "ciphertext", "tag"] {
                let changed = envelope.replacing("\"\(name)\":\"", with: "\"\(name)\":\"\(stranger)")
                refuses(Array(changed.utf8), .envelopeMalformed)
            }
        }
        let header = EnvelopeSamples.header("Authcrypt", [try .authcrypt()])
        for name in ["encrypted_key", "sender", "iv"] {
            try refuses(
                header: header.replacing("\"\(name)\":\"", with: "\"\(name)\":\"*"), .envelopeMalformed)
        }
    }

    @Test(.shows("CHK-068", "CHK-069")) func `the number of recipients is checked before any recipient is read`() throws
    {
        var foreign = try Part.authcrypt()
        foreign.kid = try EnvelopeSamples.other().verkey.base58
        let limits = EnvelopeLimits(maximumRecipients: 3)
        let ours = try Part.authcrypt()
        let three = try EnvelopeSamples.envelope(
            header: EnvelopeSamples.header("Authcrypt", [foreign, foreign, ours]))
        #expect(throws: Never.self) { try EnvelopeSamples.open(three, limits: limits) }
        let four = try EnvelopeSamples.envelope(
            header: EnvelopeSamples.header("Authcrypt", [ours, foreign, foreign, foreign]))
        #expect(throws: DIDCommError(.envelopeTooManyRecipients, "")) {
            try EnvelopeSamples.open(four, limits: limits)
        }
        try refuses(header: EnvelopeSamples.header("Authcrypt", []), .envelopeMalformed)
    }

    @Test(.shows("CHK-065", "CHK-066", "CHK-083")) func `the size of an envelope is checked before anything is read`()
        throws
    {
        let envelope = try EnvelopeSamples.authcrypted()
        let fits = EnvelopeLimits(maximumBytes: envelope.count)
        #expect(throws: Never.self) { try EnvelopeSamples.open(envelope, limits: fits) }
        let less = EnvelopeLimits(maximumBytes: envelope.count - 1)
        #expect(throws: DIDCommError(.envelopeTooLarge, "")) { try EnvelopeSamples.open(envelope, limits: less) }
        let limits = EnvelopeLimits(maximumRecipients: 1)
        let header = EnvelopeSamples.header("Authcrypt", [try .authcrypt()])
        for (count, fits) in [(limits.maximumHeaderBytes, true), (limits.maximumHeaderBytes + 1, false)] {
            let padded = header + String(repeating: " ", count: count - header.utf8.count)
            let result = Result { try EnvelopeSamples.open(EnvelopeSamples.envelope(header: padded), limits: limits) }
            #expect(((try? result.get()) != nil) == fits)
            if !fits { #expect(throws: DIDCommError(.envelopeTooLarge, "")) { try result.get() } }
        }
    }

    @Test(.shows("CHK-067")) func `the nesting of an envelope is limited, in the header and around it`() throws {
        let header = EnvelopeSamples.header("Authcrypt", [try .authcrypt()])
        for (depth, fits) in [(4, true), (5, false)] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let result = Result {
                try EnvelopeSamples.open(
                    EnvelopeSamples.envelope(header: header.dropLast() + ",\"x\":\(nested)}"))
            }
            #expect(((try? result.get()) != nil) == fits)
        }
        let envelope = String(decoding: try EnvelopeSamples.authcrypted(), as: UTF8.self)
        for (depth, fits) in [(7, true), (8, false)] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let result = Result { try EnvelopeSamples.open(Array((envelope.dropLast() + ",\"x\":\(nested)}").utf8)) }
            #expect(((try? result.get()) != nil) == fits)
        }
    }

    @Test(.shows("CHK-080")) func `an envelope whose sender is no key, or a key of small order, is refused`() throws {
        let unsafe = Base58.encode([1] + [UInt8](repeating: 0, count: 31))
        let short = Base58.encode([UInt8](repeating: 9, count: 31))
        for sender in [unsafe, short, String(repeating: "0", count: 44), try EnvelopeSamples.other().verkey.base58] {
            let part = try Part.authcrypt(senderText: sender)
            try refuses(header: EnvelopeSamples.header("Authcrypt", [part]), .envelopeNotOpened)
        }
    }

    @Test func `an envelope with an ephemeral key of low order is refused`() throws {
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            var part = try Part.anoncrypt()
            part.encryptedKey.replaceSubrange(..<32, with: point)
            try refuses(header: EnvelopeSamples.header("Anoncrypt", [part]), .envelopeNotOpened)
            var authcrypt = try Part.authcrypt()
            authcrypt.sender?.replaceSubrange(..<32, with: point)
            try refuses(header: EnvelopeSamples.header("Authcrypt", [authcrypt]), .envelopeNotOpened)
        }
    }

    @Test func `a recipient whose name is no key is skipped, and a recipient without a name is an error`() throws {
        var stranger = try Part.authcrypt()
        stranger.kid = "did:web:example.com#1"
        try refuses(header: EnvelopeSamples.header("Authcrypt", [stranger]), .envelopeNotForUs)
        let both = EnvelopeSamples.header("Authcrypt", [stranger, try .authcrypt()])
        #expect(throws: Never.self) { try EnvelopeSamples.open(EnvelopeSamples.envelope(header: both)) }
        stranger.kid = nil
        try refuses(header: EnvelopeSamples.header("Authcrypt", [stranger, try .authcrypt()]), .envelopeMalformed)
    }

    @Test(.shows("CHK-082")) func `an envelope that cannot be opened leaves nothing in the codec's cache`() throws {
        var codec = EnvelopeCodec()
        let key = try EnvelopeSamples.trustee()
        var envelope = try EnvelopeSamples.authcrypted()
        envelope[envelope.count - 10] ^= 1
        #expect(throws: DIDCommError(.envelopeNotOpened, "")) { try codec.unpack(envelope) { _ in key } }
        #expect(codec.cache.count == 0)
        _ = try codec.unpack(EnvelopeSamples.authcrypted()) { _ in key }
        #expect(codec.cache.count == 1)
    }

    @Test func `every failure with keys and tags of an envelope has the same code`() throws {
        let part = try Part.authcrypt()
        var wrongBox = part
        wrongBox.encryptedKey[0] ^= 1
        var wrongSender = part
        wrongSender.sender?[40] ^= 1
        for changed in [wrongBox, wrongSender] {
            try refuses(header: EnvelopeSamples.header("Authcrypt", [changed]), .envelopeNotOpened)
        }
        let header = EnvelopeSamples.header("Authcrypt", [part])
        refuses(
            try EnvelopeSamples.envelope(header: header, contentKey: Secret(copying: 1...32)), .envelopeNotOpened)
    }
}
