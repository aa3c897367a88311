import DataStructures
import Determinism
import WebAddressing

/// The thread on which the library runs, and the queue of orders through which other threads reach it.
final class ServiceLoop: @unchecked Sendable {
    // Invariant: `orderQueue` and `serials` are under their locks; all other variables are touched on the service
    // thread alone.

    /// Work for the service thread.
    struct Order: Sendable {
        /// Runs on the service thread.
        let perform: @Sendable (ServiceLoop) -> Void
        /// Runs instead when the service has stopped.
        let abandon: @Sendable () -> Void
    }

    private struct OrderQueue {
        var orders: [Order] = []
        var isOpen = true
        var isStopping = false
        /// The library's context; nil before the thread runs and after it ended.
        var context: LibraryContext?
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The thread's read and write buffer.
    let scratch = ScratchBuffer()

    private let orderQueue = Lock(OrderQueue())
    private let serials = Lock(UInt64(0))
    private let clock = SystemClock()
    private var connections: [UInt64: ServiceConnection] = [:]
    private var deadlines = PriorityQueue<ConnectionDeadline>()
    private(set) var context: LibraryContext?
    private var timer: LoopTimer?
    private var vhosts: [Vhost.Key: Vhost] = [:]
    private var outgoing: OutgoingConnections

    init(limits: ServiceLimits = ServiceLimits()) { outgoing = OutgoingConnections(limits) }

    /// The present instant on the loop's clock.
    var now: MonotonicInstant { clock.now() }

    /// Starts the thread, which keeps the loop alive until it is stopped.
    func start() {
        if !ServiceThread.start(self) { finish() }
    }

    /// A number that identifies a new connection; never repeated.
    func nextSerial() -> UInt64 {
        serials.withLock { serial in
            serial += 1
            return serial
        }
    }

    /// Queues an order, and wakes the thread when the queue was empty.
    func post(_ order: Order) {
        let isTaken = orderQueue.withLock { orderQueue in
            guard orderQueue.isOpen else { return false }
            if orderQueue.orders.isEmpty { orderQueue.context?.wake() }
            orderQueue.orders.append(order)
            return true
        }
        if !isTaken { order.abandon() }
    }

    /// Runs `perform` on the service thread, or not at all when the service has stopped.
    func post(_ perform: @escaping @Sendable (ServiceLoop) -> Void) {
        post(Order(perform: perform, abandon: {}))
    }

    /// Stops the service: connections are closed without a closing handshake, queued orders are abandoned.
    ///
    /// Returns when the thread has released the library.
    func stop() async {
        await withCheckedContinuation { continuation in
            let isOver = orderQueue.withLock { orderQueue in
                guard orderQueue.isOpen else { return true }
                orderQueue.isStopping = true
                orderQueue.stopWaiters.append(continuation)
                orderQueue.context?.wake()
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Requests the stop without waiting for it.
    func requestStop() {
        orderQueue.withLock { orderQueue in
            orderQueue.isStopping = true
            orderQueue.context?.wake()
        }
    }
}

// Called on the service thread alone.
extension ServiceLoop {
    /// The body of the thread: serves the library until the stop.
    func run() {
        if let context = LibraryContext(loop: self) {
            self.context = context
            timer = LoopTimer(loop: self, context: context)
            // The library reports a wake-up through virtual hosts alone, so there must be one.
            _ = try? vhost(.client(nil))
            orderQueue.withLock { $0.context = context }
            drain()
            while !isStopping, context.serve() {}
            orderQueue.withLock { $0.context = nil }
            endAllConnections()
            timer?.cancel()
            context.destroy()
            self.context = nil
        }
        vhosts = [:]
        finish()
    }

    /// Runs the queued orders.
    func drain() {
        let orders = orderQueue.withLock { orderQueue in
            defer { orderQueue.orders = [] }
            return orderQueue.orders
        }
        for order in orders { order.perform(self) }
    }

    /// The virtual host for a key, made at its first use.
    func vhost(_ key: Vhost.Key) throws(WebError) -> Vhost {
        if let vhost = vhosts[key] { return vhost }
        guard let context else { throw WebError(.serviceStopped, "The service is not running.") }
        let vhost = try Vhost(key, in: context)
        vhosts[key] = vhost
        return vhost
    }

    /// Keeps a connection until it has ended.
    func adopt(_ connection: ServiceConnection) { connections[connection.serial] = connection }

    /// Releases a connection that has ended.
    func release(_ connection: ServiceConnection) {
        connections[connection.serial] = nil
        if let address = connection.outgoingAddress { outgoing.close(address) }
        connection.outgoingAddress = nil
    }

    /// Keeps a client's connection until it has ended.
    func adopt(_ connection: ServiceConnection, to address: IPAddress) throws(WebError) {
        try outgoing.open(address)
        connection.outgoingAddress = address
        adopt(connection)
    }

    /// The WebSocket that a connection has become; nil when it has not.
    func socketEngine(of serial: UInt64) -> SocketEngine? { connections[serial]?.socketEngine }

    /// Expires a connection as if its deadline had passed.
    func expire(_ serial: UInt64?) {
        if let serial { connections[serial]?.expire() }
    }

    /// Queues the connection's deadline.
    func schedule(_ connection: ServiceConnection) {
        guard let deadline = connection.deadline else { return }
        if let scheduled = connection.scheduled, scheduled <= deadline { return }
        connection.scheduled = deadline
        let isEarliest = deadlines.first.map { deadline < $0.instant } ?? true
        deadlines.insert(ConnectionDeadline(instant: deadline, serial: connection.serial))
        if isEarliest { timer?.fire(after: deadline - now) }
    }

    /// Expires the connections whose deadlines have passed, and sets the timer for the next.
    func lookAtDeadlines() {
        let now = self.now
        while let entry = deadlines.popFirst(where: { $0.instant <= now }) {
            guard let connection = connections[entry.serial], connection.scheduled == entry.instant else { continue }
            connection.scheduled = nil
            guard let deadline = connection.deadline else { continue }
            if deadline <= now {
                connection.setDeadline(at: nil)
                connection.expire()
            } else {
                schedule(connection)
            }
        }
        if let first = deadlines.first { timer?.fire(after: first.instant - self.now) }
    }

    private var isStopping: Bool { orderQueue.withLock { $0.isStopping } }

    /// Ends every connection, in the order of creation, so that runs do not differ.
    private func endAllConnections() {
        for serial in connections.keys.sorted() {
            _ = connections[serial]?.handle(.gone)
            connections[serial]?.wsi?.detach()
            connections[serial]?.wsi = nil
        }
        connections = [:]
    }

    private func finish() {
        let (orders, waiters) = orderQueue.withLock { orderQueue in
            defer {
                orderQueue.isOpen = false
                orderQueue.orders = []
                orderQueue.stopWaiters = []
            }
            return (orderQueue.orders, orderQueue.stopWaiters)
        }
        for order in orders { order.abandon() }
        for waiter in waiters { waiter.resume() }
    }
}
