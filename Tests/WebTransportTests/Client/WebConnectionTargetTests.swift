import Testing
import WebAddressing

@testable import WebTransport

@Suite struct WebConnectionTargetTests {
    private let loopback = IPAddress.v4(IPv4Address(127, 0, 0, 1))

    @Test func `the Host field states the port when it is not the default one`() {
        #expect(WebConnectionTarget(loopback, port: 80, host: .name("a.example")).hostField == "a.example")
        #expect(WebConnectionTarget(loopback, port: 443, host: .name("a.example")).hostField == "a.example:443")
        let secure = WebConnectionTarget(loopback, port: 443, host: .name("a.example"), security: .tls(.system))
        #expect(secure.hostField == "a.example")
        #expect(WebConnectionTarget(loopback, port: 8080).hostField == "127.0.0.1:8080")
    }

    @Test func `a web address decides whether TLS is used, and its resolved address does not change the host`() throws {
        let web = try WebAddress(parsing: "wss://a.example/x")
        let target = WebConnectionTarget(loopback, for: web)
        #expect(target == WebConnectionTarget(loopback, port: 443, host: .name("a.example"), security: .tls(.system)))
        let plain = WebConnectionTarget(loopback, for: try WebAddress(parsing: "http://a.example:81/"))
        #expect(plain == WebConnectionTarget(loopback, port: 81, host: .name("a.example")))
    }

    @Test func `a socket address is written with its port, an IPv6 address in brackets`() throws {
        #expect(SocketAddress(loopback, 80).description == "127.0.0.1:80")
        #expect(SocketAddress(try #require(IPAddress(parsing: "::1")), 443).description == "[::1]:443")
    }
}
