import Determinism
import WebAddressing

/// Handles the events and the deadline of one connection or listening socket, on the thread of its loop.
class EventLoopSocket: @unchecked Sendable {
    // Invariant: everything but `serial` and `loop`, which never change, is touched on the loop's thread alone.

    /// Identifies the connection among those of its loop.
    let serial: UInt64

    /// The event loop that runs this socket connection.
    unowned let loop: SocketEventLoop

    /// The socket; nil before it exists, and after the end.
    private(set) var socket: StreamSocket?

    /// The address that a client's connection goes to, while it counts towards the limits of open connections.
    var outgoingAddress: IPAddress?

    /// The instant at which `expire` is called; nil for never.
    private(set) var deadline: MonotonicInstant?

    /// The instant of the entry in the loop's queue of deadlines, if any; never later than `deadline`.
    var scheduled: MonotonicInstant?

    private var interest: SocketPoller.Interest = []

    init(loop: SocketEventLoop) {
        self.loop = loop
        serial = loop.nextSerial()
    }

    /// Handles a socket with bytes, with a client to accept, or with the end of the peer's bytes.
    func readable() {}

    /// Handles a socket that has room for bytes.
    func writable() {}

    /// Handles a connection that failed, or that ended in both directions.
    func hungUp() { end() }

    /// Handles the deadline that has passed; ends the connection by default.
    func expire() { end() }

    /// Releases what the connection used; called once, after its socket was closed.
    func ended() {}

    /// The WebSocket that the connection has become, if it has.
    var socketEngine: WebSocketEngine? { nil }

    /// Takes a socket over, and waits for `interest`; false, and the socket is closed, when the system has no room.
    final func begin(_ socket: StreamSocket, _ interest: SocketPoller.Interest) -> Bool {
        guard loop.add(self, socket.descriptor, interest) else {
            socket.close()
            return false
        }
        self.socket = socket
        self.interest = interest
        return true
    }

    /// Puts a TLS session between the connection and its socket.
    final func secure(by tls: TLSSession) { socket?.tls = tls }

    /// Changes the events to wait for on the socket.
    final func wait(for interest: SocketPoller.Interest) {
        guard let socket, interest != self.interest else { return }
        if interest.contains(.reading), !self.interest.contains(.reading), socket.holdsBytes { loop.readAgain(serial) }
        self.interest = interest
        loop.change(socket.descriptor, serial, interest)
    }

    /// The events that the connection waits for at present.
    final var waitsFor: SocketPoller.Interest { interest }

    /// Reads once; the bytes are in the loop's buffer.
    final func read() -> StreamSocket.ReadResult {
        guard let reading = socket?.read(into: loop.readBuffer) else { return .failed }
        return reading
    }

    /// Reads at most `limit` bytes ahead of TLS; they are in the loop's buffer.
    final func readPlain(atMost limit: Int) -> StreamSocket.ReadResult {
        guard let socket else { return .failed }
        return TCPSocketCalls.receive(from: socket.descriptor, into: loop.readBuffer, atMost: limit)
    }

    /// Dispatches the events that have happened on the socket.
    final func handle(_ readiness: SocketPoller.Readiness) {
        let readsAfterWriting = socket?.readsAfterWriting ?? false
        if readiness.contains(.writable), interest.contains(.writing) { writable() }
        if readiness.contains(.readable) || readsAfterWriting && readiness.contains(.writable) {
            if interest.contains(.reading) { readable() }
        }
        // All readable bytes have been read: a hang-up alone brings none.
        if readiness.contains(.hungUp), socket != nil, !readiness.contains(.readable) || !interest.contains(.reading) {
            hungUp()
        }
    }

    /// Calls `expire` after `duration` in place of an earlier deadline; nil for never.
    final func setDeadline(after duration: Duration?) { setDeadline(at: duration.map { loop.now + $0 }) }

    /// Calls `expire` at `instant` in place of an earlier deadline; nil for never.
    final func setDeadline(at instant: MonotonicInstant?) {
        deadline = instant
        loop.schedule(self)
    }

    /// Ends the connection: closes the socket, without further bytes but a notice of TLS where `isOrderly`.
    final func end(isOrderly: Bool = false) {
        guard let socket else { return }
        self.socket = nil
        loop.remove(self, socket.descriptor)
        if isOrderly { socket.tls?.sayEnd() }
        socket.close()
        ended()
    }
}
