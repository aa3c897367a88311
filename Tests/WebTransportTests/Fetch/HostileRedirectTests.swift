import Determinism
import TestSupport
import Testing
import WebAddressing

@testable import WebTransport

/// Redirects and names that move, on real connections.
@Suite struct HostileRedirectTests {
    /// A server that answers every path with what `answer` says of it.
    private func server(_ answer: @escaping @Sendable (String) -> String) throws -> HostileServer {
        try HostileServer { connection in
            let words = connection.request().split(separator: " ")
            connection.send(answer(words.count > 1 ? String(words[1]) : ""))
        }
    }

    private static func redirect(_ location: String) -> String {
        "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
    }

    private static let page = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A server whose answers may name its own port, as PORT.
    private func fetch(
        _ path: String, from harness: FetchHarness, _ pages: [String: String]
    ) async throws -> (Result<FetchResult, FetchError>, [String]) {
        let port = Lock(UInt16(0))
        let server = try server { path in
            (pages[path] ?? Self.page).replacing("PORT", with: "\(port.withLock { $0 })")
        }
        defer { server.stop() }
        port.withLock { $0 = server.port }
        do {
            return (.success(try await harness.fetch("http://a.test:\(server.port)\(path)")), server.requests)
        } catch let error as FetchError {
            return (.failure(error), server.requests)
        }
    }

    @Test func `a fetch follows redirects with a new resolution each, and sends no cookie or referrer on`() async throws
    {
        let harness = try FetchHarness()
        let (result, requests) = try await fetch(
            "/1", from: harness,
            ["/1": Self.redirect("/2?oob=e30"), "/2?oob=e30": Self.redirect("//b.test:PORT/3#part")])
        let fetched = try result.get()
        #expect(fetched.address.host == .name("b.test"))
        #expect(fetched.address.path == "/3")
        #expect(fetched.address.fragment == "part")
        #expect(fetched.redirects.map(\.requestTarget) == ["/1", "/2?oob=e30"])
        #expect(fetched.body == Array("ok".utf8))
        #expect(harness.names.asked.withLock { $0 } == ["a.test", "a.test", "b.test"])
        #expect(requests.count == 3)
        #expect(!requests.contains { $0.lowercased().contains("cookie") || $0.lowercased().contains("referer") })
    }

    @Test(
        .shows("CHK-104", "F3"),
        arguments: [
            ("/1", .redirectLoop), ("/2", .redirectLoop), ("http://169.254.169.254/latest/meta-data/", .addressRefused),
            ("http://[fd00:ec2::254]/", .addressRefused), ("http://224.0.0.1/", .addressRefused),
            ("file:///etc/passwd", .redirectScheme), ("ws://a.test:PORT/", .redirectScheme),
            ("didcomm://invite?oob=e30", .redirectScheme), ("http://user@a.test:PORT/", .redirectMalformed),
            ("http://0x7f000001:PORT/", .redirectMalformed), ("http://nowhere.test/", .nameNotFound),
        ] as [(String, FetchError.Code)])
    func `a hostile redirect ends with its code and without another request`(
        location: String, code: FetchError.Code
    ) async throws {
        let (result, requests) = try await fetch(
            "/1", from: try FetchHarness(), ["/1": Self.redirect("/2"), "/2": Self.redirect(location)])
        #expect(throws: FetchError(code, "")) { try result.get() }
        #expect(requests.count == 2)
    }

    @Test(.shows("CHK-101")) func `an endless series of redirects ends at the limit`() async throws {
        let server = try server { path in Self.redirect(path + "1") }
        defer { server.stop() }
        let harness = try FetchHarness()
        #expect(try await harness.code("http://a.test:\(server.port)/") == .redirectLimit)
        #expect(server.requests.count == FetchRules().maximumRedirects + 1)
    }

    @Test(.shows("F3")) func `a public server cannot redirect us to a service of this machine`() async throws {
        let secret = try server { _ in Self.page }
        defer { secret.stop() }
        let targets = [
            "http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://[::1]:PORT/", "http://[::ffff:127.0.0.1]:PORT/",
            "http://10.0.0.1/", "http://moved.test:PORT/", "http://0.0.0.0:PORT/",
        ].map { $0.replacing("PORT", with: "\(secret.port)") }
        for target in targets {
            let open = try server { _ in Self.redirect(target) }
            defer { open.stop() }
            let names = FetchHarness.Names(["a.test": [["93.184.216.34"]], "moved.test": [["127.0.0.1"]]])
            let internet = FetchHarness.Internet(client: HTTPClient(WebService()))
            var rules = FetchRules()
            rules.allowsInsecure = true
            rules.deadline = .seconds(60)
            let fetch = GuardedFetch(exchanger: internet, resolver: names)
            let address = try WebAddress(parsing: "http://a.test:\(open.port)/")
            await #expect(throws: FetchError(.addressRefused, "")) { _ = try await fetch.get(address, rules: rules) }
            #expect(internet.asked.withLock { $0 } == ["93.184.216.34"])
        }
        #expect(secret.requests == [])
    }

    @Test(.shows("F4"))
    func `a host name that changes its address after the check is connected to at the checked address`()
        async throws
    {
        // The second answer of the name would be another machine; one fetch asks once and connects to the first.
        let harness = try FetchHarness(names: ["a.test": [["127.0.0.1"], ["127.0.0.99"]]])
        let (result, requests) = try await fetch("/1", from: harness, [:])
        #expect(try result.get().endpoint == .v4(IPv4Address(127, 0, 0, 1)))
        #expect(requests.count == 1)
        #expect(harness.names.asked.withLock { $0.count } == 1)
    }

    @Test(.shows("F4")) func `a host name that changes to a private address before a redirect is refused`() async throws
    {
        let server = try server { path in path == "/1" ? Self.redirect("/2") : Self.page }
        defer { server.stop() }
        let names = FetchHarness.Names(["a.test": [["93.184.216.34"], ["127.0.0.1"]]])
        let internet = FetchHarness.Internet(client: HTTPClient(WebService()))
        var rules = FetchRules()
        rules.allowsInsecure = true
        rules.deadline = .seconds(60)
        let fetch = GuardedFetch(exchanger: internet, resolver: names)
        let address = try WebAddress(parsing: "http://a.test:\(server.port)/1")
        await #expect(throws: FetchError(.addressRefused, "")) { _ = try await fetch.get(address, rules: rules) }
        #expect(server.requests.count == 1)
    }
}
