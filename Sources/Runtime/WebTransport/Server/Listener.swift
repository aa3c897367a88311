/// A listening socket.
final class Listener: ServiceConnection, @unchecked Sendable {
    // Invariant: touched on the service thread alone.

    /// The most connections accepted in a row, before other events are handled.
    private static let batch = 64
    /// The wait before the next attempt when the process has no file descriptor left.
    private static let pause = Duration.milliseconds(100)

    private let core: ServerCore
    private let descriptor: Int32
    private let vhost: Vhost
    private var isClosed = false

    init(core: ServerCore, descriptor: Int32, vhost: Vhost) {
        self.core = core
        self.descriptor = descriptor
        self.vhost = vhost
        super.init(loop: core.loop)
    }

    override func handle(_ event: ConnectionEvent) -> ConnectionVerdict {
        if case .gone = event { core.forgetListener() }
        guard case .acceptable = event else { return .proceed }
        if isClosed { return .close }
        for _ in 0..<Self.batch {
            switch Sockets.accept(from: descriptor) {
            case .socket(let socket, let peer): core.take(socket, from: peer, on: vhost)
            case .noConnection: return .proceed
            case .exhausted:
                wsi?.setReading(false)
                setDeadline(after: Self.pause)
                return .proceed
            }
        }
        return .proceed
    }

    override func expire() { wsi?.setReading(true) }

    /// Stops listening and closes the socket.
    func close() {
        isClosed = true
        // The library closes the descriptor a little later; until then no client gets through.
        Sockets.stopListening(descriptor)
        wsi?.kill()
    }
}
