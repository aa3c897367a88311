import Testing
import WebAddressing

@testable import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct TCPSocketCallsTests {
    @Test func `data to a client is sent without waiting for the acknowledgement of earlier data`() async throws {
        let listener = try TCPSocketCalls.listen(at: SocketAddress(try #require(IPAddress(parsing: "127.0.0.1")), 0))
        defer { close(listener) }
        let address = try #require(TCPSocketCalls.localAddress(of: listener))
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = address.port.bigEndian
        place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(status == 0)
        guard case .socket(let accepted, _) = TCPSocketCalls.accept(from: listener) else {
            Issue.record("nobody was accepted")
            return
        }
        defer { close(accepted) }
        var (isOn, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        #expect(getsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, &size) == 0)
        #expect(isOn != 0)
    }
}
