import Radio

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The location of a shared air: a socket, and beside it a lock file that its host holds.
///
/// Only the holder of the lock may remove or make the socket. The kernel releases the lock when its holder ends in any
/// way, so exactly one process hosts, and a socket beside a free lock is stale.
struct SharedAirLocation: Sendable {
    /// The path of the socket.
    let path: String
    private let isDefault: Bool

    private var folder: String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    /// The location at `path`, or the default one: `symbolon/air.sock` in the user's run-time folder, else in a folder
    /// of the user's own in `/tmp`.
    ///
    /// - Throws: `tooLarge` when the path does not fit a socket's address, `unsupported` when it names no file.
    init(_ path: String?, runtimeFolder: String?) throws(RadioError) {
        isDefault = path == nil
        if let path {
            self.path = path.contains("/") ? path : "./\(path)"
        } else if let runtimeFolder, runtimeFolder.hasPrefix("/"), Self.isFolder(runtimeFolder) {
            self.path = "\(runtimeFolder)/symbolon/air.sock"
        } else {
            self.path = "/tmp/symbolon-\(geteuid())/air.sock"
        }
        guard self.path.utf8.count <= UnixSocket.maximumPathBytes else {
            throw RadioError(
                .tooLarge,
                "the path of the air's socket has \(self.path.utf8.count) bytes; \(UnixSocket.maximumPathBytes) fit")
        }
        guard !self.path.hasSuffix("/"), !self.path.utf8.contains(0) else {
            throw RadioError(.unsupported, "\(self.path) does not name a socket")
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes the folder if need be and checks which users may write to it.
    ///
    /// - Throws: `notPermitted` when others could put a socket of theirs there, `unavailable` when there is no such
    ///   folder and none can be made.
    func prepareFolder() throws(RadioError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            let failure = SystemCallFailure.now
            throw RadioError(failure.code, "cannot make the folder \(folder) for the air: \(failure)")
        }
        var status = stat()
        guard (isDefault ? lstat(folder, &status) : stat(folder, &status)) == 0 else {
            let failure = SystemCallFailure.now
            throw RadioError(failure.code, "cannot look at the folder \(folder): \(failure)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw RadioError(.unavailable, "\(folder) is not a folder")
        }
        try checkAccess(owner: status.st_uid, mode: status.st_mode)
    }

    private func checkAccess(owner: uid_t, mode: mode_t) throws(RadioError) {
        let isOurs = owner == geteuid() || (!isDefault && owner == 0)
        let isClosed = isDefault ? mode & 0o077 == 0 : mode & 0o022 == 0 || mode & S_ISVTX != 0
        guard isOurs, isClosed else {
            throw RadioError(
                .notPermitted, "others may write to the folder \(folder); the air needs one of its user's own")
        }
    }

    /// Tries to become the host.
    ///
    /// - Returns: Nil while another process holds the lock.
    func claim() throws(RadioError) -> HostingClaim? {
        let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            let failure = SystemCallFailure.now
            throw RadioError(failure.code, "cannot open \(path).lock: \(failure)")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            return nil
        }
        do throws(RadioError) {
            try removeStaleSocket()
            return HostingClaim(path: path, listener: try listen(), lock: lock)
        } catch {
            close(lock)
            throw error
        }
    }

    private func removeStaleSocket() throws(RadioError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw RadioError(.unavailable, "\(path) is there and is not a socket")
        }
        unlink(path)
    }

    private func listen() throws(RadioError) -> Int32 {
        switch UnixSocket.listen(at: path) {
        case .success(let descriptor): return descriptor
        case .failure(let failure):
            throw RadioError(failure.code, "cannot make the air's socket \(path): \(failure)")
        }
    }

    /// The right to host an air at a location, until it is released or the process ends.
    struct HostingClaim: Sendable {
        fileprivate let path: String
        /// The socket that takes connections; its user closes it.
        let listener: Int32
        fileprivate let lock: Int32

        /// Removes the socket and releases the lock; the listener has been closed before.
        func release() {
            unlink(path)
            close(lock)
        }

        /// Releases the lock and leaves the stale socket, like the end of a process.
        func abandon() { close(lock) }
    }
}
