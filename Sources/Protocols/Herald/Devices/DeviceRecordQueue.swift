/// Identifies a record: its slot, and the number of times that the slot was allocated.
struct DeviceRecordToken: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32

    /// The number by which tokens are ordered: by slot, then by generation.
    var order: UInt64 { UInt64(slot) << 32 | UInt64(generation) }
}

/// A queue of device records, first in, first out.
struct DeviceRecordQueue: Sendable {
    private var ring = [DeviceRecordToken](repeating: DeviceRecordToken(slot: 0, generation: 0), count: 8)
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ token: DeviceRecordToken) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = token
        count += 1
    }

    /// Adds a record at the front of the queue.
    mutating func prepend(_ token: DeviceRecordToken) {
        if count == ring.count { grow() }
        head = (head - 1) & (ring.count - 1)
        ring[head] = token
        count += 1
    }

    mutating func popFirst() -> DeviceRecordToken? {
        guard count > 0 else { return nil }
        let token = ring[head]
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return token
    }

    /// Removes and returns the most valuable of the first `limit` records; the others keep their order.
    mutating func popBest(of limit: Int, worth: (DeviceRecordToken) -> Int) -> DeviceRecordToken? {
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

    /// Removes a record from any position; returns true when it was in the queue.
    @discardableResult
    mutating func remove(_ token: DeviceRecordToken) -> Bool {
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
