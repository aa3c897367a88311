public import MobileSession
public import Vault

/// The mobile documents of a holder with their device keys, in a vault.
///
/// A document of single use leaves the vault before its proof leaves the device: `takeOut` is on the disk when it
/// returns, and `putBack` undoes it where the proof did not leave. A process that dies between the two has used the
/// copy up, because a copy that was perhaps seen is never shown again.
public struct HeldDocumentStore: Sendable {
    /// A document in the store, or the trace of one of single use that was used.
    public struct HeldDocumentEntry: Hashable, Sendable {
        /// The name of the document, `HeldMobileDocument.id`.
        public let id: String
        /// The type of the document.
        public let type: String
        /// True for a document of single use.
        public let isSingleUse: Bool
        /// True for a document of single use that was used; the store has no more of it than this entry.
        public let isUsed: Bool
    }

    /// The most documents that can be shown.
    public static let maximumCount = 64
    /// The most traces of used documents; the oldest one goes first.
    public static let maximumUsedCount = 1024

    static let category = "mobile-document"
    private static let (type, use, once) = ("type", "use", "once")
    private static let (ready, used) = (RecordTag("state", "ready"), RecordTag("state", "used"))

    private let store: any RecordStore

    /// Makes the store on an open vault, which stays the caller's to close.
    public init(in store: any RecordStore) { self.store = store }

    /// Adds documents, all or none.
    ///
    /// Throws `vault.record.exists` for a document that is or was there, and `vault.limit` for more than
    /// `maximumCount`; and the errors of the store.
    public func add(_ documents: [HeldMobileDocument]) async throws {
        let records = try documents.map { document in
            guard let file = document.file() else {
                throw MobileSessionError(.responseMalformed, "The device's key is of a kind that is not kept.")
            }
            return (id: document.id, tags: Self.tags(of: document, Self.ready), value: file)
        }
        try await store.write { store in
            for record in records {
                guard try store.record(record.id, in: Self.category) == nil else {
                    throw VaultError(.recordExists, "The vault has the document \(record.id), or has shown it once.")
                }
                guard try store.count(in: Self.category, tags: [Self.ready]) < Self.maximumCount else {
                    throw VaultError(.limit, "A vault has at most \(Self.maximumCount) documents to show.")
                }
                try store.insert(record.id, in: Self.category, tags: record.tags, value: record.value)
            }
        }
    }

    /// Returns all entries, oldest first.
    public func entries() async throws -> [HeldDocumentEntry] {
        try await records(tags: []).map { record in
            let tags = Dictionary(record.tags.map { ($0.name, $0.value) }) { first, _ in first }
            return HeldDocumentEntry(
                id: record.id, type: tags[Self.type] ?? "", isSingleUse: tags[Self.use] == Self.once,
                isUsed: record.tags.contains(Self.used))
        }
    }

    /// Returns the documents that can be shown, oldest first.
    ///
    /// Throws `mdoc.response-malformed` for a record that is none, and the errors of the store.
    public func documents() async throws -> [HeldMobileDocument] {
        try await records(tags: [Self.ready]).map { try HeldMobileDocument(file: $0.value) }
    }

    /// Removes a document or the trace of one; a copy whose trace is removed could be added again.
    ///
    /// Throws `vault.record.not-found`, and the errors of the store.
    public func remove(_ id: String) async throws {
        try await store.remove(id, in: Self.category)
    }

    /// Takes those of the documents that are of single use out of the store, all or none, before they are shown.
    ///
    /// Throws `vault.record.version` when one was shown or removed meanwhile, and the errors of the store.
    public func takeOut(_ documents: [HeldMobileDocument]) async throws {
        let documents = documents.filter(\.isSingleUse)
        guard !documents.isEmpty else { return }
        try await store.write { store in
            for id in Set(documents.map(\.id)).sorted() {
                guard let record = try store.record(id, in: Self.category), record.tags.contains(Self.ready) else {
                    throw VaultError(.recordVersion, "The document \(id) is for one use, and was used meanwhile.")
                }
                let tags = record.tags.filter { $0 != Self.ready } + [Self.used]
                try store.replace(id, in: Self.category, expecting: record.version, tags: tags, value: [])
            }
            let surplus = try store.count(in: Self.category, tags: [Self.used]) - Self.maximumUsedCount
            guard surplus > 0 else { return }
            let oldest = try store.records(
                in: Self.category, tags: [Self.used], limit: min(surplus, RecordLimits.pageRecords))
            for record in oldest.records { try store.remove(record.id, in: Self.category, expecting: nil) }
        }
    }

    /// Puts documents of single use back that were taken out, and whose proof has not left the device.
    ///
    /// Throws the errors of the store.
    public func putBack(_ documents: [HeldMobileDocument]) async throws {
        let documents = documents.filter(\.isSingleUse)
        guard !documents.isEmpty else { return }
        try await store.write { store in
            for document in documents {
                guard let record = try store.record(document.id, in: Self.category), record.tags.contains(Self.used)
                else { continue }
                try store.replace(
                    document.id, in: Self.category, expecting: record.version,
                    tags: Self.tags(of: document, Self.ready),
                    value: document.file() ?? [])
            }
        }
    }

    private func records(tags: [RecordTag]) async throws -> [StoredRecord] {
        try await store.read { store in
            var (records, cursor): ([StoredRecord], RecordCursor?) = ([], nil)
            repeat {
                let page = try store.records(in: Self.category, tags: tags, after: cursor)
                records += page.records
                cursor = page.next
            } while cursor != nil
            return records
        }
    }

    private static func tags(of document: HeldMobileDocument, _ state: RecordTag) -> [RecordTag] {
        [state, RecordTag(type, document.type)] + (document.isSingleUse ? [RecordTag(use, once)] : [])
    }
}
