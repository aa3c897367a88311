import ByteCoding
import CryptoSuite
import Vault

/// An envelope from a mediator that is kept because it could not be processed, under the hash of its bytes.
struct UnprocessedEnvelope: Sendable {
    /// The reason why the arrived message is kept.
    enum RetentionReason: String, Sendable {
        /// The message is retried later: it requests a connection and no key is free for that, or a limit is reached.
        case waiting
        /// The message cannot be decrypted.
        case quarantined
    }

    /// The most records of either kind.
    static let maximumKept = 256

    let id: String
    let bytes: [UInt8]
    let state: RetentionReason

    init(_ bytes: [UInt8], _ state: RetentionReason) {
        id = Hex.encode(SHA256.hash(bytes))
        self.bytes = bytes
        self.state = state
    }

    static func tag(_ state: RetentionReason) -> RecordTag { RecordTag("state", state.rawValue) }

    /// The result of storing an envelope: new, stored before, or no room.
    enum InsertResult: Sendable {
        case isNew
        case wasThere
        case noRoom
    }

    /// Stores the message unless it is stored already; when there is no room, the oldest quarantined message is
    /// deleted, never one that waits.
    func keep(in store: any RecordWriting) throws -> InsertResult {
        let category = AgentCategories.arrivals
        if try store.record(id, in: category) != nil { return .wasThere }
        let tags = [Self.tag(state)]
        guard bytes.count <= RecordLimits.valueBytes else { return .noRoom }
        if try store.count(in: category, tags: tags) >= Self.maximumKept {
            guard state == .quarantined,
                let oldest = try store.records(in: category, tags: tags, limit: 1).records.first
            else { return .noRoom }
            try store.remove(oldest.id, in: category, expecting: nil)
        }
        try store.insert(id, in: category, tags: tags, value: bytes)
        return .isNew
    }

    /// Removes the message if it is stored.
    func remove(from store: any RecordWriting) throws {
        guard try store.record(id, in: AgentCategories.arrivals) != nil else { return }
        try store.remove(id, in: AgentCategories.arrivals, expecting: nil)
    }
}
