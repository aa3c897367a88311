import CommandProgram
import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Connections to this machine by plain system calls, so that a load costs little.
enum LoopbackSocket {
    #if canImport(Darwin)
        static let withoutWaiting = MSG_DONTWAIT
        private static let stream = SOCK_STREAM
        private static let quietly: Int32 = 0
    #else
        static let withoutWaiting = Int32(MSG_DONTWAIT)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let quietly = Int32(MSG_NOSIGNAL)
    #endif

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Throws: `web.connect.failed`.
    static func connect(to port: UInt16) throws(WebError) -> Int32 {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw failure }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                #if canImport(Darwin)
                    Darwin.connect(descriptor, target, socklen_t(MemoryLayout<sockaddr_in>.size))
                #else
                    Glibc.connect(descriptor, target, socklen_t(MemoryLayout<sockaddr_in>.size))
                #endif
            }
        }
        guard result == 0 else {
            let failure = failure
            close(descriptor)
            throw failure
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    private static var failure: WebError {
        WebError(.connectFailed, "No connection to a measured agent: \(POSIXFile.lastError()).")
    }

    /// Sends all bytes, and waits as long as that takes; false after an error.
    static func send(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    Darwin.send(descriptor, buffer.baseAddress, buffer.count, quietly)
                #else
                    Glibc.send(descriptor, buffer.baseAddress, buffer.count, quietly)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    static func end(_ descriptor: Int32) { close(descriptor) }

    /// Opens an idle WebSocket.
    ///
    /// - Throws: `web.connect.failed`, `web.upgrade.refused`.
    static func openWebSocket(at endpoint: BenchClient.Endpoint) throws(WebError) -> Int32 {
        let descriptor = try connect(to: endpoint.target.port)
        let request =
            "GET \(endpoint.path) HTTP/1.1\r\nHost: 127.0.0.1:\(endpoint.target.port)\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        var buffer = [UInt8](repeating: 0, count: 4096)
        guard send(Array(request.utf8), on: descriptor), recv(descriptor, &buffer, buffer.count, 0) > 12,
            buffer.starts(with: "HTTP/1.1 101".utf8)
        else {
            close(descriptor)
            throw WebError(.upgradeRefused, "A measured agent opened no WebSocket.")
        }
        return descriptor
    }
}
