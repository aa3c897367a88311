import Determinism
import WebAddressing

/// A listening socket, which its loop keeps, and which keeps the server.
private struct WeakListener {
    weak var listener: ListenerSocket?
}

/// The state that a server's connections share.
final class HTTPServerState: @unchecked Sendable {
    // Invariant: `tls` and `listeners` are set on the first loop's thread before anything is accepted; what changes
    // later has its own lock.

    let configuration: ServerConfiguration
    let router: HTTPRouter
    /// The event loops, one for each thread; the first one accepts connections.
    let loops: [SocketEventLoop]
    /// The memory that all connections may hold together.
    let budget: ByteBudget
    let counts: ServerConnectionCounts
    /// The part of the memory for connections of proxies whose client is not known yet: all of it.
    let proxyShare: SourceByteBudget

    private var tls: TLSContext?
    private var listeners: [WeakListener] = []
    private let hasBegun = Lock(false)

    init(_ configuration: ServerConfiguration, _ router: HTTPRouter) {
        self.configuration = configuration
        self.router = router
        loops = (0..<max(1, configuration.threads)).map { _ in SocketEventLoop() }
        budget = ByteBudget(configuration.limits.maximumHeldBytes)
        proxyShare = SourceByteBudget(of: budget, limit: configuration.limits.maximumHeldBytes)
        counts = ServerConnectionCounts(
            limits: configuration.limits.leaving(of: OpenFileLimit.limit), budget: budget, loops: loops.count)
    }

    var limits: HTTPServerLimits { configuration.limits }

    /// True once the server begins to end.
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
                SocketEventLoop.ScheduledWork { loop in
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
                SocketEventLoop.ScheduledWork { _ in
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
extension HTTPServerState {
    /// Serves an accepted connection on the loop with the fewest connections, or refuses it.
    func take(_ descriptor: Int32, from peer: SocketAddress) {
        let isProxy = configuration.proxies?.contain(peer.address) ?? false
        var place = place(for: peer.address, isProxy: isProxy)
        if place == nil, makeRoom(for: peer.address) { place = self.place(for: peer.address, isProxy: isProxy) }
        guard let (use, index) = place else {
            return TCPSocketCalls.dismiss(descriptor, with: configuration.certificate == nil ? refusal() : [])
        }
        let begin = { @Sendable (loop: SocketEventLoop) in
            let connection = HTTPServerConnection(core: self, loop: loop, index: index, peer: peer, use: use)
            connection.begin(descriptor, self.tls)
        }
        guard index > 0 else { return begin(loops[0]) }
        loops[index].post(
            SocketEventLoop.ScheduledWork(perform: begin) {
                TCPSocketCalls.close(descriptor)
                if let use { self.counts.end(use) }
                self.counts.leave(loop: index)
            })
    }

    /// Counts a connection for its source and its loop; nil when there are too many.
    private func place(for address: IPAddress, isProxy: Bool) -> (use: ServerConnectionCounts.SourceLease?, index: Int)?
    {
        let use = isProxy ? nil : counts.begin(for: address)
        guard isProxy || use != nil else { return nil }
        if let index = counts.enter() { return (use, index) }
        if let use { counts.end(use) }
        return nil
    }

    /// Ends the oldest connection without a whole request, of the same source if there is one; false for none.
    private func makeRoom(for address: IPAddress) -> Bool {
        guard limits.replacesWaiting, !isDraining else { return false }
        let waiting = loops[0].openConnections.compactMap { $0 as? HTTPServerConnection }.filter(\.isWaiting)
        guard let oldest = waiting.first(where: { $0.isOf(address) }) ?? waiting.first else { return false }
        oldest.end()
        return true
    }

    private func listen(on loop: SocketEventLoop) -> Result<SocketAddress, WebError> {
        do throws(WebError) {
            if let certificate = configuration.certificate { tls = try TLSContext(server: certificate) }
            let wanted = SocketAddress(configuration.address, configuration.port)
            let (first, bound) = try listen(at: wanted, on: loop)
            listeners = [first]
            if configuration.servesLocalhost, wanted.address == .v4(IPv4Address(127, 0, 0, 1)) {
                let other = SocketAddress(.v6(IPv6Address(high: 0, low: 1)), bound.port)
                do throws(WebError) {
                    listeners.append(try listen(at: other, on: loop).0)
                } catch  where !TCPSocketCalls.canListen(at: other.address) {
                    // This machine has no IPv6, so that nothing else can answer there either.
                }
            }
            return .success(bound)
        } catch { return .failure(error) }
    }

    private func listen(
        at address: SocketAddress, on loop: SocketEventLoop
    ) throws(WebError) -> (WeakListener, SocketAddress) {
        let descriptor = try TCPSocketCalls.listen(at: address)
        let bound = TCPSocketCalls.localAddress(of: descriptor) ?? address
        let listener = ListenerSocket(core: self, loop: loop)
        guard listener.begin(StreamSocket(descriptor), .reading) else {
            throw WebError(.listenFailed, "The system has no room for the listening socket.")
        }
        return (WeakListener(listener: listener), bound)
    }

    private func drain(within duration: Duration, then done: @escaping @Sendable () -> Void) {
        for entry in listeners { entry.listener?.end() }
        listeners = []
        counts.drain(then: done)
        let end = loops[0].now + duration
        let left = end - loops[0].now
        for loop in loops {
            loop.post { loop in
                let end = loop.now + left
                for case let connection as HTTPServerConnection in loop.openConnections { connection.drain(until: end) }
            }
        }
    }

    private func refusal() -> [UInt8] {
        var response = HTTPResponse(503, text: "There are too many connections.\n")
        response.headers["Retry-After"] = "5"
        return HTTPResponseEncoding.message(response, to: nil, date: loops[0].dateText(), isLast: true) ?? []
    }
}
