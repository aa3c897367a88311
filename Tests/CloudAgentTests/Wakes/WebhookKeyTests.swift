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

    private func verifies(
        _ id: String = Self.id, _ time: String = "\(Self.time)", _ signature: String = Self.signature,
        _ body: [UInt8] = Self.body, at now: Int64 = Self.time
    ) throws -> Bool {
        try #require(WebhookKey(parsing: Self.shown)).verifies(
            id: id, timestamp: time, signature: signature, body: body, at: now)
    }

    @Test func `the published example is signed as it says`() throws {
        let key = try #require(WebhookKey(parsing: Self.shown))
        #expect(key.shown == Self.shown)
        let fields = key.fields(id: Self.id, timestamp: Self.time, body: Self.body)
        #expect(fields.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(fields.map(\.value) == [Self.id, "\(Self.time)", Self.signature])
        #expect(try verifies())
        #expect(try verifies(Self.id, "\(Self.time)", "v1,AAAA v2,x \(Self.signature)"), "one of several is enough")
    }

    @Test func `another body, identifier, time or key is no signature of it`() throws {
        #expect(try !verifies("msg_other"))
        #expect(try !verifies(Self.id, "\(Self.time + 1)"))
        #expect(try !verifies(Self.id, "\(Self.time)", Self.signature, Self.body + [0x20]))
        for text in ["", "v1,", "v2" + Self.signature.dropFirst(2), String(Self.signature.dropLast(4))] {
            #expect(try !verifies(Self.id, "\(Self.time)", text), "\(text)")
        }
        var other = [UInt8](repeating: 1, count: 24)
        let key = WebhookKey(Secret(consuming: &other))
        #expect(
            !key.verifies(
                id: Self.id, timestamp: "\(Self.time)", signature: Self.signature, body: Self.body, at: Self.time))
    }

    @Test func `a post of five minutes ago is good, of a second more is not`() throws {
        for (offset, isGood) in [(300, true), (-300, true), (301, false), (-301, false)] as [(Int64, Bool)] {
            #expect(try verifies(at: Self.time + offset) == isGood, "\(offset)")
        }
        #expect(try !verifies(Self.id, "9223372036854775807"))
        #expect(try !verifies(Self.id, "soon"))
    }

    @Test func `a text that is no key is none`() {
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
