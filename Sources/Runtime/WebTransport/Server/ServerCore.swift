import Determinism
import WebAddressing

/// The state that a server's connections share.
final class ServerCore: @unchecked Sendable {
    // Invariant: `tls` and `listener` are set on the first loop's thread before anything is accepted; what changes
    // later has its own lock.

    let configuration: ServerConfiguration
    let router: Router
    /// One for each thread; the first one accepts.
    let loops: [ServiceLoop]
    /// The memory that all connections may hold together.
    let budget: ByteBudget
    let counts: ConnectionCounts
    /// The part of the memory for connections of proxies whose client is not known yet: all of it.
    let proxyShare: ByteShare

    private var tls: TLSContext?
    /// The loop keeps it; it holds this core.
    private weak var listener: Listener?
    private let hasBegun = Lock(false)

    init(_ configuration: ServerConfiguration, _ router: Router) {
        self.configuration = configuration
        self.router = router
        loops = (0..<max(1, configuration.threads)).map { _ in ServiceLoop() }
        budget = ByteBudget(configuration.limits.maximumHeldBytes)
        proxyShare = ByteShare(of: budget, limit: configuration.limits.maximumHeldBytes)
        counts = ConnectionCounts(
            limits: configuration.limits.leaving(of: OpenFiles.limit), budget: budget, loops: loops.count)
    }

    var limits: ServerLimits { configuration.limits }

    /// Whether the server ends.
    var isDraining: Bool { counts.isDraining }

    func start() async throws(WebError) -> SocketAddress {
        let isFirst = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
        guard isFirst else { throw WebError(.serviceStopped, "A server starts once.") }
        for loop in loops { loop.start() }
        let result: Result<SocketAddress, WebError> = await withCheckedContinuation { continuation in
            loops[0].post(
                ServiceLoop.Order { loop in
                    continuation.resume(returning: self.listen(on: loop))
                } abandon: {
                    continuation.resume(returning: .failure(WebError(.serviceStopped, "The service did not start.")))
                })
        }
        if case .failure = result { await stopLoops() }
        return try result.get()
    }

    func stop(within duration: Duration) async {
        // Without a thread the queue of orders would not be read.
        guard hasBegun.withLock({ $0 }) else { return }
        await withCheckedContinuation { continuation in
            loops[0].post(
                ServiceLoop.Order { _ in
                    self.drain(within: duration) { continuation.resume() }
                } abandon: {
                    continuation.resume()
                })
        }
        await stopLoops()
    }

    /// Requests the stop without waiting for it.
    func requestStop() { for loop in loops { loop.requestStop() } }

    private func stopLoops() async { for loop in loops { await loop.stop() } }
}

// On the first loop's thread.
extension ServerCore {
    /// Serves an accepted connection on the loop with the fewest, or refuses it.
    func take(_ descriptor: Int32, from peer: SocketAddress) {
        let isProxy = configuration.proxies?.contain(peer.address) ?? false
        let use = isProxy ? nil : counts.begin(for: peer.address)
        guard isProxy || use != nil, let index = counts.enter() else {
            if let use { counts.end(use) }
            return Sockets.dismiss(descriptor, with: configuration.certificate == nil ? refusal() : [])
        }
        let begin = { @Sendable (loop: ServiceLoop) in
            let connection = ServerConnection(core: self, loop: loop, index: index, peer: peer, use: use)
            connection.begin(descriptor, self.tls)
        }
        guard index > 0 else { return begin(loops[0]) }
        loops[index].post(
            ServiceLoop.Order(perform: begin) {
                Sockets.close(descriptor)
                if let use { self.counts.end(use) }
                self.counts.leave(loop: index)
            })
    }

    private func listen(on loop: ServiceLoop) -> Result<SocketAddress, WebError> {
        do throws(WebError) {
            if let certificate = configuration.certificate { tls = try TLSContext(server: certificate) }
            let wanted = SocketAddress(configuration.address, configuration.port)
            let descriptor = try Sockets.listen(at: wanted)
            let bound = Sockets.localAddress(of: descriptor) ?? wanted
            let listener = Listener(core: self, loop: loop)
            guard listener.begin(StreamSocket(descriptor), .reading) else {
                throw WebError(.listenFailed, "The system has no room for the listening socket.")
            }
            self.listener = listener
            return .success(bound)
        } catch { return .failure(error) }
    }

    private func drain(within duration: Duration, then done: @escaping @Sendable () -> Void) {
        listener?.end()
        listener = nil
        counts.drain(then: done)
        let end = loops[0].now + duration
        let left = end - loops[0].now
        for loop in loops {
            loop.post { loop in
                let end = loop.now + left
                for case let connection as ServerConnection in loop.openConnections { connection.drain(until: end) }
            }
        }
    }

    private func refusal() -> [UInt8] {
        var response = HTTPResponse(503, text: "There are too many connections.\n")
        response.headers["Retry-After"] = "5"
        return ResponseEncoding.message(response, to: nil, date: loops[0].dateText(), isLast: true) ?? []
    }
}
