import ByteCoding
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import DIDComm

/// Keys and envelopes that several suites use.
enum EnvelopeSamples {
    static let message = Array(#"{"@type":"https://didcomm.org/trust_ping/1.0/ping","@id":"1"}"#.utf8)

    static func key(_ seed: String) throws -> AgentKey { try AgentKey(seed: Secret(copying: Array(seed.utf8))) }

    static func trustee() throws -> AgentKey { try key("000000000000000000000000Trustee1") }

    static func steward() throws -> AgentKey { try key("000000000000000000000000Steward1") }

    static func other() throws -> AgentKey { try key("00000000000000000000000000000My1") }

    /// The sample message by authcrypt from the steward to the trustee.
    static func authcrypted() throws -> [UInt8] {
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 1)
        return try codec.pack(message, from: steward(), to: [trustee().verkey], random: &random)
    }

    /// The sample message by anoncrypt to the trustee.
    static func anoncrypted() throws -> [UInt8] {
        var codec = EnvelopeCodec()
        var random = SeededRandom(seed: 2)
        return try codec.packAnonymously(message, to: [trustee().verkey], random: &random)
    }

    /// Opens with the key of the trustee, and with nothing kept from before.
    static func open(
        _ envelope: [UInt8], limits: EnvelopeLimits = .standard
    ) throws -> OpenedEnvelope {
        var codec = EnvelopeCodec(limits: limits)
        let key = try trustee()
        return try codec.unpack(envelope) { $0 == key.verkey ? key : nil }
    }

    /// The sample message under a header that nothing here would write, with a tag that fits it.
    static func envelope(header: String, contentKey: Secret = contentKey) throws -> [UInt8] {
        try EnvelopeParts.encode(
            message, header: Array(header.utf8), key: contentKey, nonce: [UInt8](repeating: 3, count: 12))
    }

    static let contentKey = Secret(copying: 0..<32)

    /// One recipient's part of a header for the trustee, made by the steward by default.
    struct Part {
        var kid: String?
        var encryptedKey: [UInt8]
        var sender: [UInt8]?
        var nonce: [UInt8]?

        static func authcrypt(senderText: String? = nil) throws -> Part {
            let (sender, recipient) = (try steward(), try trustee())
            let nonce = [UInt8](0..<24)
            let shared = try CryptoBox.sharedKey(
                publicKey: recipient.agreementKey, privateKey: sender.agreementPrivateKey)
            let text = senderText.map { Array($0.utf8) } ?? sender.text
            return Part(
                kid: recipient.verkey.base58,
                encryptedKey: try CryptoBox.seal(contentKey.copyBytes(), nonce: nonce, sharedKey: shared),
                sender: try SealedBox.seal(text, to: recipient.agreementKey, ephemeralKey: Secret(copying: 1...32)),
                nonce: nonce)
        }

        static func anoncrypt() throws -> Part {
            let recipient = try trustee()
            return Part(
                kid: recipient.verkey.base58,
                encryptedKey: try SealedBox.seal(
                    contentKey.copyBytes(), to: recipient.agreementKey, ephemeralKey: Secret(copying: 1...32)))
        }

        var json: String {
            var header: [String] = []
            if let kid { header.append("\"kid\":\"\(kid)\"") }
            if let sender { header.append("\"sender\":\"\(Base64URL.encode(sender))\"") }
            if let nonce { header.append("\"iv\":\"\(Base64URL.encode(nonce))\"") }
            let key = Base64URL.encode(encryptedKey)
            return "{\"encrypted_key\":\"\(key)\",\"header\":{\(header.joined(separator: ","))}}"
        }
    }

    static func header(
        _ algorithm: String, _ parts: [Part], enc: String = "xchacha20poly1305_ietf", typ: String = "JWM/1.0",
        extra: String = ""
    ) -> String {
        let recipients = parts.map(\.json).joined(separator: ",")
        return "{\"enc\":\"\(enc)\",\"typ\":\"\(typ)\",\"alg\":\"\(algorithm)\",\"recipients\":[\(recipients)]\(extra)}"
    }
}

/// The envelopes that others made.
enum EnvelopeVectors {
    static func reader() throws -> JSONValueReader {
        try JSONDocument(parsing: OutsideVectors.contents(of: "aries-vectors.json")).reader
    }

    /// The bytes of an envelope as it would travel.
    static func envelope(_ reader: JSONValueReader) throws -> [UInt8] { try reader.object("envelope").encoded }
}
