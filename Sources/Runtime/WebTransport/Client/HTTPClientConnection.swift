import Determinism
import HTTP1

/// One connection of a client, for one request and its response.
final class HTTPClientConnection: TCPClientConnection, @unchecked Sendable {
    // Invariant: touched on the loop's thread alone.

    private let request: HTTPRequest
    private let host: String
    private let limits: ClientRequestLimits
    private let exchange: PendingResult<HTTPResponse>
    private var reader: HTTPResponseReader
    private var response: HTTPResponse?

    private init(
        _ request: HTTPRequest, target: WebConnectionTarget, limits: ClientRequestLimits,
        exchange: PendingResult<HTTPResponse>, loop: SocketEventLoop
    ) {
        self.request = request
        self.limits = limits
        self.exchange = exchange
        host = target.hostField
        var readerLimits = HTTPResponseReader.Limits()
        readerLimits.maximumHeaderBytes = limits.maximumHeaderBytes
        readerLimits.maximumBodyBytes = limits.maximumBodyBytes
        reader = HTTPResponseReader(to: request.method == .head ? .head : .ordinary, limits: readerLimits)
        super.init(target, loop: loop)
    }

    /// Begins to connect and to send the request.
    static func begin(
        _ request: HTTPRequest, _ target: WebConnectionTarget, _ limits: ClientRequestLimits,
        _ exchange: PendingResult<HTTPResponse>, on loop: SocketEventLoop
    ) {
        if exchange.isFinished { return }
        let connection = HTTPClientConnection(request, target: target, limits: limits, exchange: exchange, loop: loop)
        exchange.serial = connection.serial
        do throws(WebError) {
            try connection.connect()
            connection.setDeadline(after: limits.deadline)
        } catch { exchange.finish(.failure(error)) }
    }

    override func opened() { write(HTTPRequestEncoding.message(request, host: host)) }

    override func receive(_ bytes: [UInt8]) {
        var position = 0
        while socket != nil {
            let event = reader.next(in: bytes.span, from: &position)
            if case .needsMore = event { return }
            take(event, bytes)
        }
    }

    override func peerEnded() { take(reader.endOfInput(), []) }

    private func take(_ event: HTTPResponseReader.Event, _ bytes: [UInt8]) {
        switch event {
        case .needsMore: break
        case .head(let head):
            response = HTTPResponse(head.status, headers: HTTPHeaders(head.fields))
        case .body(let range): response?.body += bytes[range]
        case .end: complete()
        case .refused(let fault): give(up: WebError(fault))
        }
    }

    override func expire() { give(up: WebError(.deadline, "The answer was not whole when its deadline came.")) }

    override func fail(_ error: WebError) { exchange.finish(.failure(error)) }

    override func ended() { fail(WebError(.connectionLost, "The connection ended before the answer was whole.")) }

    private func complete() {
        if let response { exchange.finish(.success(response)) }
        end(isOrderly: true)
    }

    private func give(up error: WebError) {
        fail(error)
        end()
    }
}

extension WebError {
    /// Makes the error for a response that is refused.
    init(_ fault: HTTPReadFault) {
        let code: Code =
            switch fault.cause {
            case .headerTooLarge, .requestLineTooLong: .headerTooLarge
            case .bodyTooLarge: .responseTooLarge
            case .truncated: .connectionLost
            case .malformed, .traceNotServed, .tunnelNotServed, .codingNotServed, .versionNotServed, .expectationNotMet:
                .responseMalformed
            }
        self.init(code, fault.reason)
    }
}
