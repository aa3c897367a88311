import CryptoSuite
import TestSupport
import Testing

@testable import CloudAgent

@Suite struct WebhookKeyTests {
    // The published example of Standard Webhooks.
    private static let shown = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    private static let time: Int64 = 1_614_265_330
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private func signature(
        by key: WebhookKey? = nil, id: String = Self.id, timestamp: Int64 = Self.time, body: [UInt8] = Self.body
    ) throws -> String? {
        let key = try key ?? #require(WebhookKey(parsing: Self.shown))
        return key.fields(id: id, timestamp: timestamp, body: body).last?.value
    }

    @Test func `the published webhook example gets the published signature`() throws {
        let key = try #require(WebhookKey(parsing: Self.shown))
        #expect(key.shown == Self.shown)
        let fields = key.fields(id: Self.id, timestamp: Self.time, body: Self.body)
        #expect(fields.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(fields.map(\.value) == [Self.id, "\(Self.time)", Self.signature])
    }

    @Test func `a change of body, identifier, time or key changes the webhook signature`() throws {
        var other = [UInt8](repeating: 1, count: 24)
        let signatures = [
            try signature(), try signature(id: "msg_other"), try signature(timestamp: Self.time + 1),
            try signature(body: Self.body + [0x20]), try signature(by: WebhookKey(Secret(consuming: &other))),
        ]
        #expect(Set(signatures).count == signatures.count)
    }

    @Test func `text that is no webhook key is refused`() {
        for text in ["", "whsec_", "whsec_###", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            #expect(WebhookKey(parsing: text) == nil, "\(text)")
        }
        let read: ([UInt8]) throws -> WebhookKey? = { bytes in
            WebhookKey(parsing: String(decoding: bytes, as: UTF8.self))
        }
        let truncated = DecoderVerifier.acceptedTruncations(of: Array(Self.shown.utf8), by: read)
        #expect(!truncated.contains(0) && !truncated.contains(6))
    }
}
