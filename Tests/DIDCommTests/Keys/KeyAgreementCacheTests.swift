import Determinism
import Testing

@testable import DIDComm

@Suite struct KeyAgreementCacheTests {
    private func keys(_ count: Int) -> [AgentKey] {
        var random = SeededRandom(seed: 11)
        return (0..<count).map { _ in AgentKey.make(from: &random) }
    }

    @Test func `a key agreement cache never holds more than its capacity`() throws {
        let own = try EnvelopeSamples.trustee()
        var cache = KeyAgreementCache(capacity: 4)
        for (index, key) in keys(11).enumerated() {
            cache.keep(try cache.peer(key.verkey, with: own), of: key.verkey, with: own)
            #expect(cache.count <= 4)
            #expect(cache.count >= min(index + 1, 2))
        }
        cache.removeAll()
        #expect(cache.count == 0)
    }

    @Test func `peers in use stay in the key agreement cache while others are added and dropped`() throws {
        let own = try EnvelopeSamples.trustee()
        var cache = KeyAgreementCache(capacity: 4)
        let keys = keys(9)
        let first = try cache.peer(keys[0].verkey, with: own)
        for key in keys.dropFirst() {
            cache.keep(try cache.peer(keys[0].verkey, with: own), of: keys[0].verkey, with: own)
            cache.keep(try cache.peer(key.verkey, with: own), of: key.verkey, with: own)
            #expect(try cache.peer(keys[0].verkey, with: own).sharedKey == first.sharedKey)
        }
    }

    @Test func `the key agreement cache keeps a peer with our key apart from the same peer without one`() throws {
        let own = try EnvelopeSamples.trustee()
        let peer = try EnvelopeSamples.steward().verkey
        var cache = KeyAgreementCache()
        cache.keep(try cache.peer(peer, with: nil), of: peer, with: nil)
        #expect(try cache.peer(peer, with: nil).sharedKey == nil)
        let shared = try cache.peer(peer, with: own)
        #expect(shared.sharedKey != nil)
        #expect(try shared.sharedKey != cache.peer(peer, with: EnvelopeSamples.other()).sharedKey)
        cache.keep(shared, of: peer, with: own)
        #expect(cache.count == 2)
    }

    @Test func `both sides of a cached key agreement have the same key`() throws {
        let (one, two) = (try EnvelopeSamples.trustee(), try EnvelopeSamples.steward())
        let cache = KeyAgreementCache()
        let shared = try cache.peer(two.verkey, with: one).sharedKey
        #expect(shared != nil)
        #expect(try cache.peer(one.verkey, with: two).sharedKey == shared)
    }
}
