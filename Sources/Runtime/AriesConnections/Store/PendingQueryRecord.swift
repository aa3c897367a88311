import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// A question that waits for its answer, as stored for all processes of the wallet.
struct PendingQueryRecord: Sendable {
    /// The most questions that are checked when expired ones are removed.
    private static let maximumLookedAt = 64

    var question: PendingQuery

    init(_ question: PendingQuery) { self.question = question }

    init(_ record: StoredRecord) throws {
        do {
            question = try PendingQuery(
                stored: JSONValueReader(JSONValue(parsing: record.value, limits: Self.limits)))
        } catch {
            throw AgentError(.recordMalformed, "A question in the store cannot be read: \(error).")
        }
    }

    private static let limits = JSONLimits(
        maximumBytes: RecordLimits.valueBytes, maximumDepth: JSONLimits.standard.maximumDepth + 1)

    /// Stores the question, and removes expired ones that no process has removed.
    func insert(into store: any RecordWriting, now: WallTime) throws {
        for stored in try store.records(in: AgentCategories.questions, limit: Self.maximumLookedAt).records {
            guard (try? PendingQueryRecord(stored))?.question.isForgotten(at: now) ?? true else { continue }
            try store.remove(stored.id, in: AgentCategories.questions, expecting: nil)
        }
        try store.insert(
            question.id, in: AgentCategories.questions, tags: [RecordTag("connection", question.connection)],
            value: question.state.encoded)
    }

    /// Stores a message as the answer to the question of its thread, if there is one that waits.
    static func keep(_ message: Message, on connection: String, in store: any RecordWriting) throws {
        let thread = message.answeredThreadID
        guard thread != message.id, (1...RecordLimits.idBytes).contains(thread.utf8.count),
            let stored = try store.record(thread, in: AgentCategories.questions)
        else { return }
        var record = try PendingQueryRecord(stored)
        guard record.question.take(message, on: connection) else { return }
        let value = record.question.state.encoded
        guard value.count <= RecordLimits.valueBytes else { return }
        try store.replace(
            thread, in: AgentCategories.questions, expecting: stored.version, tags: stored.tags, value: value)
    }

    /// Removes the question with that `@id`, if it is there.
    static func remove(_ id: String, from store: any RecordWriting) throws {
        guard try store.record(id, in: AgentCategories.questions) != nil else { return }
        try store.remove(id, in: AgentCategories.questions, expecting: nil)
    }
}
