import Determinism
import Foundation
import Glibc

/// A server of raw sockets on loopback that sends given answers, right or wrong.
///
/// Every connection has a thread of its own and one behaviour; both end soon after `stop`.
final class HostileServer: Sendable {
    typealias Behaviour = @Sendable (HostileConnection) -> Void

    private struct State {
        var isStopped = false
        var running = 0
        var requests: [String] = []
    }

    /// The port at which the server listens, on 127.0.0.1.
    let port: UInt16
    private let socket: Int32
    private let state = Lock(State())
    private let behaviour: Behaviour

    init(_ behaviour: @escaping Behaviour) throws {
        self.behaviour = behaviour
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard status else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        start { self.accept() }
    }

    /// The first lines and header fields of all requests, in the order in which they came.
    var requests: [String] { state.withLock { $0.requests } }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func note(_ request: String) { state.withLock { $0.requests.append(request) } }

    /// Ends all threads, waits for them, and gives the port back.
    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(socket, Int32(SHUT_RDWR))
        while state.withLock({ $0.running > 0 }) { usleep(1000) }
        close(socket)
    }

    private func start(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.running += 1 }
        Thread.detachNewThread {
            body()
            self.state.withLock { $0.running -= 1 }
        }
    }

    private func accept() {
        while !isStopped {
            let descriptor = Glibc.accept(socket, nil, nil)
            guard descriptor >= 0 else { continue }
            start {
                self.behaviour(HostileConnection(descriptor, of: self))
                shutdown(descriptor, Int32(SHUT_RDWR))
                close(descriptor)
            }
        }
    }
}

/// One connection of a hostile server.
final class HostileConnection {
    private let descriptor: Int32
    private let server: HostileServer

    init(_ descriptor: Int32, of server: HostileServer) {
        self.descriptor = descriptor
        self.server = server
        var patience = timeval(tv_sec: 0, tv_usec: 20000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Reads up to the empty line and notes what was read; what came until then when the other side closed.
    @discardableResult func request() -> String {
        var text = ""
        while !text.hasSuffix("\r\n\r\n"), text.utf8.count < 65536, !server.isStopped {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, 0)
            if count == 0 { break }
            if count == 1 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        }
        server.note(text)
        return text
    }

    /// Sends all of it; false when the other side, or the server, has ended.
    @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard !server.isStopped else { return false }
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EAGAIN, errno != EWOULDBLOCK, errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Sends the bytes one by one with a pause after each, until the other side has enough.
    func trickle(_ text: String) {
        for byte in text.utf8 {
            guard send([byte]) else { return }
            usleep(20000)
        }
    }

    /// Stays silent until the other side closes, or the server ends.
    func hang() {
        var byte: UInt8 = 0
        while !server.isStopped, recv(descriptor, &byte, 1, 0) != 0 { continue }
    }

    /// Ends the connection with a reset in place of an orderly end.
    func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
}
