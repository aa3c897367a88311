import CryptoSuite
import Determinism

@testable import DIDComm

extension FuzzTarget {
    private static let envelopeSender = agentKey(1)
    private static let envelopeRecipient = agentKey(2)
    private static let envelopeMediator = agentKey(3)

    private static func agentKey(_ number: UInt8) -> AgentKey {
        guard let key = try? AgentKey(seed: Secret(copying: [UInt8](repeating: number, count: 32))) else {
            fatalError("32 bytes are a seed")
        }
        return key
    }

    /// Untrusted envelopes: opened with two of our keys, unwrapped, and packed again.
    static var envelope: FuzzTarget {
        FuzzTarget(name: "envelope", maximumBytes: 3000) {
            var codec = EnvelopeCodec()
            var random = SeededRandom(seed: 1)
            let recipients = [envelopeRecipient.verkey, envelopeMediator.verkey]
            let message = Array(#"{"@type":"https://didcomm.org/trust_ping/1.0/ping"}"#.utf8)
            let authcrypt = try? codec.pack(message, from: envelopeSender, to: recipients, random: &random)
            let anoncrypt = try? codec.packAnonymously(message, to: [recipients[0]], random: &random)
            let wrapped = try? codec.wrap(
                anoncrypt ?? [], for: recipients[0], via: [recipients[1]], random: &random)
            let forward = ForwardMessage(to: recipients[0], envelope: anoncrypt ?? []).encoded(identifier: "1")
            return [authcrypt, anoncrypt, wrapped, forward].compactMap { $0 }
        } run: { input in
            unwrap(input)
            if let parts = EnvelopeScanner.parts(of: input, limits: .standard) {
                let parsed = try? EnvelopeParts(parsingAnyForm: input, limits: .standard)
                require(parsed == parts, "what the scanner takes the parser takes as the same")
            }
            var codec = EnvelopeCodec()
            let keys = [envelopeRecipient, envelopeMediator]
            guard let opened = try? codec.unpack(input, ownKey: { key in keys.first { $0.verkey == key } }) else {
                return require(codec.cache.count == 0, "what does not open leaves nothing")
            }
            require(keys.contains { $0.verkey == opened.recipient }, "what opens was for us")
            if case .anonymous = opened { require(codec.cache.count == 0, "nobody was met") }
            var random = SeededRandom(seed: 2)
            let again = try? codec.packAnonymously(opened.plaintext, to: [opened.recipient], random: &random)
            let reopened = again.flatMap { try? codec.unpack($0, ownKey: { key in keys.first { $0.verkey == key } }) }
            require(reopened?.plaintext == opened.plaintext, "what was opened can be packed and opened")
            unwrap(opened.plaintext)
        }
    }

    private static func unwrap(_ message: [UInt8]) {
        guard let forward = try? ForwardMessage(parsing: message) else { return }
        require(forward.envelope.count <= message.count, "an envelope is a part of what held it")
        guard let key = forward.recipientKey, forward.recipient == key.base58 else { return }
        let written = ForwardMessage(to: key, envelope: forward.envelope)
        require(written == forward, "a forward is made again from its parts")
    }
}
