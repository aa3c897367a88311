import Testing
import WebAddressing

@testable import WebTransport

/// RFC 7239, sections 4 to 6; the examples of section 4 among them.
@Suite struct ForwardedFieldTests {
    @Test(arguments: [
        ("for=192.0.2.43", "192.0.2.43"), ("For=\"192.0.2.43:47011\"", "192.0.2.43"),
        ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"), ("for=\"[2001:db8:cafe::17]\"", "2001:db8:cafe::17"),
        ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
        ("for=192.0.2.43, for=198.51.100.17", "198.51.100.17"),
        ("by=_x ; for=\"192.0.2.\\43\"", "192.0.2.43"), ("for=1.1.1.1,,for=192.0.2.9", "192.0.2.9"),
    ])
    func `the source in a Forwarded field is the address that the last element names`(value: String, source: String) {
        #expect(ForwardedField([value])?.source == IPAddress(parsing: source))
    }

    @Test(arguments: [
        "for=unknown", "for=_gazonk", "for=\"_gazonk:47\"", "proto=https", "for=192.0.2.1;for=192.0.2.2",
        "for=\"192.0.2\"",
        "for=\"2001:db8::1\"", "for=\"[2001:db8::1\"", "for=\"192.0.2.1:470111\"", "for=192.0.2.1,",
        "for=192.0.2.1, by=_a",
    ])
    func `a Forwarded field without exactly one address in its last element names no source`(value: String) {
        let field = ForwardedField([value])
        #expect(field != nil && field?.source == nil)
    }

    @Test(arguments: [
        "for", "for=", "=192.0.2.1", "for =192.0.2.1", "for= 192.0.2.1", "for=\"192.0.2.1", "for=192.0.2.1:80",
        "for=\"192.0.2.1\"x", "for=\"192.0.2.1\\",
    ])
    func `a malformed Forwarded field is not read`(value: String) { #expect(ForwardedField([value]) == nil) }

    @Test func `several Forwarded fields count as one list, in their order`() {
        #expect(ForwardedField(["for=192.0.2.1", "for=192.0.2.2"])?.source == IPAddress(parsing: "192.0.2.2"))
        #expect(ForwardedField([]) == nil)
    }

    @Test func `the scheme in a Forwarded field is that of the request to the proxy`() {
        #expect(ForwardedField(["for=192.0.2.1;proto=https"])?.isSecure == true)
        #expect(ForwardedField(["proto=HTTPS, proto=http"])?.isSecure == false)
        #expect(ForwardedField(["for=192.0.2.1"])?.isSecure == nil)
        #expect(ForwardedField(["proto=http;proto=https"])?.isSecure == nil)
    }
}
