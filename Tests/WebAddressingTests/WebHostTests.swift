import TestSupport
import Testing
import WebAddressing

@Suite struct WebHostTests {
    @Test(arguments: [
        ("Example.ORG", "example.org"), ("a", "a"), ("a-b.c_d", "a-b.c_d"), ("1a.b2", "1a.b2"), ("0x.a", "0x.a"),
        ("xn--nxasmq6b", "xn--nxasmq6b"), ("1.2.3.4", "1.2.3.4"), ("[::1]", "[::1]"), ("[1:2::]", "[1:2::]"),
    ]) func `domain names and usual spellings of IP addresses are accepted as web hosts`(
        text: String, canonical: String
    ) throws {
        #expect(try WebHost(parsing: text).description == canonical)
    }

    @Test(
        .shows("F1"),
        arguments: [
            "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "127.1", "127.0.1", "1.2.3.4.5", "256.1.1.1",
            "01.2.3.4",
            "1.2.3.4.", "a.1", "a.0x1", "0x", "a.0X", "1..2", "127.0.0.0x1", "00000000177.0.0.1", "1.", "0",
        ]) func `a web host that is an IP address in an unusual spelling is refused`(text: String)
    {
        #expect(throws: WebAddressError(.hostNumber, "")) { try WebHost(parsing: text) }
    }

    @Test(
        .shows("F1"),
        arguments: [
            "", ".", "a.", ".a", "a..b", "-a", "a-", "a.-b", "%31%32", "a%2e", "a b", "[::1", "::1]", "[]",
            "[::1%25eth0]",
            "[1.2.3.4]", "[v1.a]", "a!", "*", "bücher", "１２７.example",
        ]) func `a web host that is neither a domain name nor an IP address is refused`(text: String)
    {
        #expect(throws: WebAddressError(.host, "")) { try WebHost(parsing: text) }
    }

    @Test func `a host label and a name of the greatest length are read and one character more refused`() throws {
        let label = String(repeating: "a", count: WebHost.maximumLabelCharacters)
        #expect(try WebHost(parsing: label) == .name(label))
        #expect(throws: WebAddressError(.host, "")) { try WebHost(parsing: label + "a") }
        let name = [label, label, label, String(label.dropLast(2))].joined(separator: ".")
        #expect(name.count == WebHost.maximumNameCharacters)
        #expect(try WebHost(parsing: name) == .name(name))
        #expect(throws: WebAddressError(.host, "")) { try WebHost(parsing: name + "a") }
    }

    @Test func `a web host cut short is a shorter name or refused, and no other byte may follow it`() {
        let read = { (bytes: [UInt8]) in try WebHost(parsing: String(decoding: bytes, as: UTF8.self)) }
        #expect(DecoderVerifier.acceptedTruncations(of: Array("ab.c-d".utf8), by: read) == [1, 2, 4])
        #expect(DecoderVerifier.acceptedExtensions(of: Array("ab.c-d".utf8), by: read) == [])
        #expect(DecoderVerifier.acceptedTruncations(of: Array("[::1]".utf8), by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: Array("[::1]".utf8), by: read) == [])
    }
}
