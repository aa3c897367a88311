import AtomicFiles

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Files and folders that only this user may access.
enum PrivateFile {
    /// The expected kind of the object at a path.
    enum Kind {
        case folder
        case file

        fileprivate var mode: mode_t { self == .folder ? S_IFDIR : S_IFREG }
        fileprivate var word: String { self == .folder ? "folder" : "file" }
    }

    /// Returns true when a file, a folder or a link is at `path`.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Checks that `path` is a file, a folder or a link of the kind expected, owned by this user and closed to others.
    ///
    /// - Throws: `vault.not-found`, `vault.path.refused`, `vault.path.permissions`.
    static func check(_ path: String, is kind: Kind) throws(VaultError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw notFound(path) }
        try check(status, path, kind)
    }

    /// The path without any link in it.
    static func resolved(_ path: String) throws(VaultError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw failure("follow the path") }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Makes a folder for this user only; an existing one is checked instead.
    ///
    /// - Throws: as `check` does, and `vault.storage.failed`.
    static func makeFolder(_ path: String) throws(VaultError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw failure("make the folder") }
            return try check(path, is: .folder)
        }
        guard unsafe chmod(path, 0o700) == 0 else { throw failure("close the folder to others") }
    }

    /// Makes an empty file for this user only; an existing one is checked instead.
    static func makeFile(_ path: String) throws(VaultError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw failure("make the file") }
            return try check(path, is: .file)
        }
        close(descriptor)
    }

    /// Reads a file of this user alone, or one of root's that none may write and only its group may read beside.
    ///
    /// systemd opens a credential, which is root's, to the user of a service in this way.
    ///
    /// - Throws: as `check` does; `vault.limit` for more than `limit` bytes; `vault.storage.failed`.
    static func read(_ path: String, limit: Int) throws(VaultError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { throw notFound(path) }
            if errno == ELOOP { throw VaultError(.pathRefused, "The file is a symbolic link.") }
            throw failure("open the file")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("look at the file") }
        let isCredential =
            status.st_mode & S_IFMT == S_IFREG
            && isCredential(mode: status.st_mode, owner: status.st_uid)
        if !isCredential { try check(status, path, .file) }
        let file = PrivateFileReader(descriptor)
        var bytes: [UInt8] = []
        while let piece = try file.read(upTo: 65_536) {
            bytes += piece
            guard bytes.count <= limit else { throw VaultError(.limit, "The file has more than \(limit) bytes.") }
        }
        return bytes
    }

    /// True for a file of root's that none may write and only its group may read beside.
    static func isCredential(mode: mode_t, owner: uid_t) -> Bool { owner == 0 && mode & 0o337 == 0 }

    /// Opens a file of any owner to read, and closes it when `body` has returned.
    ///
    /// - Throws: `vault.not-found`, `vault.path.refused` for what is no file, `vault.path.permissions`,
    ///   `vault.storage.failed`, and what `body` throws.
    static func reading<Result>(_ path: String, _ body: (PrivateFileReader) throws -> Result) throws -> Result {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open the file") }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("look at the file") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw VaultError(.pathRefused, "There is something else where a file should be.")
        }
        return try body(PrivateFileReader(descriptor))
    }

    /// Writes a new file for this user alone, whole or not at all; `write` gets a file whose name no other process
    /// knows.
    ///
    /// - Throws: `vault.exists` when there is something at `path`, `vault.storage.full`, `vault.storage.failed`, and
    ///   what `write` throws.
    static func create(
        _ path: String, unique: [UInt8], _ write: (PrivateFileWriter) throws -> Void
    ) throws {
        let suffix = unique.map { String($0, radix: 16) }.joined()
        do {
            let file = try AtomicFile(temporary: "\(path).\(suffix).part")
            try write(PrivateFileWriter(file))
            guard try file.create(path) else {
                throw VaultError(.exists, "There is something at the path already.")
            }
        } catch let failure as AtomicFile.SystemCallError {
            throw Self.failure("make the file", failure.number)
        }
    }

    /// The system's last error as a `VaultError`.
    static func failure(_ what: String) -> VaultError { failure(what, errno) }

    /// A system's error as a `VaultError`.
    static func failure(_ what: String, _ number: Int32) -> VaultError {
        let words = unsafe String(cString: strerror(number))
        switch number {
        case ENOSPC, EDQUOT, EFBIG: return VaultError(.full, "The system cannot \(what): \(words).")
        case ENOENT, ENOTDIR: return VaultError(.notFound, "The system cannot \(what): \(words).")
        case EACCES, EPERM, EROFS: return VaultError(.pathPermissions, "The system cannot \(what): \(words).")
        case ELOOP: return VaultError(.pathRefused, "The system cannot \(what): \(words).")
        default: return VaultError(.storageFailed, "The system cannot \(what): \(words).")
        }
    }

    private static func check(_ status: stat, _ path: String, _ kind: Kind) throws(VaultError) {
        guard status.st_mode & S_IFMT == kind.mode else {
            throw VaultError(.pathRefused, "There is a link or something else where a \(kind.word) should be.")
        }
        guard status.st_uid == geteuid() else {
            throw VaultError(.pathPermissions, "The \(kind.word) belongs to another user.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw VaultError(.pathPermissions, "The \(kind.word) is open to other users.")
        }
    }

    private static func notFound(_ path: String) -> VaultError {
        VaultError(.notFound, "There is nothing at the path.")
    }
}

/// An open file, read from front to back; its opener closes it.
struct PrivateFileReader {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next bytes, at most `count`; nil at the end.
    func read(upTo count: Int) throws(VaultError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            #if canImport(Darwin)
                let got = unsafe Darwin.read(descriptor, &buffer, count)
            #else
                let got = unsafe Glibc.read(descriptor, &buffer, count)
            #endif
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw PrivateFile.failure("read the file") }
            return got == 0 ? nil : Array(buffer[..<got])
        }
    }

    /// Exactly `count` bytes; nil when the file ends before.
    func read(exactly count: Int) throws(VaultError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let piece = try read(upTo: min(count - bytes.count, 1 << 20)) else { return nil }
            bytes += piece
        }
        return bytes
    }
}

/// A file that is being written, and has no name yet.
struct PrivateFileWriter {
    private let file: AtomicFile

    init(_ file: AtomicFile) { self.file = file }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8]) throws(VaultError) {
        do throws(AtomicFile.SystemCallError) {
            try file.write(bytes)
        } catch {
            throw PrivateFile.failure("write the file", error.number)
        }
    }
}
