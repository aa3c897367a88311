import TestSupport
import Testing
import WebAddressing

@Suite struct IPNetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"), ("0.0.0.0/0", "255.255.255.255", "::2"),
        ("192.0.2.7/32", "192.0.2.7", "192.0.2.8"), ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
        ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"),
        ("2001:db8::/64", "2001:db8::ffff", "2001:db8:0:1::"),
        ("2001:db8::8/125", "2001:db8::f", "2001:db8::10"), ("::/0", "2001:db8::1", "192.0.2.1"),
    ])
    func `an IP network contains the addresses with its prefix and no others`(
        text: String, inside: String, outside: String
    )
        throws
    {
        let network = try #require(IPNetwork(parsing: text))
        #expect(network.contains(try #require(IPAddress(parsing: inside))))
        #expect(!network.contains(try #require(IPAddress(parsing: outside))))
    }

    @Test func `an IPv4-mapped IPv6 address belongs to the IPv4 network`() throws {
        let network = try #require(IPNetwork(parsing: "10.0.0.0/8"))
        #expect(network.contains(try #require(IPAddress(parsing: "::ffff:10.1.2.3"))))
        #expect(!network.contains(try #require(IPAddress(parsing: "::ffff:11.1.2.3"))))
    }

    @Test(arguments: [
        "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.1/8", "::1/127", "::/129",
        "a/8", "/8", "10.0.0.0 /8", "::/0128",
    ])
    func `text that is no IP network, or has bits beyond its prefix, is refused`(text: String) {
        #expect(IPNetwork(parsing: text) == nil)
    }

    @Test func `an IP network's text cut short or extended is another network or refused`() throws {
        let text = Array("192.0.2.128/25".utf8)
        let read: ([UInt8]) -> IPNetwork? = { String(validating: $0, as: UTF8.self).flatMap(IPNetwork.init(parsing:)) }
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: read) == [9, 10, 11])
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: read) == [])
    }

    @Test func `an IP network is written as it is read`() {
        for text in ["10.0.0.0/8", "2001:db8::/32", "::/0"] { #expect(IPNetwork(parsing: text)?.description == text) }
        #expect(IPNetwork(parsing: "192.0.2.1")?.description == "192.0.2.1/32")
    }
}
