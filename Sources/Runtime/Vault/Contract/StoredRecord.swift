/// A name and a value by which records are queried; values are compared whole.
public struct RecordTag: Hashable, Sendable {
    /// The tag's name: 1 to 64 bytes of UTF-8.
    public let name: String

    /// The tag's value: at most 1,024 bytes of UTF-8, may be empty.
    public let value: String

    /// Makes a record tag from its parts.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A record as a store holds it.
public struct StoredRecord: Hashable, Sendable {
    /// The kind of the record: 1 to 64 bytes of UTF-8.
    public let category: String

    /// The name of the record within its category: 1 to 256 bytes of UTF-8.
    public let id: String

    /// 1 when the record was inserted, and one more each time that it was replaced.
    public let version: UInt64

    /// The tags by which the record is queried, in the order given; at most 32.
    public let tags: [RecordTag]

    /// The content: any bytes, at most 8 MiB.
    public let value: [UInt8]

    /// Makes a stored record from its parts.
    public init(category: String, id: String, version: UInt64, tags: [RecordTag], value: [UInt8]) {
        self.category = category
        self.id = id
        self.version = version
        self.tags = tags
        self.value = value
    }
}

extension StoredRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the record's size and nothing of its contents.
    public var description: String { "StoredRecord(version \(version), \(tags.count) tags, \(value.count) bytes)" }

    /// The same text as `description`.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The position in a list of records at which the next page begins.
///
/// It stays valid while records are added and removed, and in other processes. A cursor of another store, category or
/// order is no error and gives an arbitrary page.
public struct RecordCursor: Hashable, Sendable {
    /// The position, as a number of the store.
    public let position: UInt64

    /// Makes a cursor from a number that another cursor had.
    public init(position: UInt64) { self.position = position }
}

/// A part of a list of records.
public struct RecordPage: Hashable, Sendable {
    /// The records of the page, in the requested order.
    public let records: [StoredRecord]

    /// The cursor of the next page; nil for the last page.
    public let next: RecordCursor?

    /// Makes a record page from its parts.
    public init(records: [StoredRecord], next: RecordCursor?) {
        self.records = records
        self.next = next
    }
}

/// The order in which a list of records is read.
public enum RecordOrder: String, Hashable, Sendable, CaseIterable {
    /// Records in the order of insertion; a replaced record keeps its position.
    case oldestFirst
    /// The newest record comes first.
    case newestFirst
}
