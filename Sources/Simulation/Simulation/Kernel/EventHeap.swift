import DataStructures
public import Determinism

/// Events in the order of time: a queue of payloads by instant.
///
/// Payloads of one instant come out in the order in which they went in, so that a run depends on nothing but its
/// inputs. Adding and taking cost the logarithm of the count.
public struct EventHeap<Payload: Sendable>: Sendable {
    private struct Entry: Prioritized, Sendable {
        let instant: MonotonicInstant
        let sequence: UInt64
        let payload: Payload

        func precedes(_ other: Entry) -> Bool {
            instant == other.instant ? sequence < other.sequence : instant < other.instant
        }
    }

    private var entries = PriorityQueue<Entry>()
    private var nextSequence: UInt64 = 0

    /// Makes an empty heap.
    public init() {}

    /// How many payloads wait.
    public var count: Int { entries.count }

    /// Whether no event is queued.
    public var isEmpty: Bool { entries.isEmpty }

    /// The first payload and its instant; nil when nothing waits.
    public var first: (instant: MonotonicInstant, payload: Payload)? {
        entries.first.map { ($0.instant, $0.payload) }
    }

    /// Adds `payload`, due at `instant`.
    public mutating func insert(_ payload: Payload, at instant: MonotonicInstant) {
        entries.insert(Entry(instant: instant, sequence: nextSequence, payload: payload))
        nextSequence += 1
    }

    /// Takes the first payload if it is due at `limit` or before.
    public mutating func popFirst(through limit: MonotonicInstant) -> (instant: MonotonicInstant, payload: Payload)? {
        entries.popFirst { $0.instant <= limit }.map { ($0.instant, $0.payload) }
    }

    /// Takes the first payload; nil when nothing waits.
    @discardableResult
    public mutating func popFirst() -> (instant: MonotonicInstant, payload: Payload)? {
        entries.popFirst().map { ($0.instant, $0.payload) }
    }
}
