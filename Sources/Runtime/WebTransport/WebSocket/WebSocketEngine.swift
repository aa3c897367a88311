import Determinism
import HTTP1

/// Drives the WebSocket protocol on one connection, for both sides, on the loop's thread.
final class WebSocketEngine {
    private enum Phase {
        /// Messages go both ways.
        case open
        /// Our close frame is due or sent, and the peer's has not come.
        case closing
        /// The peer's close frame came, or a rule was broken: nothing is read but dropped, and the connection ends when
        /// our close frame is sent.
        case ending
    }

    /// The most reads in a row before other connections are served.
    private static let readsInARow = 4

    private unowned let connection: EventLoopSocket
    private let channel: WebSocketQueues
    private let limits: WebSocketLimits
    private let role: WebSocketFrameReader.Role
    private var phase = Phase.open
    private var input: WebSocketInput
    private var output: WebSocketOutput
    private var timers: WebSocketTimers
    /// The reason for the end of the socket, while a message that was begun before is still being sent.
    private var delayedEnding: WebSocketQueues.SocketEndReason?

    init(
        connection: EventLoopSocket, channel: WebSocketQueues, limits: WebSocketLimits, role: WebSocketFrameReader.Role
    ) {
        self.connection = connection
        self.channel = channel
        self.limits = limits
        self.role = role
        input = WebSocketInput(role: role, limits: limits)
        output = WebSocketOutput(role: role)
        timers = WebSocketTimers(limits, at: connection.loop.now)
    }

    /// Begins the WebSocket after its handshake; `rest` are the bytes that came behind it.
    func open(with rest: [UInt8]) {
        connection.wait(for: .reading)
        setDeadline()
        if !rest.isEmpty { take(rest) }
        wake()
    }

    /// Wakes the engine, because a message or a close waits to be sent.
    func wake() {
        if output.isEmpty { timers.progressed(at: connection.loop.now) }
        if channel.closeRequest != nil { startClosing() }
        write()
        setDeadline()
    }

    /// Goes on with reading, because the reader has taken messages.
    func resumeReading() {
        guard input.isPaused else { return }
        let rest = input.resume()
        heard()
        if !rest.isEmpty { take(rest) }
        waitForEvents()
    }

    /// Begins to close the WebSocket as going away, because the server ends.
    func drain(until instant: MonotonicInstant) {
        channel.close(.goingAway, "The server ends.")
        startClosing()
        timers.close(by: instant)
        write()
        setDeadline()
    }

    /// True once either side has begun to close.
    var isClosing: Bool {
        if case .open = phase { return false }
        return true
    }

    /// Handles the end of the connection.
    func ended() {
        let lost = WebSocketQueues.SocketEndReason.failed(
            WebError(.connectionLost, "The connection ended without a close frame."))
        channel.finish(delayedEnding ?? lost)
        channel.forgo(input.reservedBytes)
        input.reservedBytes = 0
    }

    func expire() {
        let now = connection.loop.now
        if timers.isCloseOverdue(at: now) {
            return fail(WebError(.connectionLost, "The peer did not close in time."))
        }
        if hasUnsent, timers.isProgressOverdue(at: now) {
            guard isTaking else { return fail(WebError(.deadline, "The peer took nothing for too long.")) }
            timers.progressed(at: now)
        }
        if timers.isPongOverdue(at: now) {
            // The ping waits behind what a slow peer is still taking.
            guard isTaking else { return fail(WebError(.socketSilent, "The peer answered no ping.")) }
            timers.awaitPong(at: now)
        }
        if !isClosing, timers.isPingDue(at: now) {
            if input.isPaused {
                timers.postponePing(at: now)
            } else {
                output.owesPing = true
                timers.noteAcknowledged(acknowledgedBytes)
                timers.awaitPong(at: now)
                write()
            }
        }
        setDeadline()
    }

    private func fail(_ error: WebError) {
        channel.finish(.failed(error))
        connection.end()
    }
}

// Deadlines.
extension WebSocketEngine {
    private var acknowledgedBytes: UInt64 {
        connection.socket.map { TCPSocketCalls.takenBytes(of: $0.descriptor) } ?? 0
    }

    /// True when the peer has acknowledged bytes since the last check or since a ping became due.
    private var isTaking: Bool { timers.noteAcknowledged(acknowledgedBytes) }

    private var hasUnsent: Bool { !output.isEmpty || channel.unsentBytes > 0 }

    private func heard() {
        timers.heard(at: connection.loop.now)
        setDeadline()
    }

    private func setDeadline() {
        connection.setDeadline(at: timers.next(hasUnsent: hasUnsent, isOpen: !isClosing))
    }

    private func startClosing() {
        if case .open = phase { phase = .closing }
        timers.startClosing(at: connection.loop.now)
        if input.isPaused { resumeReading() }
        setDeadline()
    }
}

// Reading.
extension WebSocketEngine {
    func readable() {
        for _ in 0..<Self.readsInARow {
            guard !input.isPaused, connection.socket != nil else { return }
            switch connection.read() {
            case .bytes(let count):
                if case .ending = phase { drop(count) } else { take(connection.loop.readBuffer.bytes(count)) }
            case .nothing: return
            case .end, .failed: return connection.end()
            }
        }
        if connection.socket?.holdsBytes == true { connection.loop.readAgain(connection.serial) }
    }

    private func drop(_ count: Int) {
        if !input.dropped.add(count) { connection.end() }
    }

    private func take(_ bytes: [UInt8]) {
        heard()
        var position = 0
        while !input.isPaused {
            if case .ending = phase { return }
            switch input.reader.next(in: bytes.span, from: &position) {
            case .needsMore: return reserve(input.reader.heldBytes)
            case .text(let text):
                guard take(.text(text)) else { return }
            case .binary(let bytes):
                guard take(.binary(bytes)) else { return }
            case .ping(let payload):
                output.owedPong = payload
                write()
            case .pong: break
            case .close(let code, _): peerCloses(code)
            case .violation(let code, let reason):
                let isTooLarge = code == WebSocketCloseCode.tooLarge.rawValue
                let error = WebError(isTooLarge ? .messageTooLarge : .socketViolation, reason, wireCode: Int(code))
                refuse(WebSocketCloseCode(rawValue: code), error)
            }
        }
        input.unread = Array(bytes[position...])
        reserve(input.unread.count)
    }

    private func take(_ message: WebSocketMessage) -> Bool {
        reserve(message.sizeBytes)
        guard input.reservedBytes == message.sizeBytes else { return false }
        // The channel takes the reservation over.
        input.reservedBytes = 0
        if channel.deliver(message) {
            input.isPaused = true
            waitForEvents()
        }
        return true
    }

    /// Changes the reservation to `count` bytes; without room for them the socket is closed.
    private func reserve(_ count: Int) {
        if count <= input.reservedBytes {
            channel.forgo(input.reservedBytes - count)
        } else if !channel.reserve(count - input.reservedBytes) {
            return refuse(
                .tryAgainLater, WebError(.socketClosed, "There is no room for the peer's message now."))
        }
        input.reservedBytes = count
    }

    private func refuse(_ code: WebSocketCloseCode, _ error: WebError) {
        finish(.failed(error))
        output.oweClose(code.rawValue)
        end()
    }

    private func peerCloses(_ status: UInt16?) {
        let code = status.map { WebSocketCloseCode(rawValue: $0) }
        let isInOrder = code.map { $0 == .normal || $0 == .goingAway || $0.rawValue >= 3000 } ?? true
        let error = WebError(.socketClosed, "The peer closed the WebSocket.", wireCode: status.map { Int($0) })
        finish(isInOrder ? .closed(code) : .failed(error))
        if !output.owesClose { output.oweClose(status) }
        end()
    }

    /// Ends the channel, behind a message of which a part is sent: the peer will have that one whole.
    private func finish(_ ending: WebSocketQueues.SocketEndReason) {
        guard output.isWithinMessage else { return channel.finish(ending) }
        delayedEnding = delayedEnding ?? ending
    }

    /// Ends the connection when our close frame is sent.
    ///
    /// The server ends a connection first (RFC 6455 section 7.1.1).
    private func end() {
        startClosing()
        phase = .ending
        reserve(0)
        if output.hasSentClose, role == .server { return connection.end(isOrderly: true) }
        write()
        setDeadline()
    }
}

// Writing.
extension WebSocketEngine {
    func writable() {
        write()
        setDeadline()
    }

    /// Writes as much as the system takes.
    private func write() {
        while let socket = connection.socket {
            if output.isEmpty, !prepareFrame() { break }
            switch socket.write(output.bytes) {
            case .taken(let count):
                output.taken(count)
                timers.progressed(at: connection.loop.now)
                if output.isEmpty { frameSent() }
            case .nothing: return waitForEvents()
            case .failed: return connection.end()
            }
        }
        waitForEvents()
    }

    private func waitForEvents() {
        var interest: SocketPoller.Interest = input.isPaused ? [] : .reading
        if !output.isEmpty { interest.insert(.writing) }
        connection.wait(for: interest)
    }

    /// Encodes the next frame to be sent; false when there is none.
    private func prepareFrame() -> Bool {
        if output.hasSentClose { return false }
        if output.putOwedFrame() { return true }
        if let message = channel.firstUnsent() {
            timers.noteAcknowledged(acknowledgedBytes)
            output.put(message)
            return true
        }
        guard let request = channel.closeRequest else { return false }
        output.putClose(request.code.rawValue, reason: request.reason)
        return true
    }

    /// Handles a frame that the system has taken whole.
    private func frameSent() {
        switch output.frameSent() {
        case .control, .fragment: break
        case .message:
            channel.sent()
            if let delayedEnding { channel.finish(delayedEnding) }
        case .close:
            if case .ending = phase {
                // Bytes that the peer still sends are dropped, so that the close frame is not lost by a reset.
                connection.socket?.stopSending()
            } else {
                startClosing()
                if let request = channel.closeRequest { channel.finish(.closed(request.code)) }
                if role == .server { connection.socket?.stopSending() }
            }
        }
    }
}
