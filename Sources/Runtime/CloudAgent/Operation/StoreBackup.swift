import ByteCoding
import SQLiteEngine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension StoreAddress {
    /// Copies a store of SQLite, as it is at one moment, into a new file of mode 0600; agents may use it meanwhile.
    ///
    /// Blocks the calling thread on disk operations; cancelling the task ends it. An incomplete file is removed.
    /// - Returns: how many bytes the copy has.
    /// - Throws: `cloud.store.unsupported` for PostgreSQL, `cloud.store.missing`, `cloud.copy.path` when the new file
    ///   is there already or cannot be made, `cloud.store.schema` for another database, `cloud.store.full`,
    ///   `cloud.store.busy`, `cloud.store.damaged`, `cloud.store.unavailable`; `CancellationError`.
    public func backUp(to path: String) async throws -> Int {
        guard case .sqlite(let source) = self else {
            throw CloudAgentError(.unsupported, "PostgreSQL has a program for this: pg_dump.")
        }
        let real = try StoreFileAccess.existing(source)
        let file = try StoreFileAccess.make(path)
        do {
            let isWhole = try Self.copy(real, to: file)
            guard isWhole else { throw CancellationError() }
            return try StoreFileAccess.synchronised(file)
        } catch {
            for end in ["", "-journal", "-wal", "-shm"] { unlink(file + end) }
            throw error
        }
    }

    private static func copy(_ source: String, to file: String) throws(CloudAgentError) -> Bool {
        let database = try SQLiteConnection<CloudAgentErrorCode>(path: source, options: SQLiteOptions())
        guard try SQLiteSchema.number("PRAGMA application_id", database) == SQLiteSchema.applicationID else {
            throw CloudAgentError(.schema, "The file is not the store of a cloud agent.")
        }
        let target = try SQLiteConnection<CloudAgentErrorCode>(path: file, options: SQLiteOptions())
        return try database.backUp(to: target) { !Task.isCancelled }
    }
}

extension StoreFileAccess {
    /// The path of an existing file, with symbolic links in its folders resolved.
    ///
    /// - Throws: `cloud.store.missing` when there is none.
    static func existing(_ path: String) throws(CloudAgentError) -> String {
        guard access(path, F_OK) == 0 else {
            throw CloudAgentError(.missing, "There is no file at \(path).")
        }
        return try prepare(path)
    }

    /// Makes a new, empty file of mode 0600; returns its path with symbolic links resolved.
    ///
    /// - Throws: `cloud.copy.path` when something is there already, or the folder is not there or not ours.
    static func make(_ path: String) throws(CloudAgentError) -> String {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CloudAgentError(
                .copyPath,
                errno == EEXIST
                    ? "There is something at the copy's path already, and nothing is written over."
                    : "The copy's file cannot be made.")
        }
        close(descriptor)
        return try prepare(path)
    }

    /// Synchronises a file and its directory entry to the disk; returns its size in bytes.
    static func synchronised(_ path: String) throws(CloudAgentError) -> Int {
        let folder = path.parts(at: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        var status = stat()
        for (target, isFolder) in [(path, false), (folder.isEmpty ? "/" : folder, true)] {
            let descriptor = open(target, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            // Not all file systems support this for folders.
            guard descriptor >= 0, fsync(descriptor) == 0 || isFolder else {
                throw CloudAgentError(.unavailable, "The copy could not be brought to the disk.")
            }
            if !isFolder { fstat(descriptor, &status) }
        }
        return Int(status.st_size)
    }
}
