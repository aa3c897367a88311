public import Determinism

/// What is going to happen, in the order of time: a binary heap of payloads by instant.
///
/// Payloads of one instant come out in the order in which they went in, so that a run depends on nothing but its
/// inputs. Adding and taking cost the logarithm of the count.
public struct EventHeap<Payload: Sendable>: Sendable {
    private struct Entry: Sendable {
        let instant: MonotonicInstant
        let sequence: UInt64
        let payload: Payload

        func precedes(_ other: Entry) -> Bool {
            instant == other.instant ? sequence < other.sequence : instant < other.instant
        }
    }

    private var entries: [Entry] = []
    private var nextSequence: UInt64 = 0

    /// Makes an empty heap.
    public init() {}

    /// How many payloads wait.
    public var count: Int { entries.count }

    /// Whether nothing waits.
    public var isEmpty: Bool { entries.isEmpty }

    /// The first payload and its instant; nil when nothing waits.
    public var first: (instant: MonotonicInstant, payload: Payload)? {
        entries.first.map { ($0.instant, $0.payload) }
    }

    /// Adds `payload`, due at `instant`.
    public mutating func insert(_ payload: Payload, at instant: MonotonicInstant) {
        entries.append(Entry(instant: instant, sequence: nextSequence, payload: payload))
        nextSequence += 1
        siftUp(from: entries.count - 1)
    }

    /// Takes the first payload if it is due at `limit` or before.
    public mutating func popFirst(through limit: MonotonicInstant) -> (instant: MonotonicInstant, payload: Payload)? {
        guard let first = entries.first, first.instant <= limit else { return nil }
        removeFirst()
        return (first.instant, first.payload)
    }

    /// Takes the first payload; nil when nothing waits.
    @discardableResult
    public mutating func popFirst() -> (instant: MonotonicInstant, payload: Payload)? {
        popFirst(through: MonotonicInstant(nanoseconds: .max))
    }

    private mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].precedes(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].precedes(entries[least]) { least = child }
            }
            guard least != parent else { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
