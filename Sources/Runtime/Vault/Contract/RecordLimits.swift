/// The largest sizes of the parts of a record, the same for every store.
public enum RecordLimits {
    /// The most bytes of a category.
    public static let categoryBytes = 64
    /// The most bytes of an identifier.
    public static let idBytes = 256
    /// The most tags of a record, and of a query.
    public static let tags = 32
    /// The most bytes of a tag's name.
    public static let tagNameBytes = 64
    /// The most bytes of a tag's value.
    public static let tagValueBytes = 1024
    /// The most bytes of a record's value: 8 MiB.
    public static let valueBytes = 8 * 1024 * 1024
    /// The most records of a page.
    public static let pageRecords = 1000

    /// Checks a name of a record.
    ///
    /// - Throws: `vault.limit` for one that is empty or too long.
    public static func check(id: String, category: String) throws(VaultError) {
        guard (1...idBytes).contains(id.utf8.count) else {
            throw VaultError(.limit, "An identifier has 1 to \(idBytes) bytes, not \(id.utf8.count).")
        }
        try check(category: category)
    }

    /// Checks a category.
    ///
    /// - Throws: `vault.limit` for one that is empty or too long.
    public static func check(category: String) throws(VaultError) {
        guard (1...categoryBytes).contains(category.utf8.count) else {
            throw VaultError(.limit, "A category has 1 to \(categoryBytes) bytes, not \(category.utf8.count).")
        }
    }

    /// Checks the tags of a record or of a query.
    ///
    /// - Throws: `vault.limit` for too many, an empty or long name, a long value, and the same tag twice.
    public static func check(tags list: [RecordTag]) throws(VaultError) {
        guard list.count <= tags else { throw VaultError(.limit, "There are at most \(tags) tags, not \(list.count).") }
        for tag in list {
            guard (1...tagNameBytes).contains(tag.name.utf8.count), tag.value.utf8.count <= tagValueBytes else {
                throw VaultError(
                    .limit, "A tag's name has 1 to \(tagNameBytes) bytes and its value at most \(tagValueBytes).")
            }
        }
        guard Set(list).count == list.count else { throw VaultError(.limit, "A tag stands twice in one list.") }
    }

    /// Checks a value.
    ///
    /// - Throws: `vault.limit` for one that is too long.
    public static func check(value: [UInt8]) throws(VaultError) {
        guard value.count <= valueBytes else {
            throw VaultError(.limit, "A value has at most \(valueBytes) bytes, not \(value.count).")
        }
    }

    /// Checks the number of records of a page.
    ///
    /// - Throws: `vault.limit` for less than one and more than `pageRecords`.
    public static func check(page limit: Int) throws(VaultError) {
        guard (1...pageRecords).contains(limit) else {
            throw VaultError(.limit, "A page has 1 to \(pageRecords) records, not \(limit).")
        }
    }
}
