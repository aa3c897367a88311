import Aries
import Determinism
import Vault

/// The envelopes of a mediator that could not be processed: to be retried, or quarantined.
struct UnprocessedEnvelopeStore: Sendable {
    /// Counts the received envelopes that no peer sends again and that are not processed yet.
    let count: UnprocessedEnvelopeCount

    private let store: any RecordStore

    init(store: any RecordStore, count: UnprocessedEnvelopeCount) { (self.store, self.count) = (store, count) }

    private static let waitingTags = [UnprocessedEnvelope.tag(.waiting)]

    /// The number of messages that wait for a retry.
    func waitingCount() async throws -> Int {
        try await store.read { store in try store.count(in: AgentCategories.arrivals, tags: Self.waitingTags) }
    }

    /// The oldest envelopes that wait for a retry, and true when there are more.
    func waiting(limit: Int) async throws -> (envelopes: [[UInt8]], hasMore: Bool) {
        let page = try await store.records(in: AgentCategories.arrivals, tags: Self.waitingTags, limit: limit)
        return (page.records.map(\.value), page.next != nil)
    }

    /// Stores an envelope for a retry.
    ///
    /// - Returns: whether it was kept, and how many wait now.
    func keepWaiting(_ envelope: [UInt8]) async throws -> (UnprocessedEnvelope.InsertResult, count: Int) {
        let arrival = UnprocessedEnvelope(envelope, .waiting)
        return try await store.write { store in
            let keeping = try arrival.keep(in: store)
            return (keeping, try store.count(in: AgentCategories.arrivals, tags: Self.waitingTags))
        }
    }

    /// Quarantines an envelope; the oldest one is deleted for it if necessary.
    ///
    /// - Parameter waited: whether it waited until now.
    func quarantine(_ bytes: [UInt8], waited: Bool = false) async throws -> UnprocessedEnvelope.InsertResult {
        let arrival = UnprocessedEnvelope(bytes, .quarantined)
        return try await store.write { store in
            if waited { try arrival.remove(from: store) }
            return try arrival.keep(in: store)
        }
    }

    /// Removes a stored envelope that was processed in a retry.
    func remove(_ envelope: [UInt8]) async throws {
        let arrival = UnprocessedEnvelope(envelope, .waiting)
        try await store.write { store in try arrival.remove(from: store) }
    }
}

/// Counts the received envelopes that no peer sends again and that are not processed yet.
final class UnprocessedEnvelopeCount: Sendable {
    private let count = Lock(0)

    var isAny: Bool { count.withLock { $0 > 0 } }

    func begin() { count.withLock { $0 += 1 } }

    func end() { count.withLock { $0 -= 1 } }
}
