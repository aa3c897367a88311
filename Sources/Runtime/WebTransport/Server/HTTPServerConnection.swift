import Determinism
import HTTP1
import WebAddressing

/// One connection of a server, from being accepted to its end.
final class HTTPServerConnection: EventLoopSocket, @unchecked Sendable {
    // Invariant: touched on the loop's thread alone.

    private enum Phase {
        /// A proxy names the source of its connection.
        case proxyHeader(ProxyHeaderReader)
        /// The TLS handshake is under way.
        case handshaking
        /// No byte of a request has come.
        case idle
        /// A part of a request has come.
        case receiving(PartialHTTPRequest)
        /// The handler is at work on a request of this method.
        case handling(HTTPMethod)
        /// The response is on its way; the WebSocket opens behind it where there is one.
        case answering(HTTPRouter.SocketMatch?)
        /// The last response was sent before the request was whole; bytes that still come are dropped.
        case lingering
        /// The connection has become a WebSocket.
        case socket(WebSocketEngine)
        /// The socket is closed.
        case ended
    }

    private let core: HTTPServerState
    /// The index of the loop, for counting.
    private let index: Int
    private var source: ConnectionSource
    private var tls: TLSContext?
    private var phase = Phase.idle
    /// Bytes that came behind the request that is being answered.
    private var unread: [UInt8] = []
    private var output: ArraySlice<UInt8> = []
    private var memory = ByteReservation()
    /// The bytes behind a last response.
    private var dropped = DroppedBytes()
    private var exchange = HTTPExchange()
    private var drainDeadline: MonotonicInstant?

    /// Makes a connection that has no socket yet and counts for the source `use`; nil is for a trusted proxy.
    init(
        core: HTTPServerState, loop: SocketEventLoop, index: Int, peer: SocketAddress,
        use: ServerConnectionCounts.SourceLease?
    ) {
        self.core = core
        self.index = index
        source = ConnectionSource(peer, use: use, proxies: core.configuration.proxies)
        super.init(loop: loop)
    }

    /// Takes an accepted socket over.
    func begin(_ descriptor: Int32, _ context: TLSContext?) {
        guard begin(StreamSocket(descriptor), .reading) else { return leave() }
        tls = context
        wait(core.limits.headerDeadline)
        if source.proxyMethod == .proxyProtocol { phase = .proxyHeader(ProxyHeaderReader()) } else { beginTLS() }
        if core.isDraining { end() }
    }

    private func beginTLS() {
        guard let tls, let socket else { return }
        self.tls = nil
        guard let session = try? TLSSession(server: tls, on: socket.descriptor) else { return end() }
        secure(by: session)
        phase = .handshaking
    }

    private func readProxyHeader(_ reader: ProxyHeaderReader) {
        var reader = reader
        while let needed = reader.needed {
            switch readPlain(atMost: needed) {
            case .nothing:
                phase = .proxyHeader(reader)
                return
            case .end, .failed: return end()
            case .bytes(let count):
                var bytes = loop.readBuffer.bytes(count)[...]
                switch reader.next(&bytes) {
                case .incomplete: continue
                case .malformed: return end()
                case .source(let address):
                    guard source.resolve(to: address, in: core.counts) else { return end() }
                    phase = .idle
                    return beginTLS()
                }
            }
        }
    }

    /// True when the connection has no whole request, or is a WebSocket that is being closed.
    var isWaiting: Bool {
        switch phase {
        case .proxyHeader, .handshaking, .idle, .receiving: true
        case .socket(let engine): engine.isClosing
        case .handling, .answering, .lingering, .ended: false
        }
    }

    /// True when the connection comes from the same source as an address.
    func isOf(_ address: IPAddress) -> Bool { source.peer.address.source == address.source }

    private var share: SourceByteBudget { source.use?.share ?? core.proxyShare }

    override func readable() {
        switch phase {
        case .proxyHeader(let reader): readProxyHeader(reader)
        case .handshaking: handshake()
        case .idle, .receiving: readRequest()
        case .lingering: drop()
        case .socket(let engine): engine.readable()
        case .handling, .answering, .ended: break
        }
    }

    override func writable() {
        switch phase {
        case .handshaking: handshake()
        case .receiving, .answering: writeOutput()
        case .socket(let engine): engine.writable()
        case .proxyHeader, .idle, .handling, .lingering, .ended: break
        }
    }

    override func expire() {
        if let drainDeadline, drainDeadline <= loop.now { return end() }
        switch phase {
        case .proxyHeader, .handshaking, .idle, .answering, .lingering: end()
        case .receiving(let reception):
            guard reception.request != nil else { return end() }
            answer(HTTPResponse(408, text: "The body did not come in time.\n"), isLast: true)
        case .handling:
            exchange.handler?.cancel()
            answer(HTTPResponse(503, text: "The answer is not ready in time.\n"), isLast: true)
        case .socket(let engine): engine.expire()
        case .ended: break
        }
    }

    override var socketEngine: WebSocketEngine? {
        if case .socket(let engine) = phase { return engine }
        return nil
    }

    override func ended() {
        exchange.handler?.cancel()
        if case .socket(let engine) = phase { engine.ended() }
        hold(0)
        if case .lingering = phase { core.counts.endLingering() } else { leave() }
        phase = .ended
    }

    /// Ends after the present request, at the latest at `instant`.
    func drain(until instant: MonotonicInstant) {
        drainDeadline = instant
        switch phase {
        case .proxyHeader, .handshaking, .idle: end(isOrderly: true)
        case .receiving, .handling, .answering:
            exchange.isLast = true
            if deadline.map({ $0 > instant }) ?? true { setDeadline(at: instant) }
        case .lingering, .ended: break
        case .socket(let engine): engine.drain(until: instant)
        }
    }

    private func leave() {
        source.leave(core.counts)
        core.counts.leave(loop: index)
    }

    /// Waits for an event, but never beyond the end of a drain.
    private func wait(_ duration: Duration) {
        let instant = loop.now + duration
        setDeadline(at: drainDeadline.map { min($0, instant) } ?? instant)
    }

    private func handshake() {
        switch socket?.tls?.handshake() {
        case .done:
            phase = .idle
            wait(for: .reading)
            readRequest()
        case .waitsForReading: wait(for: .reading)
        case .waitsForWriting: wait(for: [.reading, .writing])
        case .ended, .failed, nil: end()
        }
    }
}

/// The request that a connection serves at present, and the way in which the response ends it.
private struct HTTPExchange {
    /// The number of the request on its connection; 0 before the first.
    var number = 0
    /// True when the connection ends with the present response.
    var isLast = false
    /// True when the present response goes out before its request was whole.
    var isEarly = false
    var handler: Task<Void, Never>?
}

/// The bytes that a connection has reserved for a request or a response, and for unread bytes.
private struct ByteReservation {
    private var count = 0

    /// Changes the reservation; false, and nothing changes, when the share has no room.
    mutating func change(to count: Int, of share: SourceByteBudget) -> Bool {
        if count > self.count {
            guard share.take(count - self.count) else { return false }
        } else {
            share.give(self.count - count)
        }
        self.count = count
        return true
    }
}

/// A request of which a part has come.
final class PartialHTTPRequest {
    var reader: HTTPRequestReader
    /// The request without its body; nil before its header is whole.
    var request: HTTPRequest?
    /// The answer to a WebSocket's key, where the request asks for one.
    var accept: String?
    var body: [UInt8] = []
    /// True when the request is `OPTIONS *`, which asks about the server as a whole.
    var concernsServer = false

    init(_ limits: HTTPServerLimits) {
        var readerLimits = HTTPRequestReader.Limits()
        readerLimits.maximumHeaderBytes = limits.maximumHeaderBytes
        readerLimits.maximumBodyBytes = limits.maximumBodyBytes
        reader = HTTPRequestReader(limits: readerLimits)
    }
}

// Requests.
extension HTTPServerConnection {
    private func readRequest() {
        switch read() {
        case .bytes(let count):
            receive(loop.readBuffer.bytes(count))
            if socket?.holdsBytes == true { loop.readAgain(serial) }
        case .nothing: break
        case .end, .failed: end()
        }
    }

    private func receive(_ bytes: [UInt8]) {
        if case .idle = phase {
            if exchange.number > 0 { wait(core.limits.headerDeadline) }
            phase = .receiving(PartialHTTPRequest(core.limits))
        }
        var position = 0
        while case .receiving(let reception) = phase {
            switch reception.reader.next(in: bytes.span, from: &position) {
            case .needsMore:
                if !hold(reception.body.count) { answer(Self.noRoom, isLast: true) }
                return
            case .head(let head): take(head, reception, hasMore: position < bytes.count)
            case .body(let range):
                guard hold(reception.body.count + range.count) else { return answer(Self.noRoom, isLast: true) }
                reception.body += bytes[range]
            case .end: complete(reception, bytes[position...])
            case .refused(let fault): refuse(fault)
            }
        }
    }

    private func refuse(_ fault: HTTPReadFault) {
        var response = HTTPResponse(fault.status, text: fault.reason + "\n")
        if fault.status == 405 { response.headers["Allow"] = HTTPRequestPolicy.allMethods }
        answer(response, isLast: true)
    }

    private func take(_ head: HTTPRequestHead, _ reception: PartialHTTPRequest, hasMore: Bool) {
        exchange.number += 1
        exchange.isLast =
            head.isLast || core.isDraining || exchange.number >= core.limits.maximumRequestsPerConnection
        if head.target == "*" {
            reception.request = HTTPRequest(.options, .root)
            reception.concernsServer = true
            if !head.bodyLength.isEmpty { answer(HTTPResponse(400, text: "The method takes no body.\n"), isLast: true) }
            return
        }
        switch HTTPRequestPolicy.verdict(on: head) {
        case .refused(let response): answer(response, isLast: true)
        case .accepted(var request):
            request.isSecure = core.configuration.certificate != nil
            if source.proxyMethod == .forwarded, let refusal = takeForwarded(&request) {
                return answer(refusal, isLast: true)
            }
            request.peer = source.peer
            reception.request = request
            if head.asksForWebSocket { return takeUpgrade(head, reception) }
            guard !head.bodyLength.isEmpty else { return }
            wait(core.limits.bodyDeadline)
            guard head.expectsContinue, !hasMore else { return }
            output = HTTPHeadEncoder.continueResponse[...]
            writeOutput()
        }
    }

    /// Takes the source that a proxy names; the refusal when the source has too many connections or the field is
    /// malformed.
    ///
    /// A request without the field, or with a name in place of an address, counts for the proxy.
    private func takeForwarded(_ request: inout HTTPRequest) -> HTTPResponse? {
        let values = request.headers.values("forwarded")
        let forwarded = ForwardedField(values)
        if forwarded == nil, !values.isEmpty { return HTTPResponse(400, text: "The field Forwarded is malformed.\n") }
        request.isSecure = forwarded?.isSecure ?? request.isSecure
        // Nothing is held between a request's header and its body.
        return source.change(to: forwarded?.source, in: core.counts) ? nil : Self.tooMany
    }

    private func takeUpgrade(_ head: HTTPRequestHead, _ reception: PartialHTTPRequest) {
        switch WebSocketHandshake.judge(head) {
        case .accepted(let accept): reception.accept = accept
        case .malformed(let reason): answer(HTTPResponse(400, text: reason + "\n"), isLast: true)
        case .versionNotServed:
            var response = HTTPResponse(426, text: "Version 13 is spoken here.\n")
            response.headers["Sec-WebSocket-Version"] = "13"
            answer(response, isLast: true)
        }
    }

    /// Dispatches a request that is whole.
    private func complete(_ reception: PartialHTTPRequest, _ rest: ArraySlice<UInt8>) {
        guard var request = reception.request else { preconditionFailure("a request ends behind its header") }
        request.body = reception.body
        unread = Array(rest)
        phase = .handling(request.method)
        guard hold(request.body.count + unread.count) else { return answer(Self.noRoom, isLast: true) }
        if let accept = reception.accept { return openSocket(request, accept) }
        // Pipelined requests wait until this response is sent.
        wait(for: [])
        wait(core.limits.handlerDeadline)
        let router = core.router
        let loop = self.loop
        let number = exchange.number
        if reception.concernsServer {
            // Answered by an order, because the bytes behind this request are read after this function, not within it.
            return loop.post { [weak self] _ in self?.finish(number, HTTPRequestPolicy.serverOptions) }
        }
        exchange.handler = Task {
            let response = await router.respond(to: request)
            loop.post { [weak self] _ in self?.finish(number, response) }
        }
    }

    private func finish(_ number: Int, _ response: HTTPResponse) {
        guard case .handling = phase, number == exchange.number else { return }
        answer(response, isLast: exchange.isLast)
    }

    private func answer(_ response: HTTPResponse, isLast: Bool) {
        var method: HTTPMethod?
        exchange.isEarly = true
        if case .handling(let asked) = phase {
            method = asked
            exchange.isEarly = false
        }
        if case .receiving(let reception) = phase, reception.reader.isHead { method = .head }
        exchange.handler = nil
        exchange.isLast = isLast
        let date = loop.dateText()
        var bytes = HTTPResponseEncoding.message(response, to: method, date: date, isLast: isLast)
        if bytes == nil {
            exchange.isLast = true
            let sorry = HTTPResponse(500, text: "The answer cannot be sent.\n")
            bytes = HTTPResponseEncoding.message(sorry, to: method, date: date, isLast: true)
        }
        if !hold((bytes?.count ?? 0) + unread.count) {
            // This short response is sent without a reservation.
            exchange.isLast = true
            bytes = HTTPResponseEncoding.message(Self.noRoom, to: method, date: date, isLast: true)
            hold(0)
        }
        // An interim response may be on its way before it.
        output = output + (bytes ?? [])
        phase = .answering(nil)
        wait(core.limits.responseDeadline)
        writeOutput()
    }
}

// Memory.
extension HTTPServerConnection {
    private static var tooMany: HTTPResponse {
        var response = HTTPResponse(503, text: "There are too many connections.\n")
        response.headers["Retry-After"] = "5"
        return response
    }

    private static var noRoom: HTTPResponse {
        var response = HTTPResponse(503, text: "There is no room for this now.\n")
        response.headers["Retry-After"] = "5"
        return response
    }

    /// Changes the reservation to `count` bytes; false, and nothing changes, when the budget has no room.
    @discardableResult
    private func hold(_ count: Int) -> Bool {
        memory.change(to: count, of: share)
    }
}

// Writing.
extension HTTPServerConnection {
    private func writeOutput() {
        while let socket, !output.isEmpty {
            switch socket.write(output) {
            case .taken(let count): output = output.dropFirst(count)
            case .nothing: return wait(for: waitsFor.union(.writing))
            case .failed: return end()
            }
        }
        guard socket != nil else { return }
        output = []
        wait(for: waitsFor.subtracting(.writing))
        if case .answering(let match) = phase { answered(match) }
    }

    private func answered(_ match: HTTPRouter.SocketMatch?) {
        if let match { return becomeSocket(match) }
        hold(unread.count)
        guard exchange.isLast else { return nextRequest() }
        guard exchange.isEarly || !unread.isEmpty, core.counts.beginLingering() else { return end(isOrderly: true) }
        unread = []
        hold(0)
        leave()
        phase = .lingering
        socket?.stopSending()
        wait(core.limits.lingerDeadline)
        wait(for: .reading)
    }

    private func nextRequest() {
        phase = .idle
        wait(core.limits.idleDeadline)
        let rest = unread
        unread = []
        hold(0)
        wait(for: .reading)
        if !rest.isEmpty { receive(rest) }
    }

    private func drop() {
        switch read() {
        case .bytes(let count):
            if !dropped.add(count) { end() }
        case .nothing: break
        case .end, .failed: end()
        }
    }
}

// WebSockets.
extension HTTPServerConnection {
    private func openSocket(_ request: HTTPRequest, _ accept: String) {
        guard !core.isDraining else {
            return answer(HTTPResponse(503, text: "The server is about to end.\n"), isLast: true)
        }
        switch core.router.socketRoute(for: request) {
        case .failure(let refusal): answer(refusal.response, isLast: true)
        case .success(let match):
            phase = .answering(match)
            wait(core.limits.responseDeadline)
            output = HTTPResponseEncoding.upgrade(accept: accept, subprotocol: match.subprotocol)[...]
            writeOutput()
        }
    }

    private func becomeSocket(_ match: HTTPRouter.SocketMatch) {
        let rest = unread
        unread = []
        hold(0)
        let connection = WebSocketConnection(
            request: match.request, subprotocol: match.subprotocol, limits: match.limits, loop: loop, serial: serial,
            share: share)
        let engine = WebSocketEngine(
            connection: self, channel: connection.channel, limits: match.limits, role: .server)
        phase = .socket(engine)
        switch match.service {
        case .handler(let handle):
            exchange.handler = Task {
                await handle(connection)
                connection.close()
            }
        case .receiver(let make):
            if let receiver = make(connection) { connection.channel.give(to: receiver) }
        }
        engine.open(with: rest)
        if let drainDeadline { engine.drain(until: drainDeadline) }
    }
}
