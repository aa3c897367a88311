import CSQLite
package import CodedErrors

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The kinds of SQLite's failures; each store maps them to its own errors.
package enum SQLiteFault: Hashable, Sendable, CaseIterable {
    /// Other connections hold the database.
    case busy
    /// No room: the disk is full, or a limit of the file's size or of the user's quota is reached.
    case full
    /// The file is no database, or not the one that was written.
    case damaged
    /// A value is too large to be stored.
    case tooBig
    /// The file system failed.
    case storage
    /// SQLite failed otherwise, such as by want of memory.
    case other
}

/// The error codes of a store that keeps its data in SQLite.
package protocol SQLiteStoreErrorCode: ErrorCode {
    /// Maps a failure of SQLite to the store's error code.
    init(_ fault: SQLiteFault)
}

/// The options for opening a database.
package struct SQLiteOptions {
    /// True when an empty database is made if there is none.
    package var creates = false
    /// The longest wait of SQLite for another process before it gives up.
    package var busyMilliseconds: Int32 = 10_000
    /// The name of another file layer than the system's, for tests.
    package var fileLayer: String?

    /// Makes SQLite options with the default values.
    package init(creates: Bool = false, busyMilliseconds: Int32 = 10_000, fileLayer: String? = nil) {
        self.creates = creates
        self.busyMilliseconds = busyMilliseconds
        self.fileLayer = fileLayer
    }
}

/// The only file that calls SQLite: one connection, used by one thread at a time.
@safe package final class SQLiteConnection<Code: SQLiteStoreErrorCode> {
    package typealias Failure = CodedFailure<Code>

    // Invariant: `handle` is an open connection until `deinit`, and the statements belong to it.
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = unsafe [:]

    /// Opens the database at `path`, which must be a file and no link.
    package init(path: String, options: SQLiteOptions) throws(Failure) {
        var handle: OpaquePointer?
        var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE
        if options.creates { flags |= SQLITE_OPEN_CREATE }
        let status = unsafe sqlite3_open_v2(path, &handle, flags, options.fileLayer)
        guard status == SQLITE_OK, let opened = unsafe handle else {
            let error = unsafe Self.error(status, "open", on: handle)
            unsafe sqlite3_close_v2(handle)
            throw error
        }
        unsafe self.handle = opened
        unsafe sqlite3_extended_result_codes(opened, 1)
        unsafe sqlite3_busy_timeout(opened, options.busyMilliseconds)
        unsafe sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Int32(SQLiteValue.maximumBlobBytes))
        unsafe sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0)
    }

    deinit {
        // A cached statement holds its connection open, so all of them go first.
        while let statement = unsafe sqlite3_next_stmt(handle, nil) { unsafe sqlite3_finalize(statement) }
        unsafe sqlite3_close_v2(handle)
    }

    /// True while a transaction is open.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last change touched.
    package var changedRows: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Runs one statement and forgets its rows.
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(Failure) {
        _ = try query(sql, values) { (_) throws(Failure) in true }
    }

    /// Runs one statement and reads each of its rows.
    package func query<Value>(
        _ sql: String, _ values: [SQLiteValue] = [], _ read: (borrowing SQLiteRow<Code>) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
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
            guard status == SQLITE_ROW else { throw unsafe Self.error(status, "step", on: handle) }
            unsafe results.append(try read(SQLiteRow(statement)))
        }
    }

    /// Copies all of the database, as it is at one moment, into `target`, and replaces its content.
    ///
    /// Others may read and write meanwhile. `target` is whole only when this returns.
    /// - Parameter goesOn: asked after every 1,024 pages; false leaves the copy undone.
    /// - Returns: whether all was copied.
    package func backUp(to target: SQLiteConnection, while goesOn: () -> Bool = { true }) throws(Failure) -> Bool {
        // The copy keeps the state of its start: a reader in the log sees one moment, while others write.
        try run("BEGIN")
        defer { if isInTransaction { try? run("ROLLBACK") } }
        _ = try query("SELECT count(*) FROM sqlite_schema") { (row) throws(Failure) in try row.integer(0) }
        guard let copy = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw unsafe Self.error(sqlite3_errcode(target.handle), "back up", on: target.handle)
        }
        var status = SQLITE_OK
        while status == SQLITE_OK, goesOn() { status = unsafe sqlite3_backup_step(copy, 1024) }
        let end = unsafe sqlite3_backup_finish(copy)
        if status == SQLITE_DONE, end == SQLITE_OK { return true }
        guard status == SQLITE_OK else { throw unsafe Self.error(status, "back up", on: target.handle) }
        return false
    }

    private func prepared(_ sql: String) throws(Failure) -> OpaquePointer {
        if let statement = unsafe statements[sql] { return unsafe statement }
        var statement: OpaquePointer?
        let status = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard status == SQLITE_OK, let made = unsafe statement else {
            throw unsafe Self.error(status, "prepare", on: handle)
        }
        unsafe statements[sql] = made
        return unsafe made
    }

    private func bind(_ value: SQLiteValue, at index: Int32, of statement: OpaquePointer) throws(Failure) {
        // `SQLITE_TRANSIENT`: SQLite copies the bytes.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let status: Int32
        switch value {
        case .null: status = unsafe sqlite3_bind_null(statement, index)
        case .integer(let number): status = unsafe sqlite3_bind_int64(statement, index, number)
        case .blob(let bytes) where bytes.isEmpty: status = unsafe sqlite3_bind_zeroblob(statement, index, 0)
        case .blob(let bytes):
            status = unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), transient)
            }
        }
        guard status == SQLITE_OK else { throw unsafe Self.error(status, "bind", on: handle) }
    }

    private static func error(_ status: Int32, _ step: String, on handle: OpaquePointer?) -> Failure {
        let words = unsafe sqlite3_errstr(status).map { unsafe String(cString: $0) } ?? "unknown"
        let fault: SQLiteFault =
            switch status & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .full
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH: .damaged
            case SQLITE_TOOBIG: .tooBig
            case SQLITE_IOERR where unsafe isRefusedForItsSize(on: handle): .full
            case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_PROTOCOL, SQLITE_AUTH: .storage
            // Violated constraints and missing tables come from a changed file, not from our statements.
            case SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_SCHEMA: .damaged
            default: .other
            }
        return Failure(Code(fault), "SQLite says to \(step): \(words) (\(status)).")
    }

    /// Returns true when the last write failed at the size limit of a file or of a quota.
    ///
    /// The write was to the database, its log or its journal. SQLite reports only a full disk as such. The error number
    /// of the connection is not set where a commit fails.
    private static func isRefusedForItsSize(on handle: OpaquePointer?) -> Bool {
        var (main, log): (Int32, Int32) = (0, 0)
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &main)
        var file: UnsafeMutablePointer<sqlite3_file>?
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
        if let file = unsafe file, let methods = unsafe file.pointee.pMethods {
            unsafe _ = methods.pointee.xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &log)
        }
        let numbers = unsafe [sqlite3_system_errno(handle), main, log]
        return numbers.contains { $0 == EFBIG || $0 == EDQUOT }
    }
}

/// A value bound to a statement.
package enum SQLiteValue {
    /// The longest blob that is read or written: the longest value of a vault, its tags, and the bytes of sealing.
    package static let maximumBlobBytes = 9 * 1024 * 1024

    /// The value NULL.
    case null
    /// A value of type INTEGER.
    case integer(Int64)
    /// A value of type BLOB.
    case blob([UInt8])
}

/// The type of a column's value.
package enum SQLiteColumnType: Hashable, Sendable {
    /// The column holds NULL.
    case null
    /// The column holds an INTEGER.
    case integer
    /// The column holds a BLOB.
    case blob
    /// A text or a fraction.
    case other
}

/// One row of a result, while the statement stands on it.
@safe package struct SQLiteRow<Code: SQLiteStoreErrorCode>: ~Copyable {
    package typealias Failure = CodedFailure<Code>

    private let statement: OpaquePointer

    fileprivate init(_ statement: OpaquePointer) { unsafe self.statement = statement }

    /// A column that must be a number.
    package func integer(_ column: Int32) throws(Failure) -> Int64 {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw Self.wrongType }
        return unsafe sqlite3_column_int64(statement, column)
    }

    /// A column that must be bytes.
    package func blob(_ column: Int32) throws(Failure) -> [UInt8] {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_BLOB else { throw Self.wrongType }
        return bytes(column)
    }

    /// A column that must be a text.
    package func text(_ column: Int32) throws(Failure) -> String {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_TEXT else { throw Self.wrongType }
        return String(decoding: bytes(column), as: UTF8.self)
    }

    private func bytes(_ column: Int32) -> [UInt8] {
        let start = unsafe sqlite3_column_blob(statement, column)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// The number of columns of the result.
    package var columnCount: Int32 { unsafe sqlite3_column_count(statement) }

    /// The type of a column's value in the present row.
    package func kind(_ column: Int32) -> SQLiteColumnType {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer
        case SQLITE_BLOB: .blob
        default: .other
        }
    }

    private static var wrongType: Failure {
        Failure(Code(.damaged), "A column of the database holds another kind of value than it should.")
    }
}
