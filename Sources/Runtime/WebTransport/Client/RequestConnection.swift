import Determinism

/// One connection of a client, for one request and its answer.
final class RequestConnection: ServiceConnection, @unchecked Sendable {
    // Invariant: touched on the service thread alone.

    private let request: HTTPRequest
    private let limits: ClientLimits
    private let exchange: PendingResult<HTTPResponse>
    private let isSecure: Bool
    private var sentBytes = 0
    private var response: HTTPResponse?
    private var expectedBytes: Int?
    private var hasEnded = false

    private init(
        _ request: HTTPRequest, _ target: ConnectionTarget, _ limits: ClientLimits,
        _ exchange: PendingResult<HTTPResponse>,
        _ loop: ServiceLoop
    ) {
        self.request = request
        self.limits = limits
        self.exchange = exchange
        isSecure = target.security != .none
        super.init(loop: loop)
    }

    /// Begins to connect and to send the request.
    static func begin(
        _ request: HTTPRequest, _ target: ConnectionTarget, _ limits: ClientLimits,
        _ exchange: PendingResult<HTTPResponse>,
        on loop: ServiceLoop
    ) {
        if exchange.isFinished { return }
        let connection = RequestConnection(request, target, limits, exchange, loop)
        exchange.serial = connection.serial
        let plan = ConnectPlan(
            target: target, path: request.target.text, method: request.method, origin: nil, protocols: [])
        do {
            try loop.connect(plan, for: connection)
            connection.setDeadline(after: limits.deadline)
        } catch { exchange.finish(.failure(error)) }
    }

    override func handle(_ event: ConnectionEvent) -> ConnectionVerdict {
        switch event {
        case .connectFailed(let words):
            let status = wsi?.responseStatus ?? 0
            fail(
                ConnectFailure.error(
                    words: words, status: status, isSecure: isSecure, certificateFault: certificateFault))
        case .writable: return writeBody()
        case .responseHead: return takeHead()
        case .responseReadable: return read()
        case .responsePiece(let bytes): return takePiece(bytes)
        case .responseEnd:
            hasEnded = true
            if !isChunked { complete() }
            return .close
        case .gone: end()
        case .acceptable, .requestHead, .upgradeAsked, .bodyPiece, .bodyEnd, .socketAnswered, .socketOpen, .socketPiece,
            .pong,
            .peerClose:
            break
        }
        return .proceed
    }

    override func extraHeaderLines() -> [UInt8] {
        if !request.body.isEmpty {
            wsi?.setBodyPending(true)
            wsi?.requestWritable()
        }
        return OutgoingRequest.headerLines(of: request)
    }

    override func expire() {
        fail(WebError(.deadline, "The answer was not whole when its deadline came."))
        wsi?.kill()
    }

    private func writeBody() -> ConnectionVerdict {
        guard let wsi, sentBytes < request.body.count else { return .proceed }
        let room = wsi.room
        guard room > 0 else {
            wsi.requestWritable()
            return .proceed
        }
        let end = min(sentBytes + room, request.body.count)
        let isWhole = end == request.body.count
        if isWhole { wsi.setBodyPending(false) }
        guard wsi.write(request.body[sentBytes..<end], .body(isLast: isWhole), with: loop.scratch) else {
            return .close
        }
        sentBytes = end
        if !isWhole { wsi.requestWritable() }
        return .proceed
    }

    private func takeHead() -> ConnectionVerdict {
        guard let wsi else { return .close }
        wsi.clearTimeout()
        var headers = HTTPHeaders()
        for field in wsi.fields(keeping: limits.keptHeaders) {
            headers.add(field.name, String(decoding: field.value, as: UTF8.self))
        }
        let status = wsi.responseStatus
        guard (200...599).contains(status) else {
            return fail(WebError(.responseMalformed, "The status of the answer is \(status)."))
        }
        guard headers.sizeBytes <= limits.maximumHeaderBytes else {
            return fail(WebError(.headerTooLarge, "The header of the response is larger than allowed."))
        }
        response = HTTPResponse(status, headers: headers)
        if request.method == .head || status == 204 || status == 304 {
            complete()
            return .close
        }
        return judgeLength(headers)
    }

    private func judgeLength(_ headers: HTTPHeaders) -> ConnectionVerdict {
        let codings = headers.values("transfer-encoding")
        guard codings.isEmpty else {
            let isPlain = codings.count == 1 && HTTPHeaders.isSame(codings[0], "chunked")
            if isPlain, headers.values("content-length").isEmpty { return .proceed }
            return fail(WebError(.responseMalformed, "The answer says in more than one way where it ends."))
        }
        let lengths = headers.values("content-length")
        guard let first = lengths.first else { return .proceed }
        guard lengths.allSatisfy({ $0 == first }), let length = ReceivedHead.length(first) else {
            return fail(WebError(.responseMalformed, "The length of the answer is no number."))
        }
        expectedBytes = length
        guard length <= limits.maximumBodyBytes else {
            return fail(WebError(.responseTooLarge, "The answer is larger than allowed."))
        }
        return .proceed
    }

    private var isChunked: Bool { response?.headers["transfer-encoding"] != nil }

    /// Reads what is there.
    ///
    /// The library reports the end of a connection like the last chunk; only then nothing was read.
    private func read() -> ConnectionVerdict {
        guard let wsi else { return .close }
        let (goesOn, hasRead) = wsi.readResponse(with: loop.scratch)
        if hasEnded, hasRead { complete() }
        return goesOn ? .proceed : .close
    }

    private func takePiece(_ bytes: [UInt8]) -> ConnectionVerdict {
        guard let count = response?.body.count, bytes.count <= limits.maximumBodyBytes - count else {
            return fail(WebError(.responseTooLarge, "The answer is larger than allowed."))
        }
        response?.body += bytes
        return .proceed
    }

    private func complete() {
        guard let response else { return }
        exchange.finish(.success(response))
    }

    @discardableResult private func fail(_ error: WebError) -> ConnectionVerdict {
        exchange.finish(.failure(error))
        return .close
    }

    private func end() {
        if let response, expectedBytes.map({ $0 == response.body.count }) ?? false {
            exchange.finish(.success(response))
        } else {
            exchange.finish(.failure(WebError(.connectionLost, "The connection ended before the answer was whole.")))
        }
    }
}
