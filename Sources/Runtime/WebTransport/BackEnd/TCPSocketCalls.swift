import WebAddressing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system calls on TCP sockets; none of them waits.
enum TCPSocketCalls {
    /// Opens a non-blocking listening socket.
    ///
    /// - Throws: `web.listen.failed` with the system's message.
    static func listen(at address: SocketAddress, backlog: Int32 = 511) throws(WebError) -> Int32 {
        let descriptor = socket(address.isVersion6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0)
        guard descriptor >= 0 else { throw failure(address) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.isVersion6 { unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        guard unsafe withSystemAddress(address, { unsafe bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, backlog) == 0
        else {
            let error = failure(address)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// True when a program can listen at an address, at any port.
    static func canListen(at address: IPAddress) -> Bool {
        guard let descriptor = try? listen(at: SocketAddress(address, 0)) else { return false }
        close(descriptor)
        return true
    }

    /// The result of one attempt to accept.
    enum AcceptResult {
        /// The descriptor of the new connection and the address of its client.
        case socket(Int32, SocketAddress)
        /// No connection waits, or the one that waited could not be taken.
        case noConnection
        /// The process has no file descriptor left.
        case exhausted
    }

    /// Accepts the next waiting connection.
    static func accept(from listener: Int32) -> AcceptResult {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.accept(listener, $0, &size)
            }
        }
        guard descriptor >= 0 else {
            return [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) ? .exhausted : .noConnection
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        sendAtOnce(descriptor)
        guard let address = socketAddress(storage) else {
            close(descriptor)
            return .noConnection
        }
        return .socket(descriptor, address)
    }

    /// The address that a socket is bound to.
    static func localAddress(of descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        return status == 0 ? socketAddress(storage) : nil
    }

    /// Sends a last response on a connection that is refused, as far as the socket accepts it at once, and closes it.
    static func dismiss(_ descriptor: Int32, with words: [UInt8]) {
        if !words.isEmpty {
            _ = unsafe words.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, dismissal) }
            shutdown(descriptor, Int32(SHUT_WR))
        }
        close(descriptor)
    }

    /// Refuses new connections; the descriptor stays open for its owner.
    static func stopListening(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Closes the sending side of the connection.
    static func stopSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Begins to connect.
    ///
    /// - Returns: The descriptor, which becomes writable when `connectFault` has the result.
    /// - Throws: `web.connect.failed` with the system's message.
    static func connect(to address: SocketAddress) throws(WebError) -> Int32 {
        let descriptor = socket(address.isVersion6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0)
        guard descriptor >= 0 else { throw connectFailure(errno) }
        sendAtOnce(descriptor)
        let status = unsafe withSystemAddress(address) { unsafe Glibc.connect(descriptor, $0, $1) }
        guard status == 0 || errno == EINPROGRESS else {
            let error = connectFailure(errno)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Returns the reason why a connect failed; nil when it succeeded.
    static func connectFault(of descriptor: Int32) -> WebError? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let status = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
        return status == 0 && number == 0 ? nil : connectFailure(status == 0 ? number : errno)
    }

    /// Reads the bytes that have arrived into the buffer, at most `limit`.
    static func receive(
        from descriptor: Int32, into buffer: ReadBuffer, atMost limit: Int = ReadBuffer.capacity
    ) -> StreamSocket.ReadResult {
        let most = min(limit, ReadBuffer.capacity)
        let count = unsafe recv(descriptor, buffer.memory.baseAddress, most, Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .nothing : .failed
    }

    /// Writes the first of the bytes, as many as the system takes at once.
    static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> StreamSocket.StreamWriteResult {
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, dismissal) }
        if count >= 0 { return .taken(count) }
        return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? .nothing : .failed
    }

    /// Sends small pieces at once: with Nagle's algorithm what follows a TLS handshake would wait for its
    /// acknowledgement, which peers delay by 40 ms.
    private static func sendAtOnce(_ descriptor: Int32) {
        var on: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The bytes that the peer has acknowledged since the connection began; 0 when the system does not report them.
    static func takenBytes(of descriptor: Int32) -> UInt64 {
        #if os(Linux)
            // `tcpi_bytes_acked` of linux/tcp.h, which the C library's own header does not have.
            var info = [UInt64](repeating: 0, count: 16)
            var size = socklen_t(128)
            guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0, size == 128 else {
                return 0
            }
            return info[15]
        #else
            return 0
        #endif
    }

    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    private static let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    private static let dismissal = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

    private static func connectFailure(_ number: Int32) -> WebError {
        let words = unsafe String(cString: strerror(number))
        return WebError(.connectFailed, "No server answers: \(words).")
    }

    private static func failure(_ address: SocketAddress) -> WebError {
        let words = unsafe String(cString: strerror(errno))
        return WebError(.listenFailed, "The server cannot listen at \(address): \(words).")
    }

    private static func withSystemAddress<Result>(
        _ address: SocketAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        switch address.address {
        case .v4(let host):
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = address.port.bigEndian
            system.sin_addr.s_addr = host.bits.bigEndian
            return unsafe withUnsafePointer(to: system) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .v6(let host):
            var system = sockaddr_in6()
            system.sin6_family = sa_family_t(AF_INET6)
            system.sin6_port = address.port.bigEndian
            unsafe withUnsafeMutableBytes(of: &system.sin6_addr) { bytes in
                unsafe bytes.storeBytes(of: host.high.bigEndian, as: UInt64.self)
                unsafe bytes.storeBytes(of: host.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return unsafe withUnsafePointer(to: system) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }

    private static func socketAddress(_ storage: sockaddr_storage) -> SocketAddress? {
        unsafe withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let system = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
                let host = IPv4Address(bits: UInt32(bigEndian: system.sin_addr.s_addr))
                return SocketAddress(.v4(host), UInt16(bigEndian: system.sin_port))
            case AF_INET6:
                let system = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
                let raw = unsafe withUnsafeBytes(of: system.sin6_addr) { unsafe Array($0) }
                guard let host = IPv6Address(bytes: raw) else { return nil }
                return SocketAddress(.v6(host), UInt16(bigEndian: system.sin6_port))
            default: return nil
            }
        }
    }
}

extension SocketAddress {
    fileprivate var isVersion6: Bool {
        if case .v6 = address { return true }
        return false
    }
}
