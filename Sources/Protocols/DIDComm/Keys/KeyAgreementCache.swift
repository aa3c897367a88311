import ByteCoding
import CryptoSuite
import DataStructures

/// A cache of results of key agreement with peers: curve conversions, base 58 and shared keys.
///
/// Bounded as `GenerationalCache` is: the entries that were kept least recently are evicted. A lookup neither adds nor
/// keeps an entry; `keep` does.
public struct KeyAgreementCache: Sendable {
    /// A peer's key in the forms that envelopes need.
    struct Peer: Sendable {
        let agreementKey: [UInt8]
        let text: [UInt8]
        /// The key of boxes with one of our own; nil when the peer was met without one.
        let sharedKey: Secret?
    }

    private struct KeyAgreementPair: Hashable {
        let own: Verkey?
        let peer: Verkey
    }

    private var peers: GenerationalCache<KeyAgreementPair, Peer>

    /// Makes an empty cache; `capacity` is at least 2.
    public init(capacity: Int = 1024) { peers = GenerationalCache(capacity: capacity) }

    /// The most peers that are kept.
    public var capacity: Int { peers.capacity }

    /// The number of peers that are kept.
    public var count: Int { peers.count }

    /// Removes all entries; a shared key is wiped when its last user releases it.
    public mutating func removeAll() { peers.removeAll() }

    /// The forms of `peer`, alone or with the key that it shares with `own`; computed when they are not kept.
    ///
    /// Throws `didcomm.key.unsafe` for a key of small order.
    func peer(_ peer: Verkey, with own: AgentKey?) throws(DIDCommError) -> Peer {
        let pair = KeyAgreementPair(own: own?.verkey, peer: peer)
        if let known = peers.peek(pair) { return known }
        do {
            let agreementKey = try Ed25519.x25519PublicKey(for: peer.bytes)
            var sharedKey: Secret?
            if let own {
                sharedKey = try CryptoBox.sharedKey(publicKey: agreementKey, privateKey: own.agreementPrivateKey)
            }
            return Peer(agreementKey: agreementKey, text: Array(peer.base58.utf8), sharedKey: sharedKey)
        } catch {
            throw DIDCommError(.keyUnsafe, "the key \(peer) gives the same secret with every key, or is not a point")
        }
    }

    /// Keeps the forms that `peer(_:with:)` returned.
    mutating func keep(_ peer: Peer, of verkey: Verkey, with own: AgentKey?) {
        peers.insert(peer, for: KeyAgreementPair(own: own?.verkey, peer: verkey))
    }
}
