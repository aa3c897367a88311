/// An open WebSocket, of a server or a client.
///
/// A server's is closed when its handler returns, a client's when the last reference to it is released.
public final class WebSocketConnection: Sendable {
    /// The HTTP request that opened the WebSocket.
    public let request: HTTPRequest

    /// The protocol that both sides agreed on, empty for none.
    public let subprotocol: String

    let channel: WebSocketQueues

    init(
        request: HTTPRequest, subprotocol: String, limits: WebSocketLimits, loop: SocketEventLoop, serial: UInt64,
        share: SourceByteBudget? = nil
    ) {
        self.request = request
        self.subprotocol = subprotocol
        channel = WebSocketQueues(limits: limits, share: share) { [weak loop] in
            loop?.post { loop in loop.socketEngine(of: serial)?.wake() }
        } resumeReading: { [weak loop] in
            loop?.post { loop in loop.socketEngine(of: serial)?.resumeReading() }
        }
    }

    deinit { channel.close(.goingAway, "") }

    /// The peer's messages, each whole; ends when the socket is closed in order.
    ///
    /// One reader at a time. Without a reader, what arrives waits up to the limits; then the socket is not read.
    ///
    /// - Throws: `web.socket.message-too-large`, `web.socket.violation`, `web.socket.silent`, `web.socket.closed`
    ///   (closed by the peer with a status that tells of a failure), `web.connection.lost`, `web.deadline`,
    ///   `web.service.stopped`.
    public var messages: WebSocketMessages { WebSocketMessages(channel: channel) }

    /// Puts a message into the queue, and waits while the queue is full.
    ///
    /// Its return does not mean that the peer has the message.
    ///
    /// - Throws: `web.send.too-large`; `web.socket.closed` and what `messages` throws; `CancellationError`.
    public func send(_ message: WebSocketMessage) async throws { try await channel.send(message) }

    /// Puts a message into the queue, and waits until the system has taken all of it.
    ///
    /// Then it precedes any close frame, and a peer that closes with a handshake and reads to the end has it. An error
    /// means that the peer does not have it whole, except `CancellationError`, after which that is unknown.
    ///
    /// - Throws: as `send`.
    public func handOver(_ message: WebSocketMessage) async throws {
        try await channel.send(message, waitsForSystem: true)
    }

    /// Puts a message into the queue unless it is full.
    ///
    /// - Returns: False where the queue is full or the socket closed; nothing is sent then.
    public func offer(_ message: WebSocketMessage) -> Bool { channel.offer(message) }

    /// Closes the socket after the messages that wait to be sent; the first call counts.
    ///
    /// - Parameter reason: For the peer's log; cut at 123 bytes.
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") { channel.close(code, reason) }

    /// True when the socket is closed or closing.
    public var isClosed: Bool { channel.ending != nil || channel.closeRequest != nil }

    /// The status that the first side to close gave; nil while the socket is open, without a status, and after a
    /// failure.
    public var closeCode: WebSocketCloseCode? {
        if case .closed(let code) = channel.ending { code } else { nil }
    }
}

/// The messages of a WebSocket, as they come.
public struct WebSocketMessages: AsyncSequence, Sendable {
    /// Takes them one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: WebSocketQueues

        /// The next message, nil at the end or when the task is cancelled.
        public mutating func next() async throws -> WebSocketMessage? { try await channel.next() }
    }

    let channel: WebSocketQueues

    /// Begins to take messages.
    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }
}
