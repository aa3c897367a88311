/// A listening socket; its loop accepts, and hands connections to the loops of the server.
final class ListenerSocket: EventLoopSocket, @unchecked Sendable {
    // Invariant: touched on the loop's thread alone.

    /// The most connections accepted in a row, before other events are handled.
    private static let batch = 64
    /// The wait before the next attempt when the process has no file descriptor left.
    private static let pause = Duration.milliseconds(100)

    private let core: HTTPServerState

    init(core: HTTPServerState, loop: SocketEventLoop) {
        self.core = core
        super.init(loop: loop)
    }

    override func readable() {
        for _ in 0..<Self.batch {
            guard let socket else { return }
            switch TCPSocketCalls.accept(from: socket.descriptor) {
            case .socket(let accepted, let peer): core.take(accepted, from: peer)
            case .noConnection: return
            case .exhausted:
                wait(for: [])
                setDeadline(after: Self.pause)
                return
            }
        }
    }

    override func expire() { wait(for: .reading) }
}
