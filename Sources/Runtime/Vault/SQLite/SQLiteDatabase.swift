import CSQLite

/// The only file that calls SQLite: one connection, used by one thread at a time.
@safe final class SQLiteDatabase {
    /// How a database is opened.
    struct Options {
        /// Whether an empty database is made when there is none.
        var creates = false
        /// How long SQLite waits for another process before it gives up.
        var busyMilliseconds: Int32 = 10_000
        /// The name of another file layer than the system's, for tests.
        var fileLayer: String?
    }

    // Invariant: `handle` is an open connection until `deinit`, and the statements belong to it.
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = unsafe [:]

    /// Opens the database at `path`, which must be a file and no link.
    init(path: String, options: Options) throws(VaultError) {
        var handle: OpaquePointer?
        var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE
        if options.creates { flags |= SQLITE_OPEN_CREATE }
        let status = unsafe sqlite3_open_v2(path, &handle, flags, options.fileLayer)
        guard status == SQLITE_OK, let opened = unsafe handle else {
            unsafe sqlite3_close_v2(handle)
            throw Self.error(status, "open")
        }
        unsafe self.handle = opened
        unsafe sqlite3_extended_result_codes(opened, 1)
        unsafe sqlite3_busy_timeout(opened, options.busyMilliseconds)
        unsafe sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Int32(Self.maximumBlobBytes))
        unsafe sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0)
    }

    deinit {
        // A cached statement holds its connection open, so all of them go first.
        while let statement = unsafe sqlite3_next_stmt(handle, nil) { unsafe sqlite3_finalize(statement) }
        unsafe sqlite3_close_v2(handle)
    }

    /// The longest blob that is read or written: the longest value, its tags, and what sealing adds.
    static let maximumBlobBytes = 9 * 1024 * 1024

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the last change touched.
    var changedRows: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Runs one statement and forgets its rows.
    func run(_ sql: String, _ values: [SQLiteValue] = []) throws(VaultError) {
        _ = try query(sql, values) { (_) throws(VaultError) in true }
    }

    /// Runs one statement and reads each of its rows.
    func query<Value>(
        _ sql: String, _ values: [SQLiteValue] = [], _ read: (borrowing SQLiteRow) throws(VaultError) -> Value
    ) throws(VaultError) -> [Value] {
        let statement = unsafe try prepared(sql)
        defer {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { unsafe try bind(value, at: Int32(index + 1), of: statement) }
        var results: [Value] = []
        while true {
            let status = unsafe sqlite3_step(statement)
            if status == SQLITE_DONE { return results }
            guard status == SQLITE_ROW else { throw Self.error(status, "step") }
            unsafe results.append(try read(SQLiteRow(statement)))
        }
    }

    private func prepared(_ sql: String) throws(VaultError) -> OpaquePointer {
        if let statement = unsafe statements[sql] { return unsafe statement }
        var statement: OpaquePointer?
        let status = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard status == SQLITE_OK, let made = unsafe statement else { throw Self.error(status, "prepare") }
        unsafe statements[sql] = made
        return unsafe made
    }

    private func bind(_ value: SQLiteValue, at index: Int32, of statement: OpaquePointer) throws(VaultError) {
        // SQLite copies what it is told to copy by this address that is none.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let status: Int32
        switch value {
        case .integer(let number): status = unsafe sqlite3_bind_int64(statement, index, number)
        case .blob(let bytes) where bytes.isEmpty: status = unsafe sqlite3_bind_zeroblob(statement, index, 0)
        case .blob(let bytes):
            status = unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), transient)
            }
        }
        guard status == SQLITE_OK else { throw Self.error(status, "bind") }
    }

    private static func error(_ status: Int32, _ step: String) -> VaultError {
        let words = unsafe sqlite3_errstr(status).map { unsafe String(cString: $0) } ?? "unknown"
        let reason = "SQLite says to \(step): \(words) (\(status))."
        switch status & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: return VaultError(.busy, reason)
        case SQLITE_FULL: return VaultError(.full, reason)
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH: return VaultError(.damaged, reason)
        case SQLITE_TOOBIG: return VaultError(.limit, reason)
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_PROTOCOL, SQLITE_AUTH:
            return VaultError(.storageFailed, reason)
        // Rows that stand in each other's way, and tables that are not there, are no doing of ours.
        case SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_SCHEMA: return VaultError(.damaged, reason)
        default: return VaultError(.internal, reason)
        }
    }
}

/// What is put into a statement.
enum SQLiteValue {
    case integer(Int64)
    case blob([UInt8])
}

/// One row of a result, while the statement stands on it.
@safe struct SQLiteRow: ~Copyable {
    private let statement: OpaquePointer

    fileprivate init(_ statement: OpaquePointer) { unsafe self.statement = statement }

    /// A column that must be a number.
    func integer(_ column: Int32) throws(VaultError) -> Int64 {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw Self.wrongType }
        return unsafe sqlite3_column_int64(statement, column)
    }

    /// A column that must be bytes.
    func blob(_ column: Int32) throws(VaultError) -> [UInt8] {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_BLOB else { throw Self.wrongType }
        return bytes(column)
    }

    /// A column that must be a text.
    func text(_ column: Int32) throws(VaultError) -> String {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_TEXT else { throw Self.wrongType }
        return String(decoding: bytes(column), as: UTF8.self)
    }

    private func bytes(_ column: Int32) -> [UInt8] {
        let start = unsafe sqlite3_column_blob(statement, column)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private static var wrongType: VaultError {
        VaultError(.damaged, "A column of the database holds another kind of value than it should.")
    }
}
