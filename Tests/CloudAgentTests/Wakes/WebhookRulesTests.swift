import DIDComm
import TestSupport
import Testing

@testable import CloudAgent

@Suite struct WebhookRulesTests {
    private func allows(_ hosts: String, _ address: String, insecure: Bool = false) throws -> Bool {
        var rules = WebhookRules(hosts: try #require(WebhookRules.WebhookHostList(parsing: hosts)))
        rules.allowsInsecure = insecure
        return rules.allows(try ServiceEndpoint(parsing: address))
    }

    @Test func `webhooks are posted only to listed hosts, over TLS`() throws {
        #expect(try allows("a.example", "https://a.example/x"))
        #expect(try allows("A.example", "https://a.EXAMPLE:8443/x"))
        #expect(try allows("b.example, a.example", "https://a.example"))
        #expect(try allows("*", "https://anything.example"))
        #expect(try !allows("a.example", "https://b.example"))
        #expect(try !allows("a.example", "https://x.a.example"))
        #expect(try !allows("a.example", "http://a.example"))
        #expect(try allows("a.example", "http://a.example", insecure: true))
        #expect(try !allows("*", "wss://a.example"))
        #expect(try !allows("*", "didcomm:transport/queue"))
    }

    @Test func `an asterisk in a webhook host list matches all names below the host, and no others`() throws {
        #expect(try allows("*.a.example", "https://x.a.example"))
        #expect(try allows("*.a.example", "https://y.x.a.example"))
        #expect(try !allows("*.a.example", "https://a.example"))
        #expect(try !allows("*.a.example", "https://xa.example"))
        #expect(try allows("127.0.0.1", "https://127.0.0.1:8"))
    }

    @Test func `an invalid webhook host list is refused`() {
        for text in ["", ",", "a.example,", "*a.example", "a b/c", "*.", "https://a.example", "a.*", "*.0.0.1"] {
            #expect(WebhookRules.WebhookHostList(parsing: text) == nil, "\(text)")
        }
        let names = (0..<WebhookRules.WebhookHostList.maximumCount).map { "h\($0).example" }.joined(separator: ",")
        #expect(WebhookRules.WebhookHostList(parsing: names) != nil)
        #expect(WebhookRules.WebhookHostList(parsing: names + ",x.example") == nil)
        let read: ([UInt8]) throws -> WebhookRules.WebhookHostList? = {
            WebhookRules.WebhookHostList(parsing: String(decoding: $0, as: UTF8.self))
        }
        let list = Array("*.a.example,b.example".utf8)
        #expect(DecoderVerifier.acceptedTruncations(of: list, by: read).allSatisfy { ![0, 2, 12].contains($0) })
    }
}
