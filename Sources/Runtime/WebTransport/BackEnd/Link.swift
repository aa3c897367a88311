import Determinism
import WebAddressing

/// What the library tells of a connection.
enum WireEvent {
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
    /// The client's connection came to nothing, with the library's words.
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
    /// The connection is no more; nothing follows, and the wire is invalid.
    case gone
}

/// What the library shall do after an event.
enum WireVerdict {
    /// Go on.
    case proceed
    /// End the connection, after what was written.
    case close
}

/// The life of one connection on the service thread.
class Link: @unchecked Sendable {
    // Invariant: everything but `serial` and `loop`, which never change, is touched on the service thread alone.

    /// Tells links of one loop apart.
    let serial: UInt64

    /// Whose link it is.
    unowned let loop: ServiceLoop

    /// The connection while there is one.
    var wire: Wire?

    /// Where a client's connection goes to, while it counts as open.
    var outgoingAddress: IPAddress?

    /// What OpenSSL found wrong with the peer's certificate, by its numbers; nil for nothing.
    var certificateFault: Int?

    /// When `expire` is called; nil for never.
    private(set) var deadline: MonotonicInstant?

    /// The instant for which the loop has an entry, if any; never later than `deadline`.
    var scheduled: MonotonicInstant?

    init(loop: ServiceLoop) {
        self.loop = loop
        serial = loop.nextSerial()
    }

    /// Takes an event.
    func handle(_ event: WireEvent) -> WireVerdict { .proceed }

    /// Header lines that a client adds to its request, each with its end.
    func extraHeaderLines() -> [UInt8] { [] }

    /// What it has become, if it is a WebSocket.
    var socketEngine: SocketEngine? { nil }

    /// The deadline has passed.
    func expire() { wire?.kill() }

    /// Calls `expire` after `duration` in place of an earlier deadline; nil for never.
    final func setDeadline(after duration: Duration?) { setDeadline(at: duration.map { loop.now + $0 }) }

    /// Calls `expire` at `instant` in place of an earlier deadline; nil for never.
    final func setDeadline(at instant: MonotonicInstant?) {
        deadline = instant
        loop.schedule(self)
    }
}
