import Determinism

/// The WebSocket protocol above the library's frames, on the service thread, for both sides.
final class SocketEngine {
    private unowned let connection: ServiceConnection
    private let channel: SocketChannel
    private let limits: WebSocketLimits
    private var assembler: MessageAssembler
    /// The bytes reserved for the message that is arriving.
    private var comingBytes = 0
    private var lastHeard: MonotonicInstant
    private var lastProgress: MonotonicInstant
    private var pongDue: MonotonicInstant?
    /// The bytes that the peer had acknowledged at the last check.
    private var takenBytes: UInt64 = 0
    private var owesPing = false
    private var isPaused = false
    /// Whether the library buffers bytes, so that reading is off.
    private var isStalled = false
    /// Whether the library has all of `current`.
    private var isWritten = false
    private var isClosing = false
    private var closeDue: MonotonicInstant?
    /// The message that is being sent; its text or binary kind decides the opcode.
    private var current: (bytes: [UInt8], isText: Bool)?
    private var sentBytes = 0

    init(connection: ServiceConnection, channel: SocketChannel, limits: WebSocketLimits) {
        self.connection = connection
        self.channel = channel
        self.limits = limits
        assembler = MessageAssembler(limits: limits)
        lastHeard = connection.loop.now
        lastProgress = lastHeard
    }

    /// The handshake is done.
    func open() {
        connection.wsi?.clearTimeout()
        wake()
    }

    func handle(_ event: ConnectionEvent) -> ConnectionVerdict {
        switch event {
        case .socketPiece(let bytes, let position): return take(bytes, position)
        case .pong: heard()
        case .writable: return write()
        case .peerClose(let status, _): peerCloses(status)
        case .gone:
            channel.finish(.failed(WebError(.connectionLost, "The connection ended without a close frame.")))
            channel.forgo(comingBytes)
            comingBytes = 0
        case .acceptable, .requestHead, .upgradeAsked, .bodyPiece, .bodyEnd, .connectFailed, .responseHead,
            .responseReadable, .responsePiece, .responseEnd, .socketAnswered, .socketOpen:
            break
        }
        return .proceed
    }

    /// There is something to send, or to close.
    func wake() {
        if channel.firstUnsent() != nil || channel.closeRequest != nil {
            if current == nil { lastProgress = connection.loop.now }
            connection.wsi?.requestWritable()
        }
        if channel.closeRequest != nil { startClosing() }
        setDeadline()
    }

    /// Messages were read, so that others may come.
    func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        heard()
        connection.wsi?.setReading(true)
    }

    /// Begins to close the WebSocket as going away, because the server ends.
    func drain(until instant: MonotonicInstant) {
        channel.close(.goingAway, "The server ends.")
        startClosing()
        closeDue = min(closeDue ?? instant, instant)
        connection.wsi?.requestWritable()
        setDeadline()
    }

    func expire() {
        let now = connection.loop.now
        if let closeDue, closeDue <= now { return fail(WebError(.connectionLost, "The peer did not close in time.")) }
        if hasUnsent, lastProgress + limits.sendDeadline <= now {
            guard isTaking else { return fail(WebError(.deadline, "The peer took nothing for too long.")) }
            lastProgress = now
        }
        if let due = pongDue, due <= now {
            // The ping waits behind what a slow peer is still taking.
            guard isTaking else { return fail(WebError(.socketSilent, "The peer answered no ping.")) }
            pongDue = now + limits.pongDeadline
        }
        if let interval = limits.pingInterval, lastHeard + interval <= now, pongDue == nil, !isClosing {
            if isPaused {
                lastHeard = now
            } else {
                owesPing = true
                takenBytes = connection.wsi?.takenBytes ?? 0
                pongDue = now + limits.pongDeadline
                connection.wsi?.requestWritable()
            }
        }
        setDeadline()
    }

    /// Whether the peer has acknowledged bytes since the last check, or a ping became due.
    private var isTaking: Bool {
        let before = takenBytes
        takenBytes = connection.wsi?.takenBytes ?? 0
        return takenBytes > before
    }

    private var hasUnsent: Bool { current != nil || channel.unsentBytes > 0 }

    private func heard() {
        lastHeard = connection.loop.now
        pongDue = nil
        setDeadline()
    }

    private func setDeadline() {
        var instants: [MonotonicInstant] = []
        if let closeDue { instants.append(closeDue) }
        if hasUnsent { instants.append(lastProgress + limits.sendDeadline) }
        if !isClosing, let interval = limits.pingInterval { instants.append(pongDue ?? lastHeard + interval) }
        connection.setDeadline(at: instants.min())
    }

    private func take(_ bytes: [UInt8], _ position: FramePosition) -> ConnectionVerdict {
        heard()
        guard channel.reserve(bytes.count) else {
            return refuse(.tryAgainLater, WebError(.socketClosed, "There is no room for the peer's message now."))
        }
        comingBytes += bytes.count
        switch assembler.take(bytes, position) {
        case .incomplete: return .proceed
        case .message(let message):
            comingBytes = 0
            if channel.deliver(message) {
                isPaused = true
                connection.wsi?.setReading(false)
            }
            return .proceed
        case .violation(let status, let code):
            let reason = code == .messageTooLarge ? "The peer's message is too large." : "The peer broke a rule."
            return refuse(status, WebError(code, reason, wireCode: Int(status.rawValue)))
        }
    }

    private func refuse(_ status: WebSocketCloseCode, _ error: WebError) -> ConnectionVerdict {
        channel.finish(.failed(error))
        connection.wsi?.setCloseReason(status.rawValue, [])
        startClosing()
        return .close
    }

    private func write() -> ConnectionVerdict {
        guard let wsi = connection.wsi else { return .close }
        if isStalled {
            isStalled = false
            wsi.setReading(!isPaused)
            if isWritten { completed() }
        }
        if owesPing {
            owesPing = false
            guard wsi.write([], .ping, with: connection.loop.scratch) else { return .close }
            wsi.requestWritable()
            return .proceed
        }
        if current == nil, let message = channel.firstUnsent() { begin(message) }
        if let current { return write(current.bytes, isText: current.isText, to: wsi) }
        guard let request = channel.closeRequest else { return .proceed }
        startClosing()
        channel.finish(.closed(request.code))
        wsi.setCloseReason(request.code.rawValue, request.reason)
        return .close
    }

    private func begin(_ message: WebSocketMessage) {
        (sentBytes, isWritten) = (0, false)
        takenBytes = connection.wsi?.takenBytes ?? 0
        switch message {
        case .text(let text): current = (Array(text.utf8), true)
        case .binary(let bytes): current = (bytes, false)
        }
    }

    private func write(_ bytes: [UInt8], isText: Bool, to wsi: LibraryConnection) -> ConnectionVerdict {
        let room = wsi.room
        guard room > 0 else {
            wsi.requestWritable()
            return .proceed
        }
        let end = min(sentBytes + room, bytes.count)
        let kind = LibraryConnection.Kind.frame(isText: isText, isFirst: sentBytes == 0, isLast: end == bytes.count)
        guard wsi.write(bytes[sentBytes..<end], kind, with: connection.loop.scratch) else { return .close }
        sentBytes = end
        lastProgress = connection.loop.now
        isStalled = wsi.keepsSomething
        isWritten = end == bytes.count
        if isWritten, !isStalled { completed() }
        if channel.firstUnsent() != nil || channel.closeRequest != nil { wsi.requestWritable() }
        setDeadline()
        return .proceed
    }

    /// Called when the system has taken all of the present message.
    private func completed() {
        (current, isWritten) = (nil, false)
        channel.sent()
    }

    private func peerCloses(_ status: UInt16?) {
        let code = status.map { WebSocketCloseCode(rawValue: $0) }
        let isInOrder = code.map { $0 == .normal || $0 == .goingAway || $0.rawValue >= 3000 } ?? true
        let error = WebError(.socketClosed, "The peer closed the WebSocket.", wireCode: status.map { Int($0) })
        channel.finish(isInOrder ? .closed(code) : .failed(error))
        startClosing()
    }

    private func startClosing() {
        isClosing = true
        pongDue = nil
        closeDue = closeDue ?? connection.loop.now + limits.closeDeadline
        if isPaused {
            isPaused = false
            connection.wsi?.setReading(true)
        }
        setDeadline()
    }

    private func fail(_ error: WebError) {
        channel.finish(.failed(error))
        connection.wsi?.kill()
    }
}
