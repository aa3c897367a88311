import TestSupport
import Testing
import WebAddressing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::", "2001:db8:1:2::"), ("::1", "::1"), ("127.0.0.9", "127.0.0.9"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
    ])
    func `IP addresses are grouped by source, without the bits that one owner may choose`(text: String, source: String)
        throws
    {
        let address = try #require(IPAddress(parsing: text))
        #expect(address.source.description == source && address.source.source == address.source)
        #expect(address.isOwnMachine == (text.hasSuffix("::1") || text.contains("127.0.0.")))
    }

    @Test(arguments: ["0.0.0.0", "1.2.3.4", "255.255.255.255", "127.0.0.1", "192.168.100.9"])
    func `an IPv4 address in its usual spelling is read as written`(text: String) throws {
        let address = try #require(IPv4Address(parsing: text))
        #expect(address.description == text)
        #expect(IPAddress(parsing: text) == .v4(address))
        #expect(address == IPv4Address(address.bytes[0], address.bytes[1], address.bytes[2], address.bytes[3]))
    }

    @Test(arguments: [
        "", ".", "...", "1.2.3", "1.2.3.4.", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.0004", "1.2.3.-4", "1.2.3.+4",
        "1.2.3. 4", "0x1.2.3.4", "1.2.3.４", "16909060",
    ]) func `other spellings of an IPv4 address are refused as addresses`(text: String) {
        #expect(IPv4Address(parsing: text) == nil)
        #expect(IPAddress(parsing: text) == nil)
    }

    // The examples of RFC 4291, section 2.2, and RFC 5952, section 4.
    @Test(arguments: [
        ("ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", "abcd:ef01:2345:6789:abcd:ef01:2345:6789"),
        ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"), ("FF01:0:0:0:0:0:0:101", "ff01::101"),
        ("0:0:0:0:0:0:0:1", "::1"), ("0:0:0:0:0:0:0:0", "::"), ("::", "::"), ("::13.1.68.3", "::d01:4403"),
        ("0:0:0:0:0:FFFF:129.144.52.38", "::ffff:129.144.52.38"), ("::FFFF:8190:3426", "::ffff:129.144.52.38"),
        ("2001:0db8::0001", "2001:db8::1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1::", "1::"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ]) func `an IPv6 address is written in one canonical text`(text: String, canonical: String) throws {
        let address = try #require(IPv6Address(parsing: text))
        #expect(address.description == canonical)
        #expect(IPv6Address(parsing: canonical) == address)
        #expect(IPv6Address(bytes: address.bytes) == address)
        #expect(IPAddress(parsing: text) == .v6(address))
    }

    @Test(arguments: [
        "", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        "1:2:3:4:5:6:7:8::", "1.2.3.4::", "::1.2.3", "::1.2.3.4:5", "::01.2.3.4", "::1%eth0", "[::1]", "::+1", " ::1",
        "1:2:3:4:5:6:7:1.2.3.4",
    ]) func `malformed IPv6 addresses are refused`(text: String) {
        #expect(IPv6Address(parsing: text) == nil)
    }

    @Test func `an IPv6 address has sixteen bytes, not one less or more`() {
        #expect(IPv6Address(bytes: [UInt8](repeating: 1, count: 15)) == nil)
        #expect(IPv6Address(bytes: [UInt8](repeating: 1, count: 16))?.description == "101:101:101:101:101:101:101:101")
        #expect(IPv6Address(bytes: [UInt8](repeating: 1, count: 17)) == nil)
    }

    @Test func `an IP address cut short is another one or refused, and no other character may follow it`() {
        let readIPv4 = { (bytes: [UInt8]) in IPv4Address(parsing: String(decoding: bytes, as: UTF8.self)) }
        let readIPv6 = { (bytes: [UInt8]) in IPv6Address(parsing: String(decoding: bytes, as: UTF8.self)) }
        let read = { (bytes: [UInt8]) in IPAddress(parsing: String(decoding: bytes, as: UTF8.self)) }
        #expect(DecoderVerifier.acceptedTruncations(of: Array("10.2.3.45".utf8), by: readIPv4) == [8])
        #expect(DecoderVerifier.acceptedTruncations(of: Array("10.2.3.45".utf8), by: read) == [8])
        #expect(DecoderVerifier.acceptedTruncations(of: Array("1:2::3".utf8), by: readIPv6) == [5])
        for text in ["10.2.3.45", "1:2::3"].map({ Array($0.utf8) }) {
            #expect(DecoderVerifier.acceptedExtensions(of: text, by: readIPv4) == [])
            #expect(DecoderVerifier.acceptedExtensions(of: text, by: readIPv6) == [])
            #expect(DecoderVerifier.acceptedExtensions(of: text, by: read) == [])
        }
    }
}
