import Glibc

/// An open file descriptor, closed when its last reference is released.
final class FileDescriptor: Hashable, Sendable {
    /// The number of the file descriptor.
    let number: Int32

    /// Takes over an open file.
    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Compares by identity: two wrappers of one file are different.
    static func == (left: FileDescriptor, right: FileDescriptor) -> Bool { left === right }

    /// Hashes the identity.
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Makes the descriptor non-blocking, and closes it in child processes that run another program.
    func makeQuiet() {
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
    }

    /// The result of sending one message on a socket.
    enum SendResult: Hashable {
        /// The message was sent whole.
        case sent
        /// The socket has no room for the message at the moment.
        case full
        /// The send failed with this `errno`: the other end is gone or refuses the message.
        case failed(Int32)
    }

    /// Sends one message on a socket that keeps messages apart.
    func send(_ bytes: [UInt8]) -> SendResult {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return .sent }
        return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? .full : .failed(errno)
    }

    /// The result of reading from a socket.
    enum ReceiveResult: Hashable {
        /// One message arrived.
        case message([UInt8])
        /// No message has arrived yet.
        case nothing
        /// The other end is gone.
        case end
    }

    /// Receives one message of at most `limit` bytes.
    func receive(limit: Int = 4096) -> ReceiveResult {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            count = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            filled = max(0, count)
        }
        if count > 0 { return .message(bytes) }
        if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
        return .end
    }

    /// The number of bytes that the other end of a local socket has not read yet; nil when that is not known.
    var unreadBytes: Int? {
        var count: Int32 = 0
        // SIOCOUTQ, which is TIOCOUTQ.
        let status = unsafe withUnsafeMutablePointer(to: &count) { unsafe ioctl(number, 0x5411, $0) }
        return status == 0 ? Int(count) : nil
    }
}
