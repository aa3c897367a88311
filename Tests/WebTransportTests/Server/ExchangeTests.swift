import Testing
import WebTransport

@Suite struct ExchangeTests {
    @Test func `a request reaches its handler, and the response its caller`() async throws {
        let loopback = try await Loopback { request in
            var response = HTTPResponse(200, text: "\(request.method.rawValue) \(request.target.path)")
            response.headers["X-Echo"] = request.headers["accept"]
            return response
        }
        let request = HTTPRequest(.get, try RequestTarget(parsing: "/a%20b?c=d"), headers: ["Accept": "x/y"])
        let response = try await loopback.send(request)
        #expect(response.status == 200)
        #expect(response.text == "GET /a b")
        #expect(response.headers["x-echo"] == "x/y")
        #expect(response.headers["content-type"] == "text/plain; charset=utf-8")
        await loopback.stop()
    }

    @Test(arguments: [0, 1, 4096, 32768, 32769, 1_000_000])
    func `an HTTP request body of any size is received and echoed whole`(count: Int) async throws {
        let loopback = try await Loopback { HTTPResponse(200, "application/octet-stream", $0.body) }
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let response = try await loopback.post("/", body)
        #expect(response.status == 200)
        #expect(response.body == body)
        await loopback.stop()
    }
}
