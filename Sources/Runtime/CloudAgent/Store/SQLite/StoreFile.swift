import ByteCoding
import Determinism

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file of a store as one process uses it: its identity, the lock of a server, and the reserve beside it.
///
/// A server holds an advisory lock on `PATH-lock`, which ends with its process, and keeps `PATH-reserve` at its full
/// size: a part of the disk that is given back when the disk is full, so that messages can still be forgotten. Never
/// opens the file itself: closing a descriptor of it would end SQLite's own locks.
final class StoreFile: Sendable {
    private struct FileIdentity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    private struct GuardedState {
        var identity: FileIdentity?
        var lock: Int32?
    }

    /// The path without links in its folders.
    let path: String
    private let state = Lock(GuardedState())

    init(path: String) { self.path = path }

    deinit { endServing() }

    /// True while a server of this process holds the lock.
    var isServed: Bool { state.withLock { $0.lock != nil } }

    /// Locks the file for a server.
    ///
    /// - Throws: `cloud.store.in-use` when another server has it, `cloud.store.path`.
    func serve() throws(CloudAgentError) {
        guard !isServed else { return }
        let descriptor = open("\(path)-lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CloudAgentError(.path, "The lock file of the store cannot be made: \(Self.lastError).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let words = Self.lastError
            close(descriptor)
            throw isHeld
                ? CloudAgentError(.inUse, "Another agent serves from this file.")
                : CloudAgentError(.path, "The lock file of the store cannot be locked: \(words).")
        }
        state.withLock { $0.lock = descriptor }
        _ = reserve()
    }

    /// Unlocks the file for another server.
    func endServing() {
        let descriptor = state.withLock { state in
            defer { state.lock = nil }
            return state.lock
        }
        if let descriptor { close(descriptor) }
    }

    /// Checks whether the file at the path is the one that was opened first.
    ///
    /// - Throws: `cloud.store.replaced`.
    func check() throws(CloudAgentError) {
        let found = Self.status(path).map { FileIdentity(device: UInt64($0.st_dev), number: UInt64($0.st_ino)) }
        let isSame = state.withLock { state in
            if state.identity == nil { state.identity = found }
            return found != nil && state.identity == found
        }
        guard isSame else {
            throw CloudAgentError(.replaced, "The file of the store was removed or replaced while it was in use.")
        }
    }

    /// The free space of the disk; nil when the system does not report it.
    ///
    /// - Parameters:
    ///   - size: the bytes of the store with those in its log.
    ///   - unused: how many of them are free pages.
    func room(size: Int, unused: Int) -> DiskSpaceRule? {
        guard let (total, free) = diskBytes, let file = Self.status(path) else { return nil }
        let reserve = DiskSpaceRule.reserveBytes(ofDisk: total)
        return DiskSpaceRule(
            freeBytes: min(free, max(0, Self.largestFile - size)), reserveBytes: reserve,
            isReserved: Self.status(reservePath).map { Int($0.st_size) >= reserve } ?? false,
            owedBytes: max(0, size - Int(file.st_size)), unusedBytes: unused,
            logBytes: Self.status("\(path)-wal").map { Int($0.st_size) } ?? 0)
    }

    /// Brings the reserve to its target size; false when there is no room for it.
    func reserve() -> Bool {
        guard let (total, _) = diskBytes else { return false }
        let bytes = DiskSpaceRule.reserveBytes(ofDisk: total)
        let descriptor = open(reservePath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard Self.allocate(descriptor, bytes) else {
            ftruncate(descriptor, 0)
            return false
        }
        return true
    }

    /// Frees the reserve; false when there is none.
    func release() -> Bool {
        guard let status = Self.status(reservePath), status.st_size > 0 else { return false }
        return truncate(reservePath, 0) == 0
    }

    private var reservePath: String { "\(path)-reserve" }

    private var diskBytes: (total: Int, free: Int)? {
        let folder = path.parts(at: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        var status = statvfs()
        guard statvfs(folder.isEmpty ? "/" : folder, &status) == 0 else { return nil }
        return (Int(status.f_blocks) * Int(status.f_frsize), Int(status.f_bavail) * Int(status.f_frsize))
    }

    /// The most bytes that a file of this process may have.
    private static var largestFile: Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let kind = RLIMIT_FSIZE
        #endif
        return getrlimit(kind, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
    }

    private static func allocate(_ descriptor: Int32, _ bytes: Int) -> Bool {
        #if canImport(Darwin)
            var wanted = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(bytes),
                fst_bytesalloc: 0)
            return fcntl(descriptor, F_PREALLOCATE, &wanted) != -1 && ftruncate(descriptor, off_t(bytes)) == 0
        #else
            return posix_fallocate(descriptor, 0, off_t(bytes)) == 0
        #endif
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private static var lastError: String { String(cString: strerror(errno)) }
}
