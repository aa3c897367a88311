import TestSupport
import Testing

@testable import WebTransport

@Suite struct RequestTargetTests {
    private func code(_ text: String) -> WebError.Code? {
        do {
            _ = try RequestTarget(parsing: text)
            return nil
        } catch { return error.code }
    }

    @Test func `path and query of a request target are decoded, and its text is kept`() throws {
        let target = try RequestTarget(parsing: "/a%20b/c?x=1%262&y&z=+&x=3")
        #expect(target.path == "/a b/c")
        #expect(target.segments == ["a b", "c"])
        #expect(target.query == [.init("x", "1&2"), .init("y", ""), .init("z", " "), .init("x", "3")])
        #expect(target.value(of: "x") == "1&2")
        #expect(target.value(of: "w") == nil)
        #expect(target.text == "/a%20b/c?x=1%262&y&z=+&x=3")
    }

    @Test func `the root path of a request target has no segments, and a slash at the end makes an empty one`() throws {
        #expect(try RequestTarget(parsing: "/").segments == [])
        #expect(try RequestTarget(parsing: "/a/").segments == ["a", ""])
        #expect(try RequestTarget(parsing: "/?").query == [])
    }

    @Test(arguments: [
        "", "a", "http://a/", "*", "/a b", "/ä", "/#a", "/%", "/%1", "/%zz", "/%00", "/%0A", "/%ff", "/a/../b", "/..",
        "/%2e%2E/a", "/./a", "/?a=%ff", "/?a=%0d", "/\u{7F}",
    ])
    func `an invalid request target is refused`(text: String) {
        #expect(code(text) == .addressMalformed)
    }

    /// U+0301 joins the slash before it, U+0600 the slash behind it, to one character of Swift's.
    @Test func `a combining mark after a slash does not hide the slash of a path`() throws {
        let joined = try RequestTarget(parsing: "/%CC%81a/b%D8%80/c")
        #expect(joined.path.utf8.first == UInt8(ascii: "/"))
        #expect(joined.segments == ["\u{301}a", "b\u{600}", "c"])
        #expect(code("/files/a%D8%80/../secret") == .addressMalformed)
        #expect(code("/files/a/..%D8%80/secret") == nil)
    }

    @Test func `a request target of 8,192 bytes is read and one byte more refused`() {
        #expect(code("/" + String(repeating: "a", count: RequestTarget.maximumBytes - 1)) == nil)
        #expect(code("/" + String(repeating: "a", count: RequestTarget.maximumBytes)) == .addressMalformed)
    }

    @Test func `a request query of 64 parts is read and one more refused`() {
        let parts = Array(repeating: "a=b", count: RequestTarget.maximumQueryItems)
        #expect(code("/?" + parts.joined(separator: "&")) == nil)
        #expect(code("/?" + (parts + ["c"]).joined(separator: "&")) == .addressMalformed)
    }

    @Test func `percent-encoded text cut within an escape is refused`() {
        let cut = DecoderVerifier.acceptedTruncations(of: Array("%41b%2Fc".utf8)) {
            PercentCoding.decode($0, plusIsBlank: false)
        }
        #expect(cut == [0, 3, 4, 7])
    }

    @Test func `a request target cut within an escape is refused, and invisible characters are refused`() {
        let target = Array("/a%20b".utf8)
        let read = { (bytes: [UInt8]) in try RequestTarget(parsing: String(decoding: bytes, as: UTF8.self)) }
        #expect(DecoderVerifier.acceptedTruncations(of: target, by: read) == [1, 2, 5])
        #expect(DecoderVerifier.acceptedExtensions(of: target, by: read) == [])
    }
}
