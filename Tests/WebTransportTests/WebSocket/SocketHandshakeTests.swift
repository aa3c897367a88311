import HTTP1
import TestSupport
import Testing

@testable import WebTransport

/// RFC 6455 section 4, on connections.
@Suite struct SocketHandshakeTests {
    private static let valid = [
        "Host: a", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]

    private func heard(_ fields: [String], method: String = "GET") async throws -> String {
        var router = HTTPRouter()
        router.webSocket("/", protocols: ["chat.v1"]) { _ in }
        let loopback = try await Loopback(router: router)
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say("\(method) / HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
        let text = await peer.hearText(until: method == "HEAD" ? nil : "\r\n\r\n")
        await peer.end()
        await loopback.stop()
        return text
    }

    @Test(arguments: [["Sec-WebSocket-Version: 8"], []])
    func `status 426 names the protocol and its version, as RFC 9110 section 15 5 22 has it`(version: [String])
        async throws
    {
        let text = try await heard(Self.valid.dropLast() + version)
        #expect(text.hasPrefix("HTTP/1.1 426 "))
        #expect(text.contains("\r\nUpgrade: websocket\r\n") && text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
        #expect(text.contains("\r\nConnection: close, Upgrade\r\n"))
    }

    @Test(arguments: [("chat.v1", 101), (" chat.v1\t", 101), ("chat .v1", 400), ("c hat.v1", 400), ("CHAT.v1", 400)])
    func `a WebSocket subprotocol is chosen by its exact name, as section 4 2 2 has it`(name: String, status: Int)
        async throws
    {
        let text = try await heard(Self.valid + ["Sec-WebSocket-Protocol: other,\(name)"])
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test
    func `a WebSocket client closes with 1002 on a masked frame and says web.socket.violation, as section 5 1 has it`()
        async throws
    {
        let (heard, continuation) = AsyncStream<[UInt8]>.makeStream()
        let port = await RawPeer.serveOnce { peer, head in
            let key = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key: ") }
            let accept = WebSocketHandshake.accept(for: String(key?.dropFirst(19) ?? ""))
            await peer.say(
                HTTPResponseEncoding.upgrade(accept: accept, subprotocol: "") + [0x81, 0x81, 1, 2, 3, 4, 0x60])
            continuation.yield(await peer.hear())
            continuation.finish()
        }
        let service = WebService()
        let socket = try await WebSocketClient(service).connect(
            to: WebConnectionTarget(Loopback.host, port: port), HTTPRequest(.get, RequestTarget(parsing: "/")),
            limits: .patient, deadline: .seconds(600))
        let error = await #expect(throws: WebError.self) { for try await _ in socket.messages {} }
        #expect(error?.code.rawValue == "web.socket.violation" && error?.wireCode == 1002)
        var frame = await heard.first { _ in true } ?? []
        try #require(frame.count == 8 && frame[0] == 0x88 && frame[1] == 0x82)
        for index in 6..<8 { frame[index] ^= frame[index - 4] }
        #expect(frame.suffix(2) == [0x03, 0xEA])
        await service.stop()
    }

    @Test(arguments: [valid, valid + ["Host: b"], ["Host: a", "Content-Length: 3"], ["Host: a", "Bad Name: b"]])
    func `an HTTP error response to HEAD has no body, as RFC 9110 section 9 3 2 has it`(fields: [String]) async throws {
        let text = try await heard(fields, method: "HEAD")
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.hasSuffix("\r\n\r\n"))
        #expect(text.contains("Connection: close\r\n"))
    }
}
