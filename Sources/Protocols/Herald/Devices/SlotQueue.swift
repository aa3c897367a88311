/// Names a record as long as it is the same one: its slot, and the number of times that the slot has been taken.
struct SlotToken: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32

    /// The number by which tokens are ordered: by slot, then by generation.
    var order: UInt64 { UInt64(slot) << 32 | UInt64(generation) }
}

/// Records that wait for their turn, first come, first served.
struct SlotQueue: Sendable {
    private var ring = [SlotToken](repeating: SlotToken(slot: 0, generation: 0), count: 8)
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ token: SlotToken) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = token
        count += 1
    }

    /// Puts a record at the front of the queue.
    mutating func prepend(_ token: SlotToken) {
        if count == ring.count { grow() }
        head = (head - 1) & (ring.count - 1)
        ring[head] = token
        count += 1
    }

    mutating func popFirst() -> SlotToken? {
        guard count > 0 else { return nil }
        let token = ring[head]
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return token
    }

    /// Takes the one of the first `limit` that is worth most; the others keep their order.
    mutating func popBest(of limit: Int, worth: (SlotToken) -> Int) -> SlotToken? {
        var best = 0
        var most = Int.min
        for position in 0..<min(limit, count) {
            let value = worth(ring[(head + position) & (ring.count - 1)])
            if value > most { (best, most) = (position, value) }
        }
        guard count > 0 else { return nil }
        let token = ring[(head + best) & (ring.count - 1)]
        while best > 0 {
            ring[(head + best) & (ring.count - 1)] = ring[(head + best - 1) & (ring.count - 1)]
            best -= 1
        }
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return token
    }

    /// Takes a record out of the middle; returns true when it was there.
    @discardableResult
    mutating func remove(_ token: SlotToken) -> Bool {
        guard let position = (0..<count).first(where: { ring[(head + $0) & (ring.count - 1)] == token }) else {
            return false
        }
        for later in position..<count - 1 {
            ring[(head + later) & (ring.count - 1)] = ring[(head + later + 1) & (ring.count - 1)]
        }
        count -= 1
        return true
    }

    private mutating func grow() {
        let ordered = (0..<count).map { ring[(head + $0) & (ring.count - 1)] }
        ring = ordered + ordered
        head = 0
    }
}
