import Determinism
import WebAddressing

/// The state that a server's connections share.
final class ServerCore: @unchecked Sendable {
    // Invariant: the variables are touched on the service thread alone, `connectionCount` is under its lock.

    let configuration: ServerConfiguration
    let router: Router
    let loop = ServiceLoop()
    /// For readers on other threads.
    let connectionCount = Lock(0)
    /// The memory that all connections may hold together.
    let budget: ByteBudget

    private(set) var isDraining = false
    private var listener: Listener?
    private var vhost: Vhost?
    private var lingeringCount = 0
    private var connections: [UInt64: ServerConnection] = [:]
    private var perHost: [IPAddress: Int] = [:]
    private var whenEmpty: [@Sendable () -> Void] = []
    private var date = (second: Int64.min, text: "")
    private let hasBegun = Lock(false)

    init(_ configuration: ServerConfiguration, _ router: Router) {
        self.configuration = configuration
        self.router = router
        budget = ByteBudget(configuration.limits.maximumHeldBytes)
    }

    func start() async throws(WebError) -> SocketAddress {
        let isFirst = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
        guard isFirst else { throw WebError(.serviceStopped, "A server starts once.") }
        loop.start()
        let result: Result<SocketAddress, WebError> = await withCheckedContinuation { continuation in
            loop.post(
                ServiceLoop.Order { _ in
                    continuation.resume(returning: self.listen())
                } abandon: {
                    continuation.resume(returning: .failure(WebError(.serviceStopped, "The service did not start.")))
                })
        }
        if case .failure = result { await loop.stop() }
        return try result.get()
    }

    func stop(within duration: Duration) async {
        // Without a thread the queue of orders would not be read.
        guard hasBegun.withLock({ $0 }) else { return }
        await withCheckedContinuation { continuation in
            loop.post(
                ServiceLoop.Order { _ in
                    self.drain(within: duration) { continuation.resume() }
                } abandon: {
                    continuation.resume()
                })
        }
        await loop.stop()
    }
}

// On the service thread.
extension ServerCore {
    var limits: ServerLimits { configuration.limits }

    /// The time for the header of an answer.
    func dateText() -> String {
        let second = SystemTime.seconds
        if second != date.second { date = (second, HTTPDate.text(seconds: second)) }
        return date.text
    }

    /// Serves an accepted connection, or refuses it.
    func take(_ descriptor: Int32, from peer: SocketAddress, on vhost: Vhost) {
        let source = peer.address.source
        let isCounted = limits.limitsOwnMachine || !source.isOwnMachine
        let fits =
            connections.count < limits.maximumConnections
            && (!isCounted || perHost[source, default: 0] < limits.maximumConnectionsPerHost)
        guard fits, !isDraining else {
            Sockets.dismiss(descriptor, with: configuration.certificate == nil ? refusal() : [])
            return
        }
        let connection = ServerConnection(core: self, peer: peer)
        connections[connection.serial] = connection
        perHost[source, default: 0] += 1
        countConnections()
        if loop.serve(descriptor, for: connection, on: vhost) { connection.begin() } else { forget(connection) }
    }

    /// Called when a connection has ended.
    func forget(_ connection: ServerConnection) {
        guard connections.removeValue(forKey: connection.serial) != nil else { return }
        let source = connection.peer.address.source
        let left = perHost[source, default: 1] - 1
        perHost[source] = left > 0 ? left : nil
        countConnections()
        guard connections.isEmpty else { return }
        for action in whenEmpty { action() }
        whenEmpty = []
    }

    /// Whether one more connection may linger.
    var mayLinger: Bool { lingeringCount < LingeringConnection.maximumCount }

    /// Reads and drops what the client of an ended connection still sends; takes ownership of the descriptor.
    func linger(_ descriptor: Int32) {
        lingeringCount += 1
        loop.post(
            ServiceLoop.Order { _ in
                let connection = LingeringConnection(core: self, descriptor: descriptor)
                if let vhost = self.vhost, self.loop.watch(descriptor, for: connection, on: vhost) {
                    connection.begin()
                } else {
                    self.forgetLingering()
                }
            } abandon: {
                Sockets.close(descriptor)
            })
    }

    /// Called when a lingering connection has ended.
    func forgetLingering() { lingeringCount -= 1 }

    /// Called when the listening socket is closed.
    func forgetListener() { listener = nil }

    private func listen() -> Result<SocketAddress, WebError> {
        do throws(WebError) {
            let certificate = configuration.certificate
            let vhost = try loop.vhost(
                .server(
                    certificate: certificate?.chainPath, key: certificate?.keyPath, protocols: router.subprotocols))
            let wanted = SocketAddress(configuration.address, configuration.port)
            let descriptor = try Sockets.listen(at: wanted)
            let bound = Sockets.localAddress(of: descriptor) ?? wanted
            let listener = Listener(core: self, descriptor: descriptor, vhost: vhost)
            guard loop.watch(descriptor, for: listener, on: vhost) else {
                throw WebError(.listenFailed, "The library does not take the listening socket.")
            }
            self.listener = listener
            self.vhost = vhost
            return .success(bound)
        } catch { return .failure(error) }
    }

    private func drain(within duration: Duration, then done: @escaping @Sendable () -> Void) {
        isDraining = true
        listener?.close()
        listener = nil
        let connections = self.connections.values.sorted { $0.serial < $1.serial }
        if connections.isEmpty { return done() }
        whenEmpty.append(done)
        let end = loop.now + duration
        for connection in connections { connection.drain(until: end) }
    }

    private func countConnections() {
        let count = connections.count
        connectionCount.withLock { $0 = count }
    }

    private func refusal() -> [UInt8] {
        var response = HTTPResponse(503, text: "There are too many connections.\n")
        response.headers["Retry-After"] = "5"
        return ResponseEncoding.message(response, to: nil, date: dateText(), isLast: true) ?? []
    }
}
