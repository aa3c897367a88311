/// A connection whose last response was sent before its request was complete.
///
/// Reads and drops what still arrives, for a while: a socket that closes with unread bytes resets the connection, and
/// the client may lose the response (RFC 9112 section 9.6).
final class LingeringConnection: ServiceConnection, @unchecked Sendable {
    // Invariant: touched on the service thread alone.

    /// The most connections of one server that linger; more are closed at once.
    static let maximumCount = 64
    /// The most bytes that are dropped for one connection.
    private static let maximumBytes = 4 << 20

    private let core: ServerCore
    private let descriptor: Int32
    private var droppedBytes = 0

    init(core: ServerCore, descriptor: Int32) {
        self.core = core
        self.descriptor = descriptor
        super.init(loop: core.loop)
    }

    /// Called when the library has taken the socket over.
    func begin() {
        Sockets.stopSaying(descriptor)
        setDeadline(after: core.limits.lingerDeadline)
    }

    override func handle(_ event: ConnectionEvent) -> ConnectionVerdict {
        switch event {
        case .gone:
            core.forgetLingering()
            return .proceed
        case .acceptable:
            let count = Sockets.drop(from: descriptor, into: loop.scratch)
            droppedBytes += count ?? 0
            return count == 0 || droppedBytes > Self.maximumBytes ? .close : .proceed
        default: return .proceed
        }
    }
}
