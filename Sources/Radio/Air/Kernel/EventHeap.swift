public import DataStructures
public import Determinism

/// Events in the order of time: a queue of payloads by instant.
///
/// Payloads of one instant come out in the order in which they went in, so that a run depends on nothing but its
/// inputs. Adding and taking cost the logarithm of the count. Inlinable, because without specialisation for its payload
/// each step of a heap in another module looks its types up at run time.
public struct EventHeap<Payload: Sendable>: Sendable {
    @usableFromInline struct ScheduledPayload: Prioritized, Sendable {
        @usableFromInline let instant: MonotonicInstant
        @usableFromInline let sequence: UInt64
        @usableFromInline let payload: Payload

        @inlinable init(instant: MonotonicInstant, sequence: UInt64, payload: Payload) {
            self.instant = instant
            self.sequence = sequence
            self.payload = payload
        }

        @inlinable func precedes(_ other: ScheduledPayload) -> Bool {
            instant == other.instant ? sequence < other.sequence : instant < other.instant
        }
    }

    @usableFromInline var entries = PriorityQueue<ScheduledPayload>()
    @usableFromInline var nextSequence: UInt64 = 0

    /// Makes an empty heap.
    @inlinable public init() {}

    /// The number of payloads that wait.
    @inlinable public var count: Int { entries.count }

    /// True when no event is queued.
    @inlinable public var isEmpty: Bool { entries.isEmpty }

    /// The first payload and its instant; nil when nothing waits.
    @inlinable public var first: (instant: MonotonicInstant, payload: Payload)? {
        entries.first.map { ($0.instant, $0.payload) }
    }

    /// Adds `payload`, due at `instant`.
    @inlinable public mutating func insert(_ payload: Payload, at instant: MonotonicInstant) {
        entries.insert(ScheduledPayload(instant: instant, sequence: nextSequence, payload: payload))
        nextSequence += 1
    }

    /// Takes the first payload if it is due at `limit` or before.
    @inlinable public mutating func popFirst(through limit: MonotonicInstant) -> (
        instant: MonotonicInstant, payload: Payload
    )? {
        entries.popFirst { $0.instant <= limit }.map { ($0.instant, $0.payload) }
    }

    /// Takes the first payload; nil when nothing waits.
    @discardableResult
    @inlinable
    public mutating func popFirst() -> (instant: MonotonicInstant, payload: Payload)? {
        entries.popFirst().map { ($0.instant, $0.payload) }
    }
}
