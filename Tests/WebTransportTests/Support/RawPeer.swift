import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A TCP peer that sends raw bytes, also such as no HTTP library would.
final class RawPeer: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Connects to a port of this machine; nil when nothing listens there.
    ///
    /// - Parameter receiveBuffer: The size of the system's receive buffer, in bytes.
    static func connect(port: UInt16, host: String = "127.0.0.1", receiveBuffer: Int32? = nil) async -> RawPeer? {
        await elsewhere {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            if var size = receiveBuffer {
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            let status = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else {
                close(descriptor)
                return nil
            }
            return RawPeer(descriptor: descriptor)
        }
    }

    /// Sends bytes; false when the connection is gone.
    @discardableResult func say(_ bytes: [UInt8]) async -> Bool {
        await Self.elsewhere { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Closes the sending side of the connection, and can still receive.
    func finish() async { await Self.elsewhere { [descriptor] in _ = shutdown(descriptor, Int32(SHUT_WR)) } }

    /// Closes the connection in both directions.
    func end() async { await Self.elsewhere { [descriptor] in _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }

    /// Sends a text; false when the connection is gone.
    @discardableResult func say(_ text: String) async -> Bool { await say(Array(text.utf8)) }

    /// Reads up to the end of the connection, or until `enough` returns true.
    ///
    /// Two minutes without bytes fail the test: an end that never comes is not the end that was expected.
    func hear(until enough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }) async -> [UInt8] {
        await Self.elsewhere { [descriptor] in
            var heard: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while !enough(heard) {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EAGAIN { Issue.record("The peer said nothing for two minutes.") }
                if count <= 0 { break }
                heard += buffer[..<count]
            }
            return heard
        }
    }

    /// Reads to the end of the connection, or until `word` has come; returns the text.
    func hearText(until word: String? = nil) async -> String {
        let heard = await hear { bytes in
            word.map { String(decoding: bytes, as: UTF8.self).contains($0) } ?? false
        }
        return String(decoding: heard, as: UTF8.self)
    }

    /// Returns true when the other side ends the connection within two minutes.
    func isEnded() async -> Bool {
        await Self.elsewhere { [descriptor] in
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count == 0 { return true }
                if count < 0 { return errno != EAGAIN }
            }
        }
    }

    /// Starts a server that accepts one connection, reads one header, and then runs a given script.
    static func serveOnce(_ act: @escaping @Sendable (RawPeer) async -> Void) async -> UInt16 {
        await serveOnce { peer, _ in await act(peer) }
    }

    /// Starts a server that accepts one connection, and runs a given script with the header that it read.
    static func serveOnce(_ act: @escaping @Sendable (RawPeer, String) async -> Void) async -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, size)
                _ = getsockname(listener, $0, &size)
            }
        }
        listen(listener, 5)
        Task {
            let peer = await elsewhere { () -> RawPeer? in
                let descriptor = accept(listener, nil, nil)
                close(listener)
                return descriptor < 0 ? nil : RawPeer(descriptor: descriptor)
            }
            guard let peer else { return }
            let head = await peer.hear { $0.suffix(4) == [13, 10, 13, 10] }
            await act(peer, String(decoding: head, as: UTF8.self))
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Runs a blocking call on a new thread, because threads of tasks and of Dispatch are limited in number.
    private static func elsewhere<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
