import CWebSockets
import WebAddressing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Listening sockets and accepted ones, before the library owns them.
enum Sockets {
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

    /// The result of one attempt to accept.
    enum Accepted {
        /// The descriptor of the new connection and the address of its client.
        case socket(Int32, SocketAddress)
        /// No connection waits, or the one that waited could not be taken.
        case noConnection
        /// The process has no file descriptor left.
        case exhausted
    }

    /// Accepts the next waiting connection.
    static func accept(from listener: Int32) -> Accepted {
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
        // With Nagle's algorithm what follows a TLS handshake would wait for its acknowledgement, which clients delay
        // by 40 ms.
        var on: Int32 = 1
        unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
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
            _ = unsafe words.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, dismissal) }
            shutdown(descriptor, Int32(SHUT_WR))
        }
        close(descriptor)
    }

    /// Refuses new connections; the descriptor stays open for its owner.
    static func stopListening(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Closes the sending side of the connection.
    static func stopSaying(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Another descriptor of the same socket, for its caller to close; nil when the process has no file descriptor
    /// left.
    static func duplicate(_ descriptor: Int32) -> Int32? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    /// Reads and drops what has arrived.
    ///
    /// - Returns: The number of bytes, 0 at the end of the connection, nil when nothing has arrived.
    static func drop(from descriptor: Int32, into scratch: ScratchBuffer) -> Int? {
        let count = unsafe recv(descriptor, scratch.start, LibraryConnection.pieceBytes, Int32(MSG_DONTWAIT))
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? nil : max(0, count)
    }

    /// The free bytes of the socket's send buffer, packet headers included; nil when the system does not report them.
    static func freeBytes(of descriptor: Int32) -> Int? {
        #if os(Linux)
            // SO_MEMINFO of asm-generic/socket.h: nine numbers, of which SNDBUF is the fourth and WMEM_QUEUED the
            // sixth.
            var info = [UInt32](repeating: 0, count: 9)
            var size = socklen_t(36)
            guard unsafe getsockopt(descriptor, SOL_SOCKET, 55, &info, &size) == 0, size == 36 else { return nil }
            return Int(info[3]) - Int(info[5])
        #else
            return nil
        #endif
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

// Passing sockets to the library.
extension ServiceLoop {
    /// Lets the library watch a listening socket; the connection gets `acceptable`.
    ///
    /// The library owns the descriptor afterwards, also when it refuses.
    func watch(_ descriptor: Int32, for connection: ServiceConnection, on vhost: Vhost) -> Bool {
        adopt(descriptor, connection, vhost, LWS_ADOPT_RAW_FILE_DESC)
    }

    /// Lets the library serve HTTP on a connection that was accepted.
    ///
    /// The library owns the descriptor afterwards, also when it refuses.
    func serve(_ descriptor: Int32, for connection: ServiceConnection, on vhost: Vhost) -> Bool {
        let kind = LWS_ADOPT_SOCKET.rawValue | LWS_ADOPT_HTTP.rawValue | LWS_ADOPT_ALLOW_SSL.rawValue
        return adopt(descriptor, connection, vhost, lws_adoption_type(kind))
    }

    private func adopt(_ descriptor: Int32, _ connection: ServiceConnection, _ vhost: Vhost, _ kind: lws_adoption_type)
        -> Bool
    {
        var info = unsafe lws_adopt_desc_t()
        unsafe info.vh = vhost.pointer
        unsafe info.type = kind
        unsafe info.fd.sockfd = descriptor
        unsafe info.opaque = Unmanaged.passUnretained(connection).toOpaque()
        adopt(connection)
        let name = Array(Vhost.protocolName.utf8CString)
        let pointer = unsafe name.withUnsafeBufferPointer { name in
            if kind == LWS_ADOPT_RAW_FILE_DESC { unsafe info.vh_prot_name = name.baseAddress }
            return unsafe lws_adopt_descriptor_vhost_via_info(&info)
        }
        guard let pointer = unsafe pointer else {
            release(connection)
            return false
        }
        connection.wsi = unsafe LibraryConnection(pointer)
        return true
    }

    /// Begins a client's connection; its outcome arrives as events.
    func connect(_ plan: ConnectPlan, for connection: ServiceConnection) throws(WebError) {
        let roots: TLSRoots?
        switch plan.target.security {
        case .none: roots = nil
        case .tls(let trusted): roots = trusted
        }
        let vhost = try self.vhost(.client(roots))
        guard let context else { throw WebError(.serviceStopped, "The service is not running.") }
        let texts = CStringArray()
        var info = unsafe lws_client_connect_info()
        unsafe info.context = context.pointer
        unsafe info.vhost = vhost.pointer
        unsafe info.address = texts.keep("\(plan.target.address)")
        unsafe info.port = Int32(plan.target.port)
        unsafe info.host = texts.keep(plan.target.hostField)
        unsafe info.path = texts.keep(plan.path)
        unsafe info.origin = plan.origin.flatMap { unsafe texts.keep($0) }
        unsafe info.method = plan.method.flatMap { unsafe texts.keep($0.rawValue) }
        unsafe info.protocol = plan.protocols.isEmpty ? nil : texts.keep(plan.protocols.joined(separator: ","))
        unsafe info.local_protocol_name = texts.keep(Vhost.protocolName)
        unsafe info.alpn = texts.keep("http/1.1")
        unsafe info.ietf_version_or_minus_one = -1
        let tls = roots == nil ? 0 : LCCSCF_USE_SSL.rawValue
        unsafe info.ssl_connection = Int32(tls | LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue)
        unsafe info.opaque_user_data = Unmanaged.passUnretained(connection).toOpaque()
        try adopt(connection, to: plan.target.address)
        let pointer = unsafe lws_client_connect_via_info(&info)
        _ = consume texts
        guard let pointer = unsafe pointer else {
            _ = connection.handle(.gone)
            release(connection)
            return
        }
        connection.wsi = unsafe LibraryConnection(pointer)
    }
}

/// The parameters of a client's connection.
struct ConnectPlan: Sendable {
    let target: ConnectionTarget
    let path: String
    /// Nil for a WebSocket.
    let method: HTTPMethod?
    let origin: String?
    let protocols: [String]
}
