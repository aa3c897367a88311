import Determinism

/// One connection of a server, from being accepted to its end.
final class ServerConnection: ServiceConnection, @unchecked Sendable {
    // Invariant: touched on the service thread alone.

    private enum Phase {
        /// No request, or a part of its header, has come.
        case idle
        /// The header has arrived, and `missing` bytes of the body are still to come.
        case body(HTTPRequest, missing: Int)
        /// The handler is at work on a request of that method.
        case handling(HTTPMethod)
        /// The answer is on its way; `outgoing` holds it.
        case answering
        /// The last response was sent; the library ends the connection.
        case ending
        /// It has become a WebSocket.
        case socket(SocketEngine)
    }

    let peer: SocketAddress

    private let core: ServerCore
    private var phase = Phase.idle
    private var body: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var sentBytes = 0
    private var isHeadSent = false
    /// The bytes reserved from the budget for the request or the response.
    private var heldBytes = 0
    /// Whether the connection ends with the present answer.
    private var isLast = false
    /// Whether the present answer goes out before its request was whole.
    private var isEarly = false
    /// A duplicate of the socket, which outlives the library's connection and lingers.
    private var lingering: Int32?
    private var owesContinue = false
    private var bodyEndCount = 0
    private var requestCount = 0
    private var drainDeadline: MonotonicInstant?
    private var handler: Task<Void, Never>?
    private var upgrade: Router.SocketMatch?

    init(core: ServerCore, peer: SocketAddress) {
        self.core = core
        self.peer = peer
        super.init(loop: core.loop)
    }

    /// The library has the connection.
    func begin() { wait(core.limits.headerDeadline) }

    override func handle(_ event: ConnectionEvent) -> ConnectionVerdict {
        switch event {
        case .gone:
            end()
            return .proceed
        case .requestHead: return takeHead()
        case .upgradeAsked(let name): return takeUpgrade(name)
        case .bodyPiece(let bytes): return takeBody(bytes)
        case .bodyEnd:
            return takeBodyEnd()
        case .writable: return writable()
        case .socketOpen: return openSocket()
        case .socketPiece, .pong, .peerClose:
            if case .socket(let engine) = phase { return engine.handle(event) }
            return .close
        case .acceptable, .connectFailed, .responseHead, .responseReadable, .responsePiece, .responseEnd,
            .socketAnswered:
            return .proceed
        }
    }

    override func expire() {
        switch phase {
        case .idle, .ending, .answering: wsi?.kill()
        case .body:
            answer(HTTPResponse(408, text: "The body did not come in time.\n"), isLast: true)
        case .handling:
            handler?.cancel()
            answer(HTTPResponse(503, text: "The answer is not ready in time.\n"), isLast: true)
        case .socket(let engine): engine.expire()
        }
        if let drainDeadline, drainDeadline <= loop.now { wsi?.kill() }
    }

    override var socketEngine: SocketEngine? {
        if case .socket(let engine) = phase { return engine }
        return nil
    }

    /// Ends after the present request, at the latest at `instant`.
    func drain(until instant: MonotonicInstant) {
        drainDeadline = instant
        switch phase {
        case .idle: wsi?.kill()
        case .body, .handling, .answering:
            isLast = true
            if deadline.map({ $0 > instant }) ?? true { setDeadline(at: instant) }
        case .ending: break
        case .socket(let engine): engine.drain(until: instant)
        }
    }

    /// Waits for something, but never beyond the end of a drain.
    private func wait(_ duration: Duration) {
        let instant = loop.now + duration
        setDeadline(at: drainDeadline.map { min($0, instant) } ?? instant)
    }

    private func end() {
        handler?.cancel()
        if case .socket(let engine) = phase { _ = engine.handle(.gone) }
        phase = .ending
        core.forget(self)
        hold(0)
        if let lingering { core.linger(lingering) }
        lingering = nil
    }
}

// Requests.
extension ServerConnection {
    private func takeHead() -> ConnectionVerdict {
        guard let wsi, case .idle = phase else { return .close }
        wsi.clearTimeout()
        requestCount += 1
        bodyEndCount = 0
        switch ReceivedHead(wsi, keeping: core.configuration.keptHeaders).judged(by: core.limits) {
        case .refused(let status, let reason):
            answer(HTTPResponse(status, text: reason + "\n"), isLast: true)
        case .accepted(var request, let bodyBytes, let asksForEnd, let expectsContinue):
            request.peer = peer
            request.isSecure = core.configuration.certificate != nil
            isLast = asksForEnd || core.isDraining || requestCount >= core.limits.maximumRequestsPerConnection
            guard bodyBytes > 0 else {
                dispatch(request)
                return .proceed
            }
            phase = .body(request, missing: bodyBytes)
            body = []
            wait(core.limits.bodyDeadline)
            if expectsContinue {
                owesContinue = true
                wsi.requestWritable()
            }
        }
        return .proceed
    }

    private func takeBody(_ bytes: [UInt8]) -> ConnectionVerdict {
        if bytes.isEmpty { return .proceed }
        guard case .body(let request, let missing) = phase else { return isAnswered ? writeAnswer() : .close }
        guard bytes.count <= missing else {
            answer(HTTPResponse(400, text: "The body is longer than it says.\n"), isLast: true)
            return .proceed
        }
        guard hold(heldBytes + bytes.count) else {
            answer(Self.noRoom, isLast: true)
            return .proceed
        }
        body += bytes
        phase = .body(request, missing: missing - bytes.count)
        guard missing == bytes.count else { return .proceed }
        wsi?.setReading(false)
        let number = requestCount
        loop.post { [weak self] _ in self?.dispatchWhole(number) }
        return .proceed
    }

    /// Whether an answer is on its way that ends the connection, whatever else comes.
    private var isAnswered: Bool {
        if case .answering = phase { return isLast }
        return false
    }

    /// The library misreads a body that follows another request without a pause: its first bytes are those of its own
    /// header, and its end is reported without end.
    ///
    /// So a body counts only when another event follows its end, and a repeated end closes the connection.
    private func takeBodyEnd() -> ConnectionVerdict {
        if isAnswered { return writeAnswer() }
        bodyEndCount += 1
        return bodyEndCount > 1 ? .close : .proceed
    }

    private func dispatchWhole(_ number: Int) {
        guard case .body(var request, missing: 0) = phase, number == requestCount, bodyEndCount <= 1 else { return }
        let ownHeader = Array("\(request.method.rawValue) /".utf8)
        if requestCount > 1, body.starts(with: ownHeader) {
            answer(HTTPResponse(400, text: "The body came too early.\n"), isLast: true)
            return
        }
        request.body = body
        body = []
        dispatch(request)
    }

    private func dispatch(_ request: HTTPRequest) {
        phase = .handling(request.method)
        // Pipelined requests wait until this response is sent.
        wsi?.setReading(false)
        wait(core.limits.handlerDeadline)
        let (router, loop, number) = (core.router, self.loop, requestCount)
        handler = Task {
            let response = await router.respond(to: request)
            loop.post { [weak self] _ in self?.finish(number, response) }
        }
    }

    private func finish(_ number: Int, _ response: HTTPResponse) {
        guard case .handling = phase, number == requestCount else { return }
        answer(response, isLast: isLast)
    }

    private func answer(_ response: HTTPResponse, isLast: Bool) {
        var method: HTTPMethod?
        if case .handling(let asked) = phase { method = asked }
        isEarly = method == nil
        handler = nil
        self.isLast = isLast
        let date = core.dateText()
        if let bytes = ResponseEncoding.message(response, to: method, date: date, isLast: isLast) {
            outgoing = bytes
        } else {
            self.isLast = true
            let sorry = HTTPResponse(500, text: "The answer cannot be sent.\n")
            outgoing = ResponseEncoding.message(sorry, to: method, date: date, isLast: true) ?? []
        }
        if !hold(outgoing.count) {
            // This short response is sent without a reservation.
            self.isLast = true
            outgoing = ResponseEncoding.message(Self.noRoom, to: method, date: date, isLast: true) ?? []
            hold(0)
        }
        sentBytes = 0
        body = []
        isHeadSent = false
        owesContinue = false
        phase = .answering
        wait(core.limits.responseDeadline)
        // The library reports no `writable` while it does not read.
        wsi?.setReading(true)
        wsi?.requestWritable()
    }
}

// Memory.
extension ServerConnection {
    private static var noRoom: HTTPResponse {
        var response = HTTPResponse(503, text: "There is no room for this now.\n")
        response.headers["Retry-After"] = "5"
        return response
    }

    /// Changes the reservation to `count` bytes; false, and nothing changes, when the budget has no room.
    @discardableResult
    private func hold(_ count: Int) -> Bool {
        if count > heldBytes {
            guard core.budget.take(count - heldBytes) else { return false }
        } else {
            core.budget.give(heldBytes - count)
        }
        heldBytes = count
        return true
    }
}

// Writing.
extension ServerConnection {
    private func writable() -> ConnectionVerdict {
        switch phase {
        case .socket(let engine): return engine.handle(.writable)
        case .body where owesContinue:
            owesContinue = false
            let line = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            return wsi?.write(line[...], .head, with: loop.scratch) == true ? .proceed : .close
        case .answering: return writeAnswer()
        case .idle, .body, .handling: return .proceed
        case .ending: return .close
        }
    }

    private func writeAnswer() -> ConnectionVerdict {
        guard let wsi else { return .close }
        let room = wsi.room
        guard room > 0 else {
            wsi.requestWritable()
            return .proceed
        }
        let end = min(sentBytes + room, outgoing.count)
        let isWhole = end == outgoing.count
        let kind: LibraryConnection.Kind = isHeadSent ? .body(isLast: isWhole) : .head
        guard wsi.write(outgoing[sentBytes..<end], kind, with: loop.scratch) else { return .close }
        isHeadSent = true
        sentBytes = end
        guard isWhole else {
            wsi.requestWritable()
            return .proceed
        }
        outgoing = []
        hold(0)
        if isLast {
            if isEarly, core.mayLinger { lingering = wsi.duplicateSocket() }
            phase = .ending
            wait(.seconds(5))
            return .close
        }
        phase = .idle
        wait(core.limits.idleDeadline)
        return wsi.completeTransaction() ? .proceed : .close
    }
}

// WebSockets.
extension ServerConnection {
    private func takeUpgrade(_ name: String) -> ConnectionVerdict {
        guard let wsi else { return .close }
        wsi.clearTimeout()
        requestCount += 1
        let head = ReceivedHead(wsi, keeping: core.configuration.keptHeaders)
        guard case .accepted(var request, 0, _, _) = head.judged(by: core.limits), name == "websocket" else {
            return refuseUpgrade(HTTPResponse(400, text: "The request to change the protocol is malformed.\n"))
        }
        request.peer = peer
        request.isSecure = core.configuration.certificate != nil
        guard !core.isDraining else { return refuseUpgrade(HTTPResponse(503, text: "The server is about to end.\n")) }
        switch core.router.socketRoute(for: request) {
        case .failure(let refusal): return refuseUpgrade(refusal.response)
        case .success(let match):
            upgrade = match
            return .proceed
        }
    }

    /// Responds at once: the library offers no later occasion before it closes.
    private func refuseUpgrade(_ response: HTTPResponse) -> ConnectionVerdict {
        phase = .ending
        let date = core.dateText()
        let bytes = ResponseEncoding.message(response, to: .get, date: date, isLast: true) ?? []
        _ = wsi?.write(bytes.prefix(LibraryConnection.pieceBytes), .head, with: loop.scratch)
        return .close
    }

    private func openSocket() -> ConnectionVerdict {
        guard let wsi, let upgrade else { return .close }
        let connection = WebSocketConnection(
            request: upgrade.request, subprotocol: wsi.subprotocol, limits: upgrade.limits, loop: loop, serial: serial,
            budget: core.budget)
        let engine = SocketEngine(connection: self, channel: connection.channel, limits: upgrade.limits)
        phase = .socket(engine)
        engine.open()
        if let drainDeadline { engine.drain(until: drainDeadline) }
        handler = Task {
            await upgrade.handler(connection)
            connection.close()
        }
        return .proceed
    }
}

extension ReceivedHead {
    /// Takes everything that the library parsed.
    init(_ wsi: LibraryConnection, keeping names: [String]) {
        let line = wsi.requestLine()
        // With a blank before the colon the library sees another name, where other servers see the same.
        let hidden = ["transfer-encoding", "content-length"].flatMap { name in
            ["\(name) :", "\(name)\t:", " \(name):", "\t\(name):"]
        }
        let disguised = hidden.compactMap { wsi.custom($0) }
        self.init(
            method: line?.method, path: line?.path ?? [], fragments: wsi.queryFragments(),
            version: wsi.requestVersion(),
            fields: wsi.fields(keeping: names).map { Field(name: $0.name, value: $0.value) }
                + disguised.map { Field(name: "transfer-encoding", value: $0) })
    }
}
