import ByteCoding

/// The encoding of a record before it is sealed.
///
/// Version (8), category (2 + n), identifier (2 + n), number of tags (1), for each tag name (2 + n) and value (2 + n),
/// then the value (4 + n); numbers with the most significant byte first, texts in UTF-8.
struct VaultRecordEncoding: Hashable {
    let record: StoredRecord

    init(_ record: StoredRecord) { self.record = record }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(record.value.count + 256)
        bytes.appendBigEndian(record.version)
        bytes.append(counted: record.category)
        bytes.append(counted: record.id)
        bytes.append(UInt8(truncatingIfNeeded: record.tags.count))
        for tag in record.tags {
            bytes.append(counted: tag.name)
            bytes.append(counted: tag.value)
        }
        bytes.appendBigEndian(UInt32(truncatingIfNeeded: record.value.count))
        return bytes + record.value
    }

    /// Decodes exactly one body; nil for bytes that `encoded` never writes for a record within the limits.
    init?(decoding bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let version = reader.bigEndian(UInt64.self), version > 0, let category = reader.countedText(),
            let id = reader.countedText(), let tags = Self.tags(&reader), let count = reader.bigEndian(UInt32.self),
            let value = reader.bytes(Int(count)), reader.isAtEnd
        else { return nil }
        let record = StoredRecord(category: category, id: id, version: version, tags: tags, value: Array(value))
        do {
            try RecordLimits.check(id: id, category: category)
            try RecordLimits.check(tags: tags)
            try RecordLimits.check(value: record.value)
        } catch { return nil }
        self.record = record
    }

    private static func tags(_ reader: inout ByteReader) -> [RecordTag]? {
        guard let count = reader.byte(), count <= RecordLimits.tags else { return nil }
        var tags: [RecordTag] = []
        for _ in 0..<count {
            guard let name = reader.countedText(), let value = reader.countedText() else { return nil }
            tags.append(RecordTag(name, value))
        }
        return tags
    }
}

extension Array where Element == UInt8 {
    /// Appends the length of a text in two bytes, then the text.
    mutating func append(counted text: String) {
        appendBigEndian(UInt16(truncatingIfNeeded: text.utf8.count))
        self += text.utf8
    }
}

extension ByteReader {
    /// Reads the text that `append(counted:)` wrote; nil for bytes that are no UTF-8.
    mutating func countedText() -> String? {
        guard let count = bigEndian(UInt16.self), let text = bytes(Int(count)) else { return nil }
        return String(validating: text, as: UTF8.self)
    }
}
