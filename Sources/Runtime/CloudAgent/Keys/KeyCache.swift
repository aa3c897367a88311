import CryptoSuite
import DIDComm
import DataStructures
import Determinism

/// A key of the mediator, ready for use.
struct CachedKey: Sendable {
    let key: AgentKey
    let kind: MediatorKey.StoredKeyPurpose
    /// The account that it belongs to; nil for a key of an invitation.
    let account: Int64?
}

/// Finds the mediator's keys, in memory or in the store, and decrypts envelopes with them.
final class KeyCache: Sendable {
    /// The most keys that are held in memory.
    static let capacity = 4096

    private let store: any MediatorStore
    private let secret: MediatorSecret
    private let limits: EnvelopeLimits
    private let pinned: Lock<[Verkey: CachedKey]>
    private let used = Lock(GenerationalCache<Verkey, CachedKey>(capacity: capacity))

    /// Makes a cache of the keys in a store, and of `pinned` ones.
    ///
    /// - Parameter pinned: keys that are in no store.
    init(_ store: any MediatorStore, _ secret: MediatorSecret, pinned: [CachedKey], limits: EnvelopeLimits) {
        self.store = store
        self.secret = secret
        self.limits = limits
        self.pinned = Lock(Self.named(pinned))
    }

    private static func named(_ keys: [CachedKey]) -> [Verkey: CachedKey] {
        Dictionary(keys.map { ($0.key.verkey, $0) }) { first, _ in first }
    }

    /// Replaces the keys that are not in the store.
    func pin(_ keys: [CachedKey]) { pinned.withLock { $0 = Self.named(keys) } }

    /// Makes the stored form of one of the mediator's keys, with its private half sealed.
    static func stored(_ key: AgentKey, _ kind: MediatorKey.StoredKeyPurpose, by secret: MediatorSecret) -> MediatorKey
    {
        MediatorKey(
            secret.hash(key.verkey), kind, account: nil, body: secret.seal(key.seed.copyBytes(), as: .ownKey))
    }

    /// The mediator's key with this public half; nil for none.
    func find(_ verkey: Verkey) async throws(CloudAgentError) -> CachedKey? {
        if let known = known(verkey) { return known }
        let hash = secret.hash(verkey)
        guard let stored = try await store.read({ try $0.ownKeys.key(hash) }) else { return nil }
        let key = try key(stored)
        guard key.key.verkey == verkey else {
            throw CloudAgentError(.damaged, "A key in the store stands under the hash of another one.")
        }
        used.withLock { $0.insert(key, for: verkey) }
        return key
    }

    /// Unseals a stored key.
    func key(_ stored: MediatorKey) throws(CloudAgentError) -> CachedKey {
        var seed = try secret.open(stored.body, as: .ownKey)
        guard let key = try? AgentKey(seed: Secret(consuming: &seed)) else {
            throw CloudAgentError(.damaged, "A key in the store has another length.")
        }
        return CachedKey(key: key, kind: stored.kind, account: stored.account)
    }

    /// The number of keys in memory.
    var count: Int { used.withLock { $0.count } }

    private func known(_ verkey: Verkey) -> CachedKey? {
        pinned.withLock { $0[verkey] } ?? used.withLock { $0.use(verkey) }
    }

    /// Drops all keys that are in the store.
    func forgetAll() { used.withLock { $0.removeAll { _ in true } } }

    /// Drops the keys of an account.
    func forget(_ account: Int64) {
        used.withLock { $0.removeAll { $0.account == account } }
    }

    /// Decrypts an envelope with the key of the mediator that it is for; nil when that fails.
    ///
    /// - Throws: what the store throws.
    func open(_ envelope: [UInt8]) async throws(CloudAgentError) -> (OpenedEnvelope, CachedKey)? {
        let first = DecryptionAttempt(envelope, limits: limits) { self.known($0) }
        if let found = first.result { return found }
        for verkey in first.missing {
            guard let key = try await find(verkey) else { continue }
            return DecryptionAttempt(envelope, limits: limits) { $0 == verkey ? key : nil }.result
        }
        return nil
    }
}

/// One attempt to decrypt an envelope.
private struct DecryptionAttempt {
    var result: (OpenedEnvelope, CachedKey)?
    /// Recipients whose keys the store does not have; empty when the envelope cannot be decrypted anyway.
    var missing: [Verkey] = []

    init(_ envelope: [UInt8], limits: EnvelopeLimits, find: (Verkey) -> CachedKey?) {
        // No cache: it would keep secrets shared with unknown senders.
        var codec = EnvelopeCodec(limits: limits)
        var asked: [Verkey] = []
        var found: CachedKey?
        do throws(DIDCommError) {
            let opened = try codec.unpack(envelope) { verkey in
                found = find(verkey)
                if found == nil { asked.append(verkey) }
                return found?.key
            }
            result = found.map { (opened, $0) }
        } catch {
            if error.code == .envelopeNotForUs { missing = asked }
        }
    }
}
