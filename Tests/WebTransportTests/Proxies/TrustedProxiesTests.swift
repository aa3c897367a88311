import TestSupport
import Testing
import WebAddressing
import WebTransport

@Suite struct TrustedProxiesTests {
    private let loopbackAddress = IPNetwork(.v4(IPv4Address(127, 0, 0, 1)), prefixLength: 32)
    private let end = "Connection: close\r\n\r\n"

    /// A server that answers with the address that it takes for the client's.
    private func server(
        _ proxies: TrustedProxies?, perHost: Int = 10, bytesPerHost: Int = 1 << 20
    ) async throws -> Loopback {
        var configuration = ServerConfiguration.patient
        configuration.limits.maximumHeldBytesPerHost = bytesPerHost
        configuration.proxies = proxies
        configuration.limits.maximumConnectionsPerHost = perHost
        configuration.limits.limitsOwnMachine = false
        return try await Loopback(configuration) {
            HTTPResponse(200, text: "peer \($0.peer?.address.description ?? "unknown")")
        }
    }

    private func answer(_ loopback: Loopback, _ bytes: [UInt8]) async throws -> String {
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(bytes)
        return await peer.hearText()
    }

    private func header(_ last: UInt8) -> [UInt8] {
        [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x21, 0x11, 0, 12]
            + [192, 0, 2, last, 127, 0, 0, 1, 1, 2, 0, 80]
    }

    private func request(_ field: String = "") -> [UInt8] {
        Array("GET / HTTP/1.1\r\nHost: a\r\n\(field)\(end)".utf8)
    }

    @Test func `a PROXY header of a trusted proxy names the source of its connection`() async throws {
        let loopback = try await server(TrustedProxies(.proxyProtocol, [loopbackAddress]))
        #expect(try await answer(loopback, header(7) + request()).hasSuffix("peer 192.0.2.7"))
        #expect(try await answer(loopback, request()) == "", "without the header the connection is closed")
        let forwarded = request("Forwarded: for=192.0.2.9\r\n")
        #expect(try await answer(loopback, header(7) + forwarded).hasSuffix("peer 192.0.2.7"))
        await loopback.stop()
    }

    @Test func `a PROXY header of another address is an invalid request`() async throws {
        let others = IPNetwork(.v4(IPv4Address(192, 0, 2, 0)), prefixLength: 24)
        for proxies in [nil, TrustedProxies(.proxyProtocol, [others])] {
            let loopback = try await server(proxies)
            #expect(try await answer(loopback, header(7) + request()).hasPrefix("HTTP/1.1 400 "))
            #expect(try await answer(loopback, request()).hasSuffix("peer 127.0.0.1"))
            await loopback.stop()
        }
    }

    @Test func `the last element of Forwarded names the source of a trusted proxy's request`() async throws {
        let loopback = try await server(TrustedProxies(.forwarded, [loopbackAddress]))
        for (field, source) in [
            ("for=192.0.2.7", "192.0.2.7"), ("for=198.51.100.1, for=192.0.2.7;proto=https", "192.0.2.7"),
            ("for=\"[2001:db8::7]:4711\"", "2001:db8::7"), ("for=unknown", "127.0.0.1"), ("proto=https", "127.0.0.1"),
        ] {
            let text = try await answer(loopback, request("Forwarded: \(field)\r\n"))
            #expect(text.hasSuffix("peer \(source)"), "\(field): \(text)")
        }
        #expect(try await answer(loopback, request()).hasSuffix("peer 127.0.0.1"))
        await loopback.stop()
    }

    @Test(arguments: ["for=\"192.0.2.9, for=192.0.2.7", "for=\"x\r\nForwarded: for=192.0.2.7", "for", "for=a b"])
    func `a malformed Forwarded of a trusted proxy is refused with 400`(field: String) async throws {
        let loopback = try await server(TrustedProxies(.forwarded, [loopbackAddress]))
        #expect(try await answer(loopback, request("Forwarded: \(field)\r\n")).hasPrefix("HTTP/1.1 400 "))
        await loopback.stop()
    }

    @Test func `a Forwarded field from an untrusted address is not used as the source`() async throws {
        let loopback = try await server(nil)
        for field in ["for=192.0.2.7", "for=\"192.0.2.7"] {
            #expect(try await answer(loopback, request("Forwarded: \(field)\r\n")).hasSuffix("peer 127.0.0.1"))
        }
        await loopback.stop()
    }

    @Test func `the limit of connections counts each client of a trusted proxy`() async throws {
        let loopback = try await server(TrustedProxies(.proxyProtocol, [loopbackAddress]), perHost: 1)
        let first = try #require(await RawPeer.connect(port: loopback.address.port))
        await first.say(header(7))
        #expect(await eventually { loopback.server.connectionCount == 1 })
        await first.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = await first.hearText(until: "peer 192.0.2.7")
        #expect(try await answer(loopback, header(7) + request()) == "")
        #expect(try await answer(loopback, header(8) + request()).hasSuffix("peer 192.0.2.8"))
        await first.end()
        #expect(await eventually { loopback.server.connectionCount == 0 })
        #expect(try await answer(loopback, header(7) + request()).hasSuffix("peer 192.0.2.7"))
        await loopback.stop()
    }

    @Test(.shows("W3"))
    func `a source address that holds its share of the bytes is answered with 503, and other sources with 200`()
        async throws
    {
        let loopback = try await server(TrustedProxies(.proxyProtocol, [loopbackAddress]), bytesPerHost: 1000)
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
        let holder = try #require(await RawPeer.connect(port: loopback.address.port))
        await holder.say(header(7) + Array("\(post)900\r\n\r\n\(String(repeating: "x", count: 800))".utf8))
        let other = Array("\(post)500\r\n\(end)\(String(repeating: "y", count: 500))".utf8)
        #expect(await eventually { (try? await answer(loopback, header(7) + other))?.contains(" 503 ") == true })
        #expect(try await answer(loopback, header(8) + other).contains(" 200 "))
        await holder.end()
        #expect(await eventually { (try? await answer(loopback, header(7) + other))?.contains(" 200 ") == true })
        await loopback.stop()
    }
}
