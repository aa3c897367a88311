import Determinism
import WebAddressing

/// An event of one connection, as the library reports it.
enum ConnectionEvent {
    /// A client waits at a listening socket.
    case acceptable
    /// The header of a request is whole.
    case requestHead
    /// The client asks to go on with another protocol, named in lower case.
    case upgradeAsked(String)
    /// A part of a request's body.
    case bodyPiece([UInt8])
    /// A request's body is whole.
    case bodyEnd
    /// Something can be written.
    case writable
    /// A client's connection failed, with the library's message.
    case connectFailed(String)
    /// The header of an answer is whole.
    case responseHead
    /// Bytes of an answer wait to be read.
    case responseReadable
    /// A part of an answer's body.
    case responsePiece([UInt8])
    /// An answer is whole.
    case responseEnd
    /// The server agreed to a WebSocket; its answer can be looked at.
    case socketAnswered
    /// The WebSocket is open.
    case socketOpen
    /// A part of a message.
    case socketPiece([UInt8], FramePosition)
    /// A ping was answered.
    case pong
    /// The peer closes, with its status and reason.
    case peerClose(UInt16?, [UInt8])
    /// The connection has ended; no event follows, and the library's handle is invalid.
    case gone
}

/// The library's next action after an event.
enum ConnectionVerdict {
    /// Continue with the connection.
    case proceed
    /// End the connection, after what was written.
    case close
}

/// Handles the events and the deadline of one connection or listening socket, on the service thread.
class ServiceConnection: @unchecked Sendable {
    // Invariant: everything but `serial` and `loop`, which never change, is touched on the service thread alone.

    /// Identifies the connection among those of its loop.
    let serial: UInt64

    /// The loop that the connection belongs to.
    unowned let loop: ServiceLoop

    /// The library's handle, libwebsockets' `wsi`; nil before the connection exists and after its end.
    var wsi: LibraryConnection?

    /// The address of a client's connection, while it counts towards the limits of open connections.
    var outgoingAddress: IPAddress?

    /// OpenSSL's verification error for the peer's certificate (`X509_V_ERR_…`); nil for none.
    var certificateFault: Int?

    /// The instant at which `expire` is called; nil for never.
    private(set) var deadline: MonotonicInstant?

    /// The instant of the entry in the loop's queue of deadlines, if any; never later than `deadline`.
    var scheduled: MonotonicInstant?

    init(loop: ServiceLoop) {
        self.loop = loop
        serial = loop.nextSerial()
    }

    /// Handles an event of the connection.
    func handle(_ event: ConnectionEvent) -> ConnectionVerdict { .proceed }

    /// Header lines that a client adds to its request, each with its end.
    func extraHeaderLines() -> [UInt8] { [] }

    /// The WebSocket that the connection has become, if it has.
    var socketEngine: SocketEngine? { nil }

    /// The deadline has passed.
    func expire() { wsi?.kill() }

    /// Calls `expire` after `duration` in place of an earlier deadline; nil for never.
    final func setDeadline(after duration: Duration?) { setDeadline(at: duration.map { loop.now + $0 }) }

    /// Calls `expire` at `instant` in place of an earlier deadline; nil for never.
    final func setDeadline(at instant: MonotonicInstant?) {
        deadline = instant
        loop.schedule(self)
    }
}
