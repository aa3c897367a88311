/// When which record must be looked at, in a heap of its own: with `PriorityQueue` advertisements took up to 3 % longer.
///
/// The earliest comes first, of several at one time the lowest slot.
///
/// An entry is never moved: a record whose deadline changes gets another entry, and the old one is ignored when it is
/// due.
struct DeadlineHeap: Sendable {
    struct Entry: Sendable {
        let at: UInt64
        let token: SlotToken

        func isBefore(_ other: Entry) -> Bool {
            (at, token.slot, token.generation) < (other.at, other.token.slot, other.token.generation)
        }
    }

    private var entries: [Entry] = []

    var first: Entry? { entries.first }
    var count: Int { entries.count }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the first entry if it is due.
    mutating func popFirst(until now: UInt64) -> Entry? {
        guard let first = entries.first, first.at <= now else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first }
        entries[0] = last
        sink()
        return first
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1..<min(2 * parent + 3, max(entries.count, 2 * parent + 1)) {
                if entries[child].isBefore(entries[least]) { least = child }
            }
            guard least != parent else { return }
            entries.swapAt(least, parent)
            parent = least
        }
    }
}
