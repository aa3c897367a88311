import Testing
import WebTransport

@Suite struct WebErrorTests {
    @Test func `web errors are equal when their codes are`() {
        #expect(WebError(.deadline, "one") == WebError(.deadline, "two", wireCode: 3))
        #expect(WebError(.deadline, "one") != WebError(.connectFailed, "one"))
        #expect(Set([WebError(.deadline, "one"), WebError(.deadline, "two")]).count == 1)
        #expect("\(WebError(.deadline, "Late."))" == "web.deadline: Late.")
    }
}
