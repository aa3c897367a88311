import Aries
import DIDComm
import Determinism

/// Decrypts envelopes with our key that they are addressed to.
final class EnvelopeOpener {
    private let keys: KeyStore
    private let wallTime: @Sendable () -> WallTime
    /// The codec, which also decrypts envelopes that a mediator wrapped again.
    private var codec = EnvelopeCodec(limits: .ofMediators)

    init(keys: KeyStore, wallTime: @escaping @Sendable () -> WallTime) { (self.keys, self.wallTime) = (keys, wallTime) }

    /// Decrypts an envelope.
    ///
    /// - Returns: the message, and the owner of the key that opened it.
    /// - Throws: `didcomm.*`, `agent.record.malformed`, and errors of the store.
    func open(_ envelope: [UInt8]) async throws -> (ReceivedMessage, KeyRecord.Owner) {
        let opened: OpenedEnvelope
        do {
            opened = try unpack(envelope, with: nil)
        } catch let missing as RecipientKeysNotInMemory {
            var found: KeyRecord?
            for verkey in missing.verkeys where found == nil { found = try await keys.key(verkey) }
            guard let found else {
                throw DIDCommError(.envelopeNotForUs, "none of the recipients of an envelope is known here")
            }
            opened = try unpack(envelope, with: found.key)
        }
        var owned = try await keys.key(opened.recipient)
        if owned?.owner == .spare {
            // Another process may have used the key meanwhile.
            keys.forget(opened.recipient)
            owned = try await keys.key(opened.recipient)
        }
        guard let record = owned else {
            throw DIDCommError(.envelopeNotForUs, "the key that opened an envelope is not ours any more")
        }
        let message = try Message(parsing: opened.plaintext)
        let sender: ReceivedMessage.Sender =
            switch opened {
            case .authenticated(let message):
                .authenticated(message.sender, isExclusive: message.isSenderExclusive)
            case .anonymous: .unknown
            }
        let received = ReceivedMessage(message, sender: sender, recipient: opened.recipient, arrival: wallTime())
        return (received, record.owner)
    }

    private struct RecipientKeysNotInMemory: Error {
        let verkeys: [Verkey]
    }

    /// Decrypts an envelope with one key, or with the keys in memory.
    ///
    /// - Parameter key: the one key to try; nil for all that are in memory.
    private func unpack(_ envelope: [UInt8], with key: AgentKey?) throws -> OpenedEnvelope {
        let candidates = CandidateKeys(keys, key: key)
        let result = candidates.unpack(envelope, by: &codec)
        switch result {
        case .success(let opened): return opened
        case .failure(let error):
            if key == nil, error.code == .envelopeNotForUs {
                throw RecipientKeysNotInMemory(verkeys: candidates.missing)
            }
            throw error
        }
    }
}

/// The keys to try for an envelope, and those of its recipient keys that are not in memory.
private final class CandidateKeys {
    private let keys: KeyStore
    private let key: AgentKey?
    private(set) var missing: [Verkey] = []

    init(_ keys: KeyStore, key: AgentKey?) { (self.keys, self.key) = (keys, key) }

    func unpack(_ envelope: [UInt8], by codec: inout EnvelopeCodec) -> Result<OpenedEnvelope, DIDCommError> {
        do throws(DIDCommError) {
            return .success(try codec.unpack(envelope, ownKey: find))
        } catch {
            return .failure(error)
        }
    }

    private func find(_ verkey: Verkey) -> AgentKey? {
        if let key, key.verkey == verkey { return key }
        if let known = keys.cached(verkey) { return known.key }
        missing.append(verkey)
        return nil
    }
}
