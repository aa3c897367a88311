import TestSupport
import Testing
import WebAddressing

@Suite struct WebAddressTests {
    private func code(_ text: String) -> WebAddressError.Code? {
        do throws(WebAddressError) {
            _ = try WebAddress(parsing: text)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a web address is split into scheme, host, port, path and query`() throws {
        let address = try WebAddress(parsing: "HTTPS://Agent.Example.COM:8443/a/b?c_i=e30&x#part")
        #expect(address.scheme == .https)
        #expect(address.host == .name("agent.example.com"))
        #expect(address.port == 8443)
        #expect(address.path == "/a/b")
        #expect(address.query == "c_i=e30&x")
        #expect(address.fragment == "part")
        #expect(address.authority == "agent.example.com:8443")
        #expect(address.requestTarget == "/a/b?c_i=e30&x")
        #expect(address.withoutFragment.description == "https://agent.example.com:8443/a/b?c_i=e30&x")
    }

    @Test(arguments: [
        ("http://a", "http://a/"), ("https://a:443", "https://a/"), ("http://a:443/", "http://a:443/"),
        ("ws://a:80?b", "ws://a/?b"), ("WSS://A#", "wss://a/#"),
        ("http://[::FFFF:1.2.3.4]:1/", "http://[::ffff:1.2.3.4]:1/"),
        ("http://[0:0::1]", "http://[::1]/"), ("http://a/b/../c/./d/..", "http://a/c/"),
        ("http://a/../../b", "http://a/b"), ("http://a/.", "http://a/"), ("http://a//b//", "http://a//b//"),
        ("http://a/%7e%2F", "http://a/%7e%2F"), ("http://xn--bcher-kva.example", "http://xn--bcher-kva.example/"),
        ("http://docker_name:65535", "http://docker_name:65535/"), ("http://a?b?c/d", "http://a/?b?c/d"),
    ]) func `a web address is written in one form, which is read back as equal`(text: String, canonical: String) throws
    {
        let address = try WebAddress(parsing: text)
        #expect(address.description == canonical)
        #expect(try WebAddress(parsing: canonical) == address)
    }

    @Test(
        .shows("CHK-099", "F1"),
        arguments: [
            ("ftp://a", .scheme), ("file:///etc/passwd", .scheme), ("javascript:alert(1)", .scheme), ("a", .scheme),
            ("", .scheme), ("://a", .scheme), ("gopher://a", .scheme), ("didcomm://invite?oob=e30", .scheme),
            ("http:a", .host), ("http:/a", .host), ("http://", .host), ("http:///a", .host), ("http://?a", .host),
            ("http://user@a", .credentials), ("http://user:password@a", .credentials), ("http://@a", .credentials),
            ("http://a@b@c", .credentials), ("http://public.example:80@10.0.0.1/", .credentials),
            ("http://a:0", .port), ("http://a:65536", .port), ("http://a:", .port), ("http://a:080", .port),
            ("http://a:+80", .port), ("http://a:1:2", .port), ("http://[::1]x", .host), ("http://[::1]:x", .port),
            ("http://a/%", .percentEncoding), ("http://a/%1", .percentEncoding), ("http://a?%zz", .percentEncoding),
            ("http://a#%", .percentEncoding), ("http://a/%%41", .percentEncoding),
            ("http://a/[b]", .character), ("http://a?b[]=1", .character), ("http://a#b#c", .character),
            (" http://a", .character), ("http://a/b c", .character), ("http://a\\@b", .character),
            ("http://bücher.example", .character), ("http://a/\u{202E}", .character), ("http://a/\"", .character),
            ("http://a/\r\nHost: b", .controlCharacter), ("http://a\t", .controlCharacter),
            ("\u{0}http://a", .controlCharacter),
            ("http://a/\u{7F}", .controlCharacter),
        ] as [(String, WebAddressError.Code)])
    func `a web address that parsers read differently is refused with its code`(
        text: String, expected: WebAddressError.Code
    ) {
        #expect(code(text) == expected)
    }

    @Test func `a web address of the greatest length is read and one byte more refused`() throws {
        let longest = "http://a/" + String(repeating: "b", count: WebAddress.maximumBytes - 9)
        #expect(try WebAddress(parsing: longest).description == longest)
        #expect(code(longest + "b") == .tooLong)
    }

    @Test func `a web address cut short is read only where it is still an address, and no byte may follow it`() {
        let text = Array("https://a.example:8443/b?c=%41#d".utf8)
        let read = { (bytes: [UInt8]) in try WebAddress(parsing: String(decoding: bytes, as: UTF8.self)) }
        let refused = Array(0...8) + [10, 18, 28, 29]
        let accepted = text.indices.filter { !refused.contains($0) }
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: read) == accepted)
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: read) == [])
    }

    @Test(arguments: [
        ("https://b/c", "https://b/c"), ("//b/c", "https://b/c"), ("/c", "https://a/c"), ("c", "https://a/x/c"),
        ("../c", "https://a/c"), ("?c", "https://a/x/y?c"), ("#c", "https://a/x/y?z#c"), ("", "https://a/x/y?z"),
        ("./", "https://a/x/"), ("http://b", "http://b/"), ("c/d:e", "https://a/x/c/d:e"),
    ]) func `a relative reference is resolved as RFC 3986 requires`(reference: String, expected: String) throws {
        let base = try WebAddress(parsing: "https://a/x/y?z#part")
        #expect(try base.resolving(reference).description == expected)
    }

    @Test(
        arguments: [
            ("mailto:a@b", .scheme), ("file:/etc/passwd", .scheme), ("c:d", .scheme), ("//u@b", .credentials),
            ("//127.1", .hostNumber), ("/a b", .character), ("/\u{0}", .controlCharacter), ("//", .host),
        ] as [(String, WebAddressError.Code)])
    func `a reference to an unsupported address is refused with its code`(
        reference: String, expected: WebAddressError.Code
    ) throws {
        let base = try WebAddress(parsing: "https://a/x")
        #expect(throws: WebAddressError(expected, "")) { try base.resolving(reference) }
    }

    @Test func `web schemes have a default port and are marked secure or not`() {
        #expect(WebScheme.allCases.map(\.defaultPort) == [80, 443, 80, 443])
        #expect(WebScheme.allCases.map(\.isSecure) == [false, true, false, true])
        #expect(WebScheme.allCases.map(\.isWebSocket) == [false, false, true, true])
    }

    @Test(.shows("CHK-099")) func `a web address error has its code and a sentence, and nothing of the address`() {
        do throws(WebAddressError) {
            _ = try WebAddress(parsing: "http://user:password@a")
            Issue.record("credentials were taken")
        } catch {
            #expect("\(error)" == "address.credentials: a user name or password stands before the host")
        }
    }
}
