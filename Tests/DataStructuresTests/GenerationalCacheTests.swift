import DataStructures
import TestSupport
import Testing

@Suite struct GenerationalCacheTests {
    @Test func `the number of cache entries never exceeds the capacity`() {
        for capacity in 2...9 {
            var cache = GenerationalCache<Int, Int>(capacity: capacity)
            for key in 0..<50 {
                cache.insert(key, for: key)
                _ = cache.use(key - capacity / 2)
                #expect(cache.count <= capacity, "capacity \(capacity)")
            }
        }
    }

    @Test func `the newest half of a cache's capacity is always kept`() {
        var cache = GenerationalCache<Int, Int>(capacity: 8)
        for key in 0..<100 {
            cache.insert(key, for: key)
            for recent in max(0, key - 3)...key { #expect(cache.peek(recent) == recent) }
        }
    }

    @Test func `a cache entry in use stays while others are added and dropped`() {
        var cache = GenerationalCache<Int, String>(capacity: 8)
        cache.insert("used", for: -1)
        for key in 0..<1000 {
            cache.insert("other", for: key)
            #expect(cache.use(-1) == "used", "after \(key)")
        }
    }

    @Test func `peeking at a cache entry does not count as use`() {
        var cache = GenerationalCache<Int, String>(capacity: 8)
        cache.insert("peeked", for: -1)
        for key in 0..<8 {
            cache.insert("other", for: key)
            _ = cache.peek(-1)
        }
        #expect(cache.peek(-1) == nil)
    }

    @Test func `a cache entry that is inserted again has its new value and is counted once`() {
        var cache = GenerationalCache<Int, Int>(capacity: 4)
        for key in [1, 2, 3] { cache.insert(0, for: key) }
        cache.insert(7, for: 1)
        #expect(cache.peek(1) == 7 && cache.count == 3)
        cache.insert(8, for: 1)
        #expect(cache.peek(1) == 8 && cache.count == 3)
    }

    @Test func `inserting an existing cache entry evicts nothing`() {
        var cache = GenerationalCache<Int, Int>(capacity: 4)
        for key in [1, 2, 3, 4] { cache.insert(0, for: key) }
        for _ in 0..<9 { cache.insert(1, for: 4) }
        #expect([1, 2, 3, 4].allSatisfy { cache.peek($0) != nil })
    }

    @Test func `a removed cache entry is gone from both generations`() {
        var cache = GenerationalCache<Int, Int>(capacity: 4)
        for key in [1, 2, 3, 4] { cache.insert(key % 2, for: key) }
        cache.remove(1)
        cache.remove(4)
        #expect(cache.peek(1) == nil && cache.peek(4) == nil && cache.count == 2)
        cache.removeAll { $0 == 0 }
        #expect(cache.peek(2) == nil && cache.peek(3) == 1)
        cache.removeAll()
        #expect(cache.count == 0 && cache.use(3) == nil)
    }
}
