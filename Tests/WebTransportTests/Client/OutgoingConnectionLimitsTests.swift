import Testing
import WebAddressing

@testable import WebTransport

struct OutgoingConnectionLimitsTests {
    private static func limits(all: Int, perAddress: Int) -> OutgoingConnectionLimits {
        var limits = OutgoingConnectionLimits()
        limits.maximumConnections = all
        limits.maximumConnectionsPerAddress = perAddress
        return limits
    }

    private static func address(_ last: UInt8) -> IPAddress { .v4(IPv4Address(127, 0, 0, last)) }

    @Test func `the allowed number of connections opens to one address, and a further one when one has ended`() throws {
        var connections = OutgoingConnections(Self.limits(all: 10, perAddress: 2))
        try connections.open(Self.address(1))
        try connections.open(Self.address(1))
        #expect(throws: WebError(.tooManyConnections, "")) { try connections.open(Self.address(1)) }
        try connections.open(Self.address(2))
        connections.close(Self.address(1))
        try connections.open(Self.address(1))
    }

    @Test func `the allowed number of connections opens in all, whatever their addresses`() throws {
        var connections = OutgoingConnections(Self.limits(all: 2, perAddress: 2))
        try connections.open(Self.address(1))
        try connections.open(Self.address(2))
        #expect(throws: WebError(.tooManyConnections, "")) { try connections.open(Self.address(3)) }
        connections.close(Self.address(3))
        #expect(throws: WebError(.tooManyConnections, "")) { try connections.open(Self.address(3)) }
        connections.close(Self.address(2))
        try connections.open(Self.address(3))
    }

    @Test func `one request above the limit fails without disturbing those under way`() async throws {
        let gate = Door()
        let loopback = try await Loopback { request in
            if request.target.path == "/wait" { await gate.pass() }
            return HTTPResponse(200)
        }
        let service = WebService(limits: Self.limits(all: 8, perAddress: 2))
        let client = HTTPClient(service)
        @Sendable func ask(_ path: String) async throws -> Int {
            let request = try HTTPRequest(.get, RequestTarget(parsing: path))
            return try await client.send(request, to: loopback.target, limits: .patient).status
        }
        async let first = ask("/wait")
        async let second = ask("/wait")
        #expect(await eventually { loopback.server.connectionCount == 2 })
        await #expect(throws: WebError(.tooManyConnections, "")) { try await ask("/") }
        await #expect(throws: WebError(.tooManyConnections, "")) {
            try await WebSocketClient(service).connect(
                to: loopback.target, HTTPRequest(.get, RequestTarget(parsing: "/")))
        }
        await gate.open()
        let statuses = try await (first, second)
        #expect(statuses == (200, 200))
        for _ in 0..<20 {
            #expect(
                await eventually {
                    let status = try? await ask("/")
                    return status == 200
                })
        }
        await service.stop()
        await loopback.stop()
    }
}
