import Radio

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system calls on stream sockets in the file system, each in one place; none of them waits.
enum UnixSocket {
    /// The result of a try to connect.
    enum UnixConnectResult {
        /// Connected; the descriptor does not block.
        case connected(Int32)
        /// No process listens: there is no socket, or the one that is there is stale.
        case noListener
        /// A process listens but has no room at the moment.
        case busy
        /// The connect failed with another errno.
        case failed(errno: Int32)
    }

    /// The longest path that an address holds.
    static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Makes a socket at `path` that only its owner can connect to.
    ///
    /// - Returns: The descriptor, or the error number.
    static func listen(at path: String) -> Result<Int32, SystemCallFailure> {
        guard var address = address(of: path), let descriptor = make() else { return .failure(.now) }
        _ = fchmod(descriptor, 0o600)
        let status = withGeneric(&address) { bind(descriptor, $0, $1) }
        guard status == 0, chmod(path, 0o600) == 0, systemListen(descriptor) == 0 else {
            let failure = SystemCallFailure.now
            close(descriptor)
            return .failure(failure)
        }
        return .success(descriptor)
    }

    /// Connects to the socket at `path`.
    static func connect(to path: String) -> UnixConnectResult {
        guard var address = address(of: path), let descriptor = make() else { return .failed(errno: errno) }
        let status = withGeneric(&address) { systemConnect(descriptor, $0, $1) }
        if status == 0 { return .connected(descriptor) }
        let cause = errno
        close(descriptor)
        switch cause {
        case ECONNREFUSED, ENOENT: return .noListener
        case EAGAIN, EINTR, EINPROGRESS: return .busy
        default: return .failed(errno: cause)
        }
    }

    /// Takes one waiting connection; fails with `isOutOfResources` when there is no descriptor to spare for it, and
    /// otherwise when none waits.
    static func accept(from listener: Int32) -> Result<Int32, SystemCallFailure> {
        let descriptor = systemAccept(listener)
        guard descriptor >= 0 else { return .failure(.now) }
        makeQuiet(descriptor)
        return .success(descriptor)
    }

    /// Closes a descriptor.
    static func end(_ descriptor: Int32) { close(descriptor) }

    /// The user at the other end, as the kernel knows it.
    static func peerUser(of descriptor: Int32) -> UInt32? {
        #if canImport(Darwin)
            var user: uid_t = 0
            var group: gid_t = 0
            return getpeereid(descriptor, &user, &group) == 0 ? user : nil
        #else
            // struct ucred: process, user, group; 32 bits each.
            var credentials: [UInt32] = [0, 0, 0]
            var size = socklen_t(12)
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, size == 12 else {
                return nil
            }
            return credentials[1]
        #endif
    }

    /// Sends the bytes that fit at the moment.
    ///
    /// - Returns: How many bytes were taken; nil when the connection is broken.
    static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
        #if canImport(Darwin)
            let flags = Int32(MSG_DONTWAIT)
        #else
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Reads the bytes that have arrived, up to 64 KiB.
    ///
    /// - Returns: The bytes, empty when there are none at the moment; nil at the end or when the connection is broken.
    static func receive(from descriptor: Int32) -> [UInt8]? {
        var isOver = false
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            filled = max(0, count)
            isOver = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
        }
        return isOver ? nil : bytes
    }

    private static func make() -> Int32? {
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return nil }
        makeQuiet(descriptor)
        return descriptor
    }

    /// Makes the socket non-blocking and close-on-exec; on Apple's systems it also sends no SIGPIPE.
    private static func makeQuiet(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(4))
        #endif
    }

    private static func address(of path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count <= maximumPathBytes, !bytes.contains(0) else {
            errno = ENAMETOOLONG
            return nil
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }

    private static func withGeneric<Result>(
        _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func systemListen(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.listen(descriptor, 64)
        #else
            Glibc.listen(descriptor, 64)
        #endif
    }

    private static func systemConnect(
        _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
    ) -> Int32 {
        #if canImport(Darwin)
            Darwin.connect(descriptor, address, size)
        #else
            Glibc.connect(descriptor, address, size)
        #endif
    }

    private static func systemAccept(_ listener: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.accept(listener, nil, nil)
        #else
            Glibc.accept(listener, nil, nil)
        #endif
    }

    private static func systemSend(
        _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
    ) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes, count, flags)
        #else
            Glibc.send(descriptor, bytes, count, flags)
        #endif
    }
}

/// A failed system call: its error number and the system's text for it.
struct SystemCallFailure: Error, CustomStringConvertible {
    let number: Int32

    /// The failure of the call that has just been made.
    static var now: SystemCallFailure { SystemCallFailure(number: errno) }

    var description: String { String(cString: strerror(number)) }

    /// True when this process or the system has used up its descriptors or memory.
    var isOutOfResources: Bool { number == EMFILE || number == ENFILE || number == ENOMEM || number == ENOBUFS }

    /// The radio error code for this failure.
    var code: RadioError.Code { number == EACCES || number == EPERM || number == EROFS ? .notPermitted : .unavailable }
}
