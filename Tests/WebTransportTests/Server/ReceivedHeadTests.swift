import TestSupport
import Testing

@testable import WebTransport

@Suite struct ReceivedHeadTests {
    private func head(
        _ method: HTTPMethod? = .get, path: String = "/", query: [String] = [], version: String = "HTTP/1.1",
        _ fields: KeyValuePairs<String, String> = ["host": "a"]
    ) -> ReceivedHead {
        ReceivedHead(
            method: method, path: Array(path.utf8), fragments: query.map { Array($0.utf8) },
            version: Array(version.utf8), fields: fields.map { .init(name: $0.key, value: Array($0.value.utf8)) })
    }

    private func status(_ head: ReceivedHead, _ limits: ServerLimits = ServerLimits()) -> Int {
        guard case .refused(let status, _) = head.judged(by: limits) else { return 200 }
        return status
    }

    private func length(_ head: ReceivedHead) -> Int? {
        guard case .accepted(_, let count, _, _) = head.judged(by: ServerLimits()) else { return nil }
        return count
    }

    @Test func `a plain request is accepted with its target, headers and body length`() {
        let head = head(.get, path: "/a b", query: ["c=d"], ["host": "a", "accept": "x"])
        guard case .accepted(let request, 0, false, false) = head.judged(by: ServerLimits()) else {
            Issue.record("it was refused")
            return
        }
        #expect(request.target.text == "/a%20b?c=d")
        #expect(request.headers["Accept"] == "x")
    }

    @Test func `unknown HTTP methods and versions are refused`() {
        #expect(status(head(nil)) == 501)
        for version in ["", "HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 x"] {
            #expect(status(head(version: version)) == 505)
        }
    }

    @Test func `a request with an invalid target is refused`() {
        for path in ["", "a", "/a\u{0}", "/a/../b"] { #expect(status(head(path: path)) == 400) }
        #expect(
            status(
                ReceivedHead(
                    method: .get, path: [0x2F, 0xFF], fragments: [], version: Array("HTTP/1.1".utf8), fields: []))
                == 400)
    }

    @Test func `a request must have exactly one Host, except in HTTP/1.0`() {
        #expect(status(head(.get, [:])) == 400)
        #expect(status(head(.get, ["host": "a", "host": "a"])) == 400)
        #expect(status(head(version: "HTTP/1.0", [:])) == 200)
        #expect(status(head(version: "HTTP/1.0", ["host": "a", "host": "b"])) == 400)
    }

    @Test func `request header values that are no text are refused`() {
        #expect(status(head(.get, ["host": "a", "cookie": "a\u{1}"])) == 400)
        let field = ReceivedHead.Field(name: "cookie", value: [0xC3])
        let text = head()
        let head = ReceivedHead(
            method: text.method, path: text.path, fragments: text.fragments, version: text.version,
            fields: text.fields + [field])
        #expect(status(head) == 400)
    }

    @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete, .head, .options])
    func `a request with any transfer coding is refused, also with a length beside it`(method: HTTPMethod) {
        #expect(status(head(method, ["host": "a", "transfer-encoding": "chunked"])) == 411)
        #expect(status(head(method, ["host": "a", "transfer-encoding": "identity", "content-length": "1"])) == 411)
        #expect(status(head(method, ["host": "a", "content-length": "0", "transfer-encoding": ""])) == 411)
    }

    @Test(
        .shows("W4"),
        arguments: ["", "+1", "-1", "1 ", " 1", "0x1", "1,1", "1e1", "٣", "9999999999999999999", "1\u{0}"])
    func `a content length that is not one decimal number is refused`(text: String) {
        #expect(status(head(.post, ["host": "a", "content-length": text])) == 400)
    }

    @Test(.shows("W4")) func `several content lengths are refused, equal ones too`() {
        #expect(status(head(.post, ["host": "a", "content-length": "1", "content-length": "1"])) == 400)
    }

    @Test func `a request body needs a length where bodies are allowed, and is refused elsewhere`() {
        for method in [HTTPMethod.post, .put, .patch] {
            #expect(status(head(method)) == 411)
            #expect(length(head(method, ["host": "a", "content-length": "7"])) == 7)
            #expect(length(head(method, ["host": "a", "content-length": "0"])) == 0)
        }
        for method in [HTTPMethod.get, .head, .delete, .options] {
            #expect(status(head(method, ["host": "a", "content-length": "1"])) == 400)
            #expect(length(head(method, ["host": "a", "content-length": "0"])) == 0)
        }
    }

    @Test func `a request body at the limit is accepted and one byte more refused`() {
        var limits = ServerLimits()
        limits.maximumBodyBytes = 10
        #expect(status(head(.post, ["host": "a", "content-length": "10"]), limits) == 200)
        #expect(status(head(.post, ["host": "a", "content-length": "11"]), limits) == 413)
    }

    @Test func `a request header at the limit is accepted and one byte more refused`() {
        var limits = ServerLimits()
        // host: a and its line end take 9 bytes, the path 1, the query with its mark 4.
        limits.maximumHeaderBytes = 14
        #expect(status(head(query: ["a=b"]), limits) == 200)
        #expect(status(head(query: ["a=bc"]), limits) == 431)
        #expect(status(head(path: "/c", query: ["a=b"]), limits) == 431)
        #expect(status(head(query: ["a=b"], ["host": "ab"]), limits) == 431)
    }

    @Test func `expectations other than 100-continue are refused`() {
        #expect(status(head(.post, ["host": "a", "content-length": "1", "expect": "tea"])) == 417)
        guard
            case .accepted(_, 1, _, true) = head(.post, ["host": "a", "content-length": "1", "expect": "100-Continue"])
                .judged(by: ServerLimits())
        else {
            Issue.record("the expectation is not seen")
            return
        }
    }

    @Test func `the connection closes after a request that asks for it, and after HTTP/1.0`() {
        func isLast(_ head: ReceivedHead) -> Bool? {
            guard case .accepted(_, _, let isLast, _) = head.judged(by: ServerLimits()) else { return nil }
            return isLast
        }
        #expect(isLast(head()) == false)
        #expect(isLast(head(.get, ["host": "a", "connection": "keep-alive, Close"])) == true)
        #expect(isLast(head(version: "HTTP/1.0")) == true)
    }
}
