/// A hash table from keys to slots in one block of memory, for the look-ups of every advertisement.
///
/// Open addressing with linear probing, at most three quarters full. The hash is keyed by a random number, so that no
/// peer can choose addresses that collide. Keys are never 0.
struct SlotIndex: Sendable {
    private struct Entry: Sendable {
        var key: UInt64 = 0
        var slot: UInt32 = 0
    }

    private var entries = [Entry](repeating: Entry(), count: 16)
    private var mask = 15
    private let secret: UInt64
    private(set) var count = 0

    init(secret: UInt64) { self.secret = secret }

    /// Returns the slot of a key; nil when the key is absent.
    @inline(__always)
    func find(_ key: UInt64) -> Int? {
        var position = home(key)
        while true {
            let entry = entries[position]
            if entry.key == key { return Int(entry.slot) }
            if entry.key == 0 { return nil }
            position = (position + 1) & mask
        }
    }

    /// Sets the slot of a key.
    mutating func set(_ key: UInt64, _ slot: Int) {
        if (count + 1) * 4 > entries.count * 3 { grow() }
        var position = home(key)
        while entries[position].key != 0, entries[position].key != key { position = (position + 1) & mask }
        if entries[position].key == 0 { count += 1 }
        entries[position] = Entry(key: key, slot: UInt32(truncatingIfNeeded: slot))
    }

    /// Removes a key if its slot is `slot`.
    mutating func remove(_ key: UInt64, of slot: Int) {
        var position = home(key)
        while entries[position].key != key {
            if entries[position].key == 0 { return }
            position = (position + 1) & mask
        }
        guard Int(entries[position].slot) == slot else { return }
        count -= 1
        close(position)
    }

    /// Moves later entries of the same run into the gap, so that no search stops too early.
    private mutating func close(_ start: Int) {
        var hole = start
        var position = (hole + 1) & mask
        while entries[position].key != 0 {
            let wanted = home(entries[position].key)
            if (position - wanted) & mask >= (position - hole) & mask {
                entries[hole] = entries[position]
                hole = position
            }
            position = (position + 1) & mask
        }
        entries[hole] = Entry()
    }

    private mutating func grow() {
        let old = entries
        entries = [Entry](repeating: Entry(), count: old.count * 2)
        mask = entries.count - 1
        for entry in old where entry.key != 0 {
            var position = home(entry.key)
            while entries[position].key != 0 { position = (position + 1) & mask }
            entries[position] = entry
        }
    }

    private func home(_ key: UInt64) -> Int {
        var hash = (key ^ secret) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: hash >> 32) & mask
    }
}
