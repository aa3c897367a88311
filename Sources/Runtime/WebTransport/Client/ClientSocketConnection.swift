import Determinism

/// One WebSocket of a client, from the first step of its connection to its end.
final class ClientSocketConnection: ServiceConnection, @unchecked Sendable {
    // Invariant: touched on the service thread alone.

    private let opening: Opening
    private var engine: SocketEngine?
    private var subprotocol = ""

    private init(_ opening: Opening, _ loop: ServiceLoop) {
        self.opening = opening
        super.init(loop: loop)
    }

    /// Begins to connect and to open the WebSocket.
    static func begin(_ opening: Opening, deadline: Duration, on loop: ServiceLoop) {
        if opening.pending.isFinished { return }
        let connection = ClientSocketConnection(opening, loop)
        opening.pending.serial = connection.serial
        let plan = ConnectPlan(
            target: opening.target, path: opening.request.target.text, method: nil,
            origin: opening.request.headers["origin"], protocols: opening.protocols)
        do {
            try loop.connect(plan, for: connection)
            connection.setDeadline(after: deadline)
        } catch { opening.pending.finish(.failure(error)) }
    }

    override var socketEngine: SocketEngine? { engine }

    override func handle(_ event: ConnectionEvent) -> ConnectionVerdict {
        switch event {
        case .connectFailed(let words):
            let status = wsi?.responseStatus ?? 0
            let isSecure = opening.target.security != .none
            opening.pending.finish(
                .failure(
                    ConnectFailure.error(
                        words: words, status: status, isSecure: isSecure, certificateFault: certificateFault)))
        case .socketAnswered: subprotocol = wsi?.answeredSubprotocol ?? ""
        case .socketOpen: return open()
        case .gone:
            opening.pending.finish(
                .failure(WebError(.connectionLost, "The connection ended before the WebSocket was open.")))
            _ = engine?.handle(.gone)
        case .socketPiece, .pong, .peerClose, .writable: return engine?.handle(event) ?? .proceed
        case .acceptable, .requestHead, .upgradeAsked, .bodyPiece, .bodyEnd, .responseHead, .responseReadable,
            .responsePiece, .responseEnd:
            break
        }
        return .proceed
    }

    override func extraHeaderLines() -> [UInt8] { OutgoingRequest.headerLines(of: opening.request) }

    override func expire() {
        if let engine { return engine.expire() }
        opening.pending.finish(.failure(WebError(.deadline, "The WebSocket was not open when its deadline came.")))
        wsi?.kill()
    }

    private func open() -> ConnectionVerdict {
        guard !opening.pending.isFinished else { return .close }
        let connection = WebSocketConnection(
            request: opening.request, subprotocol: subprotocol, limits: opening.limits, loop: loop, serial: serial)
        let engine = SocketEngine(connection: self, channel: connection.channel, limits: opening.limits)
        self.engine = engine
        setDeadline(at: nil)
        engine.open()
        opening.pending.finish(.success(connection))
        return .proceed
    }
}
