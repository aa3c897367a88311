import Testing
import WebAddressing

@testable import WebTransport

/// Headers of the PROXY protocol, version 2, section 2.2.
@Suite struct ProxyHeaderReaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    private func header(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let count = length ?? rest.count
        return Self.signature + [command, family, UInt8(count >> 8), UInt8(count & 255)] + rest
    }

    /// Client 192.0.2.1 port 258, server 198.51.100.2 port 443.
    private let addresses4: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 2, 1, 2, 1, 187]

    private func read(_ bytes: [UInt8], pieces: Int = .max) -> (ProxyHeaderReader.Result, rest: Int) {
        var reader = ProxyHeaderReader()
        var left = bytes[...]
        while !left.isEmpty {
            var piece = left.prefix(pieces)
            left = left.dropFirst(piece.count)
            let result = reader.next(&piece)
            if result != .incomplete { return (result, piece.count + left.count) }
        }
        return (.incomplete, 0)
    }

    @Test func `a PROXY header with an IPv4 or IPv6 address names the source of its connection`() throws {
        let source4 = SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), 258)
        #expect(read(header(0x21, 0x11, addresses4)).0 == .source(source4))
        let client = try #require(IPv6Address(parsing: "2001:db8::1"))
        let address6: [UInt8] = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        let rest = address6 + [UInt8](repeating: 9, count: 16) + [0, 80, 1, 187]
        #expect(read(header(0x21, 0x21, rest)).0 == .source(SocketAddress(.v6(client), 80)))
    }

    @Test func `further data in a PROXY header is skipped, and bytes behind the header stay`() {
        let bytes = header(0x21, 0x11, addresses4 + [3, 0, 1, 7]) + [0x16, 3, 1]
        for pieces in [1, 7, 16, 17, 100] {
            let (result, rest) = read(bytes, pieces: pieces)
            #expect(result == .source(SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), 258)) && rest == 3)
        }
    }

    @Test func `a PROXY header of a local command or another address family names no source`() {
        #expect(read(header(0x20, 0x00, [])).0 == .source(nil))
        #expect(read(header(0x20, 0x11, addresses4)).0 == .source(nil))
        #expect(read(header(0x21, 0x00, [])).0 == .source(nil))
        #expect(read(header(0x21, 0x12, addresses4)).0 == .source(nil), "datagrams")
        #expect(
            read(header(0x21, 0x31, [UInt8](repeating: 1, count: 216))).0 == .source(nil), "a socket of a file system")
    }

    @Test func `a PROXY header has at most 536 bytes`() {
        let most = ProxyHeaderReader.maximumBytes - 16
        #expect(read(header(0x21, 0x11, addresses4 + [UInt8](repeating: 0, count: most - 12))).0 != .malformed)
        #expect(read(header(0x21, 0x11, addresses4, length: most + 1)).0 == .malformed)
    }

    @Test func `a PROXY header is refused as malformed at the first wrong byte`() {
        #expect(read(Array("GET / HTTP/1.1\r\n".utf8), pieces: 1) == (.malformed, 15))
        #expect(read(Array("PROXY TCP4 192.0.2.1 ".utf8)).0 == .malformed, "version 1")
        #expect(read(header(0x11, 0x11, addresses4)).0 == .malformed, "a version that does not exist")
        #expect(read(header(0x22, 0x11, addresses4)).0 == .malformed, "a command that does not exist")
        #expect(read(header(0x21, 0x11, Array(addresses4.dropLast()))).0 == .malformed, "addresses cut short")
        #expect(read(header(0x21, 0x21, addresses4)).0 == .malformed, "addresses of the other version")
        for count in 0..<28 { #expect(read(Array(header(0x21, 0x11, addresses4).prefix(count))).0 == .incomplete) }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
