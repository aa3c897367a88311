import Determinism
import Vault

/// A store in memory that can fail at a chosen write, as if the process were killed there.
final class MemoryStore: RecordStore {
    /// The moment at which a write fails.
    enum Fault: Hashable, Sendable {
        /// The failing write is not stored at all.
        case before(write: Int)
        /// The failing write is stored whole, but its caller gets no answer.
        case after(write: Int)
    }

    struct Content: Sendable {
        var records: [StoredRecord] = []
        var slots: [UInt64] = []
        var nextSlot: UInt64 = 0
    }

    private struct State: Sendable {
        var content = Content()
        var writes = 0
        var fault: Fault?
        var afterWrite: (@Sendable () async -> Void)?
    }

    private let state: Lock<State>

    init(_ content: Content = Content(), fault: Fault? = nil) {
        var state = State()
        state.content = content
        state.fault = fault
        self.state = Lock(state)
    }

    /// The content of the simulated disk.
    var content: Content { state.withLock { $0.content } }

    /// The number of writes that were made or begun.
    var writes: Int { state.withLock { $0.writes } }

    /// Returns the content of the disk and cuts the process off from it: nothing that the process still does is stored.
    func seize() -> Content {
        state.withLock { state in
            state.fault = .before(write: 0)
            return state.content
        }
    }

    /// Sets a closure that runs after each write, before its caller continues.
    func afterWrite(_ body: (@Sendable () async -> Void)?) { state.withLock { $0.afterWrite = body } }

    func records(of category: String) -> [StoredRecord] { content.records.filter { $0.category == category } }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordReading) throws -> Result
    ) async throws -> Result {
        try body(MemoryStep(content))
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordWriting) throws -> Result
    ) async throws -> Result {
        let lost = VaultError(.storageFailed, "The process was killed.")
        // One at a time from its first read to its last change, as with a lock on the file, for agents that share the
        // store.
        let (result, afterWrite) = try state.withLock { state in
            state.writes += 1
            if case .before(let write) = state.fault, state.writes >= write { throw lost }
            if case .after(let write) = state.fault, state.writes > write { throw lost }
            let step = MemoryStep(state.content)
            let result = try body(step)
            state.content = step.content
            if case .after(let write) = state.fault, state.writes == write { throw lost }
            return (result, state.afterWrite)
        }
        await afterWrite?()
        return result
    }

    func close() async {}
}

/// A transaction of the store in memory.
private final class MemoryStep: RecordWriting {
    var content: MemoryStore.Content

    init(_ content: MemoryStore.Content) { self.content = content }

    private func index(_ id: String, _ category: String) -> Int? {
        content.records.firstIndex { $0.id == id && $0.category == category }
    }

    func record(_ id: String, in category: String) throws(VaultError) -> StoredRecord? {
        index(id, category).map { content.records[$0] }
    }

    func records(
        in category: String, tags: [RecordTag], order: RecordOrder, after cursor: RecordCursor?, limit: Int
    ) throws(VaultError) -> RecordPage {
        let isForward = order == .oldestFirst
        let places = isForward ? Array(content.records.indices) : content.records.indices.reversed()
        let indices = places.filter { index in
            let position = content.slots[index]
            return content.records[index].category == category
                && tags.allSatisfy(content.records[index].tags.contains)
                && (isForward ? position > (cursor?.position ?? 0) : position < (cursor?.position ?? .max))
        }
        let page = indices.prefix(limit)
        return RecordPage(
            records: page.map { content.records[$0] },
            next: page.count < indices.count ? page.last.map { RecordCursor(position: content.slots[$0]) } : nil)
    }

    func count(in category: String, tags: [RecordTag]) throws(VaultError) -> Int {
        content.records.count { $0.category == category && tags.allSatisfy($0.tags.contains) }
    }

    func insert(
        _ id: String, in category: String, tags: [RecordTag], value: [UInt8]
    ) throws(VaultError) -> StoredRecord {
        guard index(id, category) == nil else { throw VaultError(.recordExists, "It is there.") }
        try RecordLimits.check(id: id, category: category)
        try RecordLimits.check(tags: tags)
        let record = StoredRecord(category: category, id: id, version: 1, tags: tags, value: value)
        content.records.append(record)
        content.nextSlot += 1
        content.slots.append(content.nextSlot)
        return record
    }

    func replace(
        _ id: String, in category: String, expecting version: UInt64?, tags: [RecordTag], value: [UInt8]
    ) throws(VaultError) -> StoredRecord {
        guard let index = index(id, category) else { throw VaultError(.recordNotFound, "It is not there.") }
        let old = content.records[index]
        guard version == nil || version == old.version else { throw VaultError(.recordVersion, "It changed.") }
        let record = StoredRecord(category: category, id: id, version: old.version + 1, tags: tags, value: value)
        content.records[index] = record
        return record
    }

    func remove(_ id: String, in category: String, expecting version: UInt64?) throws(VaultError) {
        guard let index = index(id, category) else { throw VaultError(.recordNotFound, "It is not there.") }
        content.records.remove(at: index)
        content.slots.remove(at: index)
    }
}
