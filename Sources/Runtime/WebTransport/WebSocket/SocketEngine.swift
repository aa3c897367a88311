import Determinism
import HTTP1

/// Drives the WebSocket protocol on one connection, for both sides, on the loop's thread.
final class SocketEngine {
    /// The kind of frame that is being sent, which decides the next step.
    private enum Sending {
        case control
        /// A frame of a message, not its last.
        case fragment
        /// The only or the last frame of a message.
        case message
        case close
    }

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
    /// The most bytes of a message in one frame; control frames go between the frames of a long message.
    private static let maximumSentFrameBytes = 1 << 16
    /// The most bytes that are dropped behind a close frame.
    private static let maximumDroppedBytes = 4 << 20

    private unowned let connection: ServiceConnection
    private let channel: SocketChannel
    private let limits: WebSocketLimits
    private let role: WebSocketFrameReader.Role
    private var reader: WebSocketFrameReader
    private var phase = Phase.open
    /// Bytes that came before reading was paused.
    private var unread: [UInt8] = []
    /// The bytes reserved for a message that is arriving, and for `unread`.
    private var comingBytes = 0
    private var lastHeard: MonotonicInstant
    private var lastProgress: MonotonicInstant
    private var pongDue: MonotonicInstant?
    /// The bytes that the peer had acknowledged at the last check.
    private var takenBytes: UInt64 = 0
    private var owesPing = false
    /// The payload of the peer's latest ping, if it is unanswered.
    private var owedPong: [UInt8]?
    /// The contents of our close frame, if it is due.
    private var owedClose: (code: UInt16?, reason: String)?
    private var isPaused = false
    private var closeDue: MonotonicInstant?
    private var output: ArraySlice<UInt8> = []
    private var sending = Sending.control
    /// The rest of a message of which some frames are sent; nil when no message is.
    private var remainder: ArraySlice<UInt8>?
    private var hasSentClose = false
    /// The reason for the end of the socket, while a message that was begun before is still being sent.
    private var delayedEnding: SocketChannel.SocketEndReason?
    private var droppedBytes = 0

    init(
        connection: ServiceConnection, channel: SocketChannel, limits: WebSocketLimits, role: WebSocketFrameReader.Role
    ) {
        self.connection = connection
        self.channel = channel
        self.limits = limits
        self.role = role
        var readerLimits = WebSocketFrameReader.Limits()
        readerLimits.maximumFrameBytes = limits.maximumFrameBytes
        readerLimits.maximumMessageBytes = limits.maximumMessageBytes
        reader = WebSocketFrameReader(role: role, limits: readerLimits)
        lastHeard = connection.loop.now
        lastProgress = lastHeard
    }

    /// The handshake is done; `rest` came behind it.
    func open(with rest: [UInt8]) {
        connection.wait(for: .reading)
        setDeadline()
        if !rest.isEmpty { take(rest) }
        wake()
    }

    /// Wakes the engine, because a message or a close waits to be sent.
    func wake() {
        if output.isEmpty { lastProgress = connection.loop.now }
        if channel.closeRequest != nil { startClosing() }
        write()
        setDeadline()
    }

    /// Messages were read, so that others may come.
    func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        heard()
        let rest = unread
        unread = []
        if !rest.isEmpty { take(rest) }
        waitForEvents()
    }

    /// Begins to close the WebSocket as going away, because the server ends.
    func drain(until instant: MonotonicInstant) {
        channel.close(.goingAway, "The server ends.")
        startClosing()
        closeDue = min(closeDue ?? instant, instant)
        write()
        setDeadline()
    }

    /// True once either side has begun to close.
    var isClosing: Bool {
        if case .open = phase { return false }
        return true
    }

    /// The connection has ended.
    func ended() {
        let lost = SocketChannel.SocketEndReason.failed(
            WebError(.connectionLost, "The connection ended without a close frame."))
        channel.finish(delayedEnding ?? lost)
        channel.forgo(comingBytes)
        comingBytes = 0
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
        if let interval = limits.pingInterval, lastHeard + interval <= now, pongDue == nil, case .open = phase {
            if isPaused {
                lastHeard = now
            } else {
                owesPing = true
                takenBytes = acknowledgedBytes
                pongDue = now + limits.pongDeadline
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
extension SocketEngine {
    private var acknowledgedBytes: UInt64 { connection.socket.map { Sockets.takenBytes(of: $0.descriptor) } ?? 0 }

    /// True when the peer has acknowledged bytes since the last check or since a ping became due.
    private var isTaking: Bool {
        let before = takenBytes
        takenBytes = acknowledgedBytes
        return takenBytes > before
    }

    private var hasUnsent: Bool { !output.isEmpty || channel.unsentBytes > 0 }

    private func heard() {
        lastHeard = connection.loop.now
        pongDue = nil
        setDeadline()
    }

    private func setDeadline() {
        var earliest = closeDue
        func consider(_ instant: MonotonicInstant) { earliest = earliest.map { min($0, instant) } ?? instant }
        if hasUnsent { consider(lastProgress + limits.sendDeadline) }
        if let interval = limits.pingInterval, case .open = phase { consider(pongDue ?? lastHeard + interval) }
        connection.setDeadline(at: earliest)
    }

    private func startClosing() {
        if case .open = phase { phase = .closing }
        pongDue = nil
        closeDue = closeDue ?? connection.loop.now + limits.closeDeadline
        if isPaused { resumeReading() }
        setDeadline()
    }
}

// Reading.
extension SocketEngine {
    func readable() {
        for _ in 0..<Self.readsInARow {
            guard !isPaused, connection.socket != nil else { return }
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
        droppedBytes += count
        if droppedBytes > Self.maximumDroppedBytes { connection.end() }
    }

    private func take(_ bytes: [UInt8]) {
        heard()
        var position = 0
        while !isPaused {
            if case .ending = phase { return }
            switch reader.next(in: bytes.span, from: &position) {
            case .needsMore: return reserve(reader.heldBytes)
            case .text(let text):
                guard take(.text(text)) else { return }
            case .binary(let bytes):
                guard take(.binary(bytes)) else { return }
            case .ping(let payload):
                owedPong = payload
                write()
            case .pong: break
            case .close(let code, _): peerCloses(code)
            case .violation(let code, let reason):
                let isTooLarge = code == WebSocketCloseCode.tooLarge.rawValue
                let error = WebError(isTooLarge ? .messageTooLarge : .socketViolation, reason, wireCode: Int(code))
                refuse(WebSocketCloseCode(rawValue: code), error)
            }
        }
        unread = Array(bytes[position...])
        reserve(unread.count)
    }

    private func take(_ message: WebSocketMessage) -> Bool {
        reserve(message.sizeBytes)
        guard comingBytes == message.sizeBytes else { return false }
        // The channel takes the reservation over.
        comingBytes = 0
        if channel.deliver(message) {
            isPaused = true
            waitForEvents()
        }
        return true
    }

    /// Changes the reservation to `count` bytes; without room for them the socket is closed.
    private func reserve(_ count: Int) {
        if count <= comingBytes {
            channel.forgo(comingBytes - count)
        } else if !channel.reserve(count - comingBytes) {
            return refuse(
                .tryAgainLater, WebError(.socketClosed, "There is no room for the peer's message now."))
        }
        comingBytes = count
    }

    private func refuse(_ code: WebSocketCloseCode, _ error: WebError) {
        finish(.failed(error))
        if !hasSentClose { owedClose = (code.rawValue, "") }
        end()
    }

    private func peerCloses(_ status: UInt16?) {
        let code = status.map { WebSocketCloseCode(rawValue: $0) }
        let isInOrder = code.map { $0 == .normal || $0 == .goingAway || $0.rawValue >= 3000 } ?? true
        let error = WebError(.socketClosed, "The peer closed the WebSocket.", wireCode: status.map { Int($0) })
        finish(isInOrder ? .closed(code) : .failed(error))
        if !hasSentClose, owedClose == nil { owedClose = (status, "") }
        end()
    }

    /// Ends the channel, behind a message of which a part is sent: the peer will have that one whole.
    private func finish(_ ending: SocketChannel.SocketEndReason) {
        guard isWithinMessage else { return channel.finish(ending) }
        delayedEnding = delayedEnding ?? ending
    }

    private var isWithinMessage: Bool {
        switch sending {
        case .control, .close: remainder != nil
        case .fragment: true
        case .message: !output.isEmpty
        }
    }

    /// Ends the connection when our close frame is sent.
    ///
    /// The server ends a connection first (RFC 6455 section 7.1.1).
    private func end() {
        startClosing()
        phase = .ending
        reserve(0)
        if hasSentClose, role == .server { return connection.end(isOrderly: true) }
        write()
        setDeadline()
    }
}

// Writing.
extension SocketEngine {
    func writable() {
        write()
        setDeadline()
    }

    /// Writes as much as the system takes.
    private func write() {
        while let socket = connection.socket {
            if output.isEmpty, !prepareFrame() { break }
            switch socket.write(output) {
            case .taken(let count):
                output = output.dropFirst(count)
                lastProgress = connection.loop.now
                if output.isEmpty { frameSent() }
            case .nothing: return waitForEvents()
            case .failed: return connection.end()
            }
        }
        waitForEvents()
    }

    private func waitForEvents() {
        var interest: Poller.Interest = isPaused ? [] : .reading
        if !output.isEmpty { interest.insert(.writing) }
        connection.wait(for: interest)
    }

    /// Encodes the next frame to be sent; false when there is none.
    private func prepareFrame() -> Bool {
        if hasSentClose { return false }
        if let owedClose, remainder == nil {
            self.owedClose = nil
            return put(.close, .close, WebSocketFrameWriter.closePayload(owedClose.code, reason: owedClose.reason))
        }
        if let payload = owedPong {
            owedPong = nil
            return put(.control, .pong, payload)
        }
        if owesPing {
            owesPing = false
            return put(.control, .ping, [])
        }
        if let remainder { return putFragment(.continuation, remainder) }
        if let message = channel.firstUnsent() {
            takenBytes = acknowledgedBytes
            let isLong = message.sizeBytes > Self.maximumSentFrameBytes
            switch message {
            case .text(let text):
                return isLong ? putFragment(.text, Array(text.utf8)[...]) : put(.message, .text, text.utf8)
            case .binary(let bytes): return isLong ? putFragment(.binary, bytes[...]) : put(.message, .binary, bytes)
            }
        }
        guard let request = channel.closeRequest else { return false }
        return put(.close, .close, WebSocketFrameWriter.closePayload(request.code.rawValue, reason: request.reason))
    }

    /// Puts the first bytes of the rest of a message into a frame (RFC 6455 section 5.4).
    private func putFragment(_ opcode: WebSocketOpcode, _ rest: ArraySlice<UInt8>) -> Bool {
        let isFinal = rest.count <= Self.maximumSentFrameBytes
        remainder = isFinal ? nil : rest.dropFirst(Self.maximumSentFrameBytes)
        return put(isFinal ? .message : .fragment, opcode, rest.prefix(Self.maximumSentFrameBytes))
    }

    /// A client masks with four random bytes, a server not at all (RFC 6455 section 5.3).
    private func put(_ kind: Sending, _ opcode: WebSocketOpcode, _ payload: some Collection<UInt8>) -> Bool {
        sending = kind
        var isFinal = true
        if case .fragment = kind { isFinal = false }
        let mask = role == .client ? UInt32.random(in: .min ... .max) : nil
        output = WebSocketFrameWriter.frame(opcode, isFinal: isFinal, payload, mask: mask)[...]
        return true
    }

    /// The system has taken all of a frame.
    private func frameSent() {
        output = []
        switch sending {
        case .control, .fragment: break
        case .message:
            channel.sent()
            if let delayedEnding { channel.finish(delayedEnding) }
        case .close:
            hasSentClose = true
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
