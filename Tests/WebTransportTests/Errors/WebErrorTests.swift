import Testing
import WebTransport

@Suite struct WebErrorTests {
    private let origins: [(WebError.Origin, [WebError.Code])] = [
        (
            .local,
            [
                .addressMalformed, .messageMalformed, .listenFailed, .tlsConfiguration, .sendTooLarge, .serviceStopped,
                .tooManyConnections,
            ]
        ),
        (
            .peer,
            [
                .tlsUntrusted, .tlsFailed, .connectFailed, .deadline, .connectionLost, .responseMalformed,
                .responseTooLarge, .headerTooLarge, .upgradeRefused, .socketClosed, .messageTooLarge, .socketViolation,
                .socketSilent,
            ]
        ),
    ]

    @Test func `every code has an origin`() {
        for (origin, codes) in origins {
            for code in codes { #expect(WebError(code, "").origin == origin) }
        }
        #expect(origins.map(\.1.count).reduce(0, +) == WebError.Code.allCases.count)
    }

    @Test func `errors are equal when their codes are`() {
        #expect(WebError(.deadline, "one") == WebError(.deadline, "two", wireCode: 3))
        #expect(WebError(.deadline, "one") != WebError(.connectFailed, "one"))
        #expect(Set([WebError(.deadline, "one"), WebError(.deadline, "two")]).count == 1)
        #expect("\(WebError(.deadline, "Late."))" == "web.deadline: Late.")
    }
}
