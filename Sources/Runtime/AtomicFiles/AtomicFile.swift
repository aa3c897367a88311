#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file of mode 0600 that gets its name only when it is whole.
///
/// The bytes go to a temporary file in the same folder and are forced to the disk; then the file gets its name, and the
/// folder is forced to the disk. A machine that stops in between leaves what was there before, and perhaps the
/// temporary file, which is otherwise removed with this object.
public final class AtomicFile {
    /// A system call on a file that failed, with its error number.
    public struct SystemCallError: Error, Hashable, Sendable {
        /// The number of the system's error, as `errno` has it.
        public let number: Int32

        /// The system's message for it.
        public var words: String { String(cString: strerror(number)) }

        /// Reads the error number of the system call that has just failed.
        init() { number = errno }
    }

    private let temporary: String
    /// The descriptor of the open file; nil once it is closed.
    private var descriptor: Int32?

    /// Makes the temporary file; there must be nothing at `path` yet, nor a link.
    ///
    /// - Throws: the system's failure.
    public init(temporary path: String) throws(SystemCallError) {
        let opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw SystemCallError() }
        temporary = path
        descriptor = opened
    }

    deinit {
        if let descriptor { close(descriptor) }
        unlink(temporary)
    }

    /// Appends all of `bytes`.
    ///
    /// - Throws: the system's failure.
    public func write(_ bytes: [UInt8]) throws(SystemCallError) {
        guard let descriptor else { preconditionFailure("a file that has its name is not written to") }
        try Self.writeAll(bytes, to: descriptor)
    }

    /// Writes all of `bytes` to any open file; interrupted and short writes are continued.
    ///
    /// - Throws: the system's failure.
    public static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemCallError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                    Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemCallError() }
            written += count
        }
    }

    /// Names the file `path`, in place of the file that has the name.
    ///
    /// - Throws: the system's failure; what was at `path` stays then.
    public func replace(_ path: String) throws(SystemCallError) {
        try finish()
        guard rename(temporary, path) == 0 else { throw SystemCallError() }
        Self.synchronise(folder: Self.folder(of: path))
    }

    /// Names the file `path`; false when the name is taken, and another may be tried.
    ///
    /// - Throws: the system's failure.
    public func create(_ path: String) throws(SystemCallError) -> Bool {
        try finish()
        // A link of a name that is taken fails, where a renaming would replace what is there.
        guard link(temporary, path) == 0 else {
            if errno == EEXIST { return false }
            throw SystemCallError()
        }
        Self.synchronise(folder: Self.folder(of: path))
        return true
    }

    /// Forces the written bytes to the disk and closes the file.
    private func finish() throws(SystemCallError) {
        guard let open = descriptor else { return }
        guard fsync(open) == 0 else { throw SystemCallError() }
        descriptor = nil
        guard close(open) == 0 else { throw SystemCallError() }
    }

    /// Makes the names created in a folder durable; failure is ignored, because not all file systems support it.
    public static func synchronise(folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// The folder that `path` lies in; `.` for a bare name.
    public static func folder(of path: String) -> String {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
