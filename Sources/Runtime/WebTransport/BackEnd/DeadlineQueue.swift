import Determinism

/// When which link must be looked at: a heap, earliest first.
struct DeadlineQueue {
    /// One entry; a link whose deadline has moved finds out when its entry comes up.
    struct Entry {
        let instant: MonotonicInstant
        let serial: UInt64
    }

    private var heap: [Entry] = []

    /// The earliest instant.
    var first: MonotonicInstant? { heap.first?.instant }

    mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var place = heap.count - 1
        while place > 0, heap[place].instant < heap[(place - 1) / 2].instant {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Takes the earliest entry if it is due.
    mutating func takeDue(at now: MonotonicInstant) -> Entry? {
        guard let first = heap.first, first.instant <= now, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var place = 0
        while true {
            let children = [2 * place + 1, 2 * place + 2].filter { $0 < heap.count }
            guard let child = children.min(by: { heap[$0].instant < heap[$1].instant }),
                heap[child].instant < heap[place].instant
            else { return first }
            heap.swapAt(place, child)
            place = child
        }
    }
}
