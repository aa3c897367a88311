import Determinism
import HTTP1

/// One WebSocket of a client, from the first step of its connection to its end.
final class WebSocketClientConnection: TCPClientConnection, @unchecked Sendable {
    // Invariant: touched on the loop's thread alone.

    private let opening: WebSocketOpening
    private let key: String
    private var reader = HTTPResponseReader(to: .upgrade)
    private var engine: WebSocketEngine?

    private init(_ opening: WebSocketOpening, _ loop: SocketEventLoop) {
        self.opening = opening
        key = WebSocketHandshake.key((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        super.init(opening.target, loop: loop)
    }

    /// Begins to connect and to open the WebSocket.
    static func begin(_ opening: WebSocketOpening, deadline: Duration, on loop: SocketEventLoop) {
        if opening.pending.isFinished { return }
        let connection = WebSocketClientConnection(opening, loop)
        opening.pending.serial = connection.serial
        do throws(WebError) {
            try connection.connect()
            connection.setDeadline(after: deadline)
        } catch { opening.pending.finish(.failure(error)) }
    }

    override var socketEngine: WebSocketEngine? { engine }

    override func opened() {
        write(
            HTTPRequestEncoding.upgrade(
                opening.request, host: opening.target.hostField, key: key, protocols: opening.protocols))
    }

    override func readable() {
        if let engine { engine.readable() } else { super.readable() }
    }

    override func writable() {
        if let engine { engine.writable() } else { super.writable() }
    }

    override func receive(_ bytes: [UInt8]) {
        var position = 0
        switch reader.next(in: bytes.span, from: &position) {
        case .needsMore: break
        case .head(let head): take(head, Array(bytes[position...]))
        case .refused(let fault): give(up: WebError(fault))
        case .body, .end: give(up: WebError(.responseMalformed, "The answer has a body before its header."))
        }
    }

    override func expire() {
        if let engine { return engine.expire() }
        give(up: WebError(.deadline, "The WebSocket was not open when its deadline came."))
    }

    override func fail(_ error: WebError) { opening.pending.finish(.failure(error)) }

    override func ended() {
        fail(WebError(.connectionLost, "The connection ended before the WebSocket was open."))
        engine?.ended()
    }

    private func take(_ head: HTTPResponseHead, _ rest: [UInt8]) {
        guard head.status == 101 else {
            return give(
                up: WebError(.upgradeRefused, "The server answered with \(head.status).", wireCode: head.status))
        }
        if let fault = WebSocketHandshake.fault(of: head, key: key, protocols: opening.protocols) {
            return give(up: WebError(.responseMalformed, fault))
        }
        let subprotocol = head.fields.onlyValue(of: "sec-websocket-protocol") ?? ""
        guard !opening.pending.isFinished else { return end() }
        let connection = WebSocketConnection(
            request: opening.request, subprotocol: subprotocol, limits: opening.limits, loop: loop, serial: serial)
        let engine = WebSocketEngine(
            connection: self, channel: connection.channel, limits: opening.limits, role: .client)
        self.engine = engine
        setDeadline(at: nil)
        opening.pending.finish(.success(connection))
        engine.open(with: rest)
    }

    private func give(up error: WebError) {
        fail(error)
        end()
    }
}
