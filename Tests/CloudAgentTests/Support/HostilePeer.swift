import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A TCP client that sends arbitrary bytes to a server.
final class HostilePeer: Sendable {
    private let descriptor: Int32

    /// Connects to a port of this machine; nil when the connection is refused.
    init?(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Sends bytes, and returns the number sent: all, or when `isPatient` is false those that fit into the buffers.
    @discardableResult func say(_ bytes: [UInt8], isPatient: Bool = true) async -> Int {
        await Self.elsewhere { [descriptor] in
            var sent = 0
            while sent < bytes.count {
                let flags = Int32(MSG_NOSIGNAL) | (isPatient ? 0 : Int32(MSG_DONTWAIT))
                let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
                if count <= 0 { break }
                sent += count
            }
            return sent
        }
    }

    @discardableResult func say(_ text: String) async -> Int { await say(Array(text.utf8)) }

    /// Closes the sending side of the connection.
    func finish() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads this number of bytes, or fewer when the connection ends.
    func hear(_ enough: Int = .max) async -> [UInt8] {
        await Self.elsewhere { [descriptor] in
            var heard: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while heard.count < enough {
                let count = recv(descriptor, &buffer, min(buffer.count, enough - heard.count), 0)
                if count <= 0 { break }
                heard += buffer[..<count]
            }
            return heard
        }
    }

    /// Sends a WebSocket upgrade request; returns the header of the answer.
    func open(_ fields: String = "") async -> String {
        await say(
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\(fields)\r\n")
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] {
            let next = await hear(1)
            if next.isEmpty { break }
            head += next
        }
        return String(decoding: head, as: UTF8.self)
    }

    /// Reads a close frame and returns its status; nil when the connection ends without one.
    func closeStatus() async -> Int? {
        let frame = await hear(4)
        return frame.count == 4 && frame[0] == 0x88 ? Int(frame[2]) << 8 | Int(frame[3]) : nil
    }

    /// Runs a blocking call on a thread of its own, so that it blocks no thread of tasks.
    static func elsewhere<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
