import TestSupport
import Testing

@testable import DIDComm

@Suite struct ServiceEndpointTests {
    @Test(
        arguments: [
            ("http://example.com:8000", .http), ("https://example.com/a?b#c", .https), ("WSS://a-b.c.e:65535/x", .wss),
            ("ws://[::1]:1", .ws), ("http://[fe80::1]/", .http), ("http://127.0.0.1?x=@", .http),
        ] as [(String, ServiceEndpoint.Transport)])
    func `a service endpoint is read and its text kept`(text: String, transport: ServiceEndpoint.Transport) throws {
        let endpoint = try ServiceEndpoint(parsing: text)
        #expect(endpoint.text == text && endpoint.description == text)
        #expect(endpoint.transport == transport && endpoint.address != nil)
    }

    @Test func `an agent without an address has the endpoint didcomm:transport/queue`() throws {
        #expect(try ServiceEndpoint(parsing: "didcomm:transport/queue") == .queue)
        #expect(ServiceEndpoint.queue.transport == .queue)
    }

    @Test(arguments: [
        "ftp://example.com", "file:///etc/passwd", "gopher://example.com", "javascript:alert(1)", "example.com", "",
        "didcomm:transport/other", "queue://example.com",
    ])
    func `a service endpoint with an unsupported scheme is refused`(text: String) {
        #expect(throws: DIDCommError(.endpointTransport, "")) { try ServiceEndpoint(parsing: text) }
    }

    @Test(arguments: [
        "http://", "http:///x", "http:example.com", "http", "http:", "https://:80", "http://a:0", "http://a:65536",
        "http://a:", "http://a:+1", "http://a:b", "http://user@a", "http://user:secret@a:80/", "http://a b",
        "http://a\n", "http://\u{E9}.com", "http://a\\@b", "http://[::1", "http://[]", "http://a_é", "http://[::1]x",
        "http://a%2f", "ws://\u{202E}a",
    ])
    func `a service endpoint without host, with a bad port, credentials or invalid characters is refused`(text: String)
    {
        #expect(throws: (any Error).self) { try ServiceEndpoint(parsing: text) }
    }

    @Test func `a service endpoint with credentials is refused as malformed`() {
        #expect(throws: DIDCommError(.endpointMalformed, "")) { try ServiceEndpoint(parsing: "http://u:p@a") }
    }

    @Test func `a service endpoint has at most 2,048 bytes`() {
        let text = "http://a/" + String(repeating: "x", count: ServiceEndpoint.maximumBytes - 9)
        #expect(throws: Never.self) { try ServiceEndpoint(parsing: text) }
        #expect(throws: DIDCommError(.endpointMalformed, "")) { try ServiceEndpoint(parsing: text + "x") }
    }

    @Test func `a service endpoint cut short is read only where it is still an address, and no byte may follow it`() {
        let decode: ([UInt8]) throws -> ServiceEndpoint? = {
            try ServiceEndpoint(parsing: String(decoding: $0, as: UTF8.self))
        }
        let text = Array("http://[::1]:80".utf8)
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: decode) == [12, 14])
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: decode) == [])
    }
}
