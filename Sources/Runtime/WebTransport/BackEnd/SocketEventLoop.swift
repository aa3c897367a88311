import DataStructures
import Determinism
import WebAddressing

/// One thread that serves many sockets, and the queue of orders through which other threads reach it.
final class SocketEventLoop: @unchecked Sendable {
    // Invariant: `orderQueue` and `serials` are under their locks; all other variables are touched on the loop's
    // thread alone.

    /// A work item for the loop's thread.
    struct ScheduledWork: Sendable {
        /// Runs on the loop's thread.
        let perform: @Sendable (SocketEventLoop) -> Void
        /// Runs instead when the loop has stopped.
        let abandon: @Sendable () -> Void
    }

    private struct ScheduledWorkQueue {
        var orders: [ScheduledWork] = []
        var isOpen = true
        var isStopping = false
        /// The poller of the loop; nil before the thread runs and after it ended.
        var poller: SocketPoller?
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The work of one turn of the loop; the arrays keep their capacity from turn to turn.
    private struct Turn {
        /// Connections that ended in this turn: they live to its end, because functions of theirs may still run.
        var ended: [EventLoopSocket] = []
        var ready: [(serial: UInt64, SocketPoller.Readiness)] = []
        /// Connections whose TLS holds bytes of which the system does not tell.
        var again: [UInt64] = []
    }

    /// The buffer into which every connection of the loop reads.
    let readBuffer = ReadBuffer()

    private let orderQueue = Lock(ScheduledWorkQueue())
    private let serials = Lock(UInt64(0))
    private let clock = SystemMonotonicClock()
    private var connections: [UInt64: EventLoopSocket] = [:]
    private var deadlines = PriorityQueue<ConnectionDeadline>()
    private var poller: SocketPoller?
    private var turn = Turn()
    private var clientContexts: [TLSRoots: TLSContext] = [:]
    private var outgoing: OutgoingConnections
    private var date = (second: Int64.min, text: "")

    init(limits: OutgoingConnectionLimits = OutgoingConnectionLimits()) { outgoing = OutgoingConnections(limits) }

    /// The present instant on the loop's clock.
    var now: MonotonicInstant { clock.now() }

    /// Starts the thread, which keeps the loop alive until it is stopped.
    func start() {
        if !EventLoopThread.start(self) { finish() }
    }

    /// A number that identifies a new connection; never repeated, and never 0.
    func nextSerial() -> UInt64 {
        serials.withLock { serial in
            serial += 1
            return serial
        }
    }

    /// Queues an order, and wakes the thread when the queue was empty.
    func post(_ order: ScheduledWork) {
        let isTaken = orderQueue.withLock { orderQueue in
            guard orderQueue.isOpen else { return false }
            if orderQueue.orders.isEmpty { orderQueue.poller?.wake() }
            orderQueue.orders.append(order)
            return true
        }
        if !isTaken { order.abandon() }
    }

    /// Runs `perform` on the loop's thread, or not at all when the loop has stopped.
    func post(_ perform: @escaping @Sendable (SocketEventLoop) -> Void) {
        post(ScheduledWork(perform: perform, abandon: {}))
    }

    /// Stops the loop: connections are closed without a closing handshake, queued orders are abandoned.
    ///
    /// Returns when the thread has ended.
    func stop() async {
        await withCheckedContinuation { continuation in
            let isOver = orderQueue.withLock { orderQueue in
                guard orderQueue.isOpen else { return true }
                orderQueue.isStopping = true
                orderQueue.stopWaiters.append(continuation)
                orderQueue.poller?.wake()
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Requests the stop without waiting for it.
    func requestStop() {
        orderQueue.withLock { orderQueue in
            orderQueue.isStopping = true
            orderQueue.poller?.wake()
        }
    }
}

// Called on the loop's thread alone.
extension SocketEventLoop {
    /// The body of the thread: serves its sockets until the stop.
    func run() {
        if let poller = SocketPoller() {
            self.poller = poller
            orderQueue.withLock { $0.poller = poller }
            performOrders()
            while !isStopping, poller.wait(milliseconds: wait, into: &turn.ready) {
                performOrders()
                handleReady()
                handleDeadlines()
                turn.ended.removeAll(keepingCapacity: true)
            }
            orderQueue.withLock { $0.poller = nil }
            endAllConnections()
            turn.ended = []
            poller.close()
            self.poller = nil
        }
        clientContexts = [:]
        finish()
    }

    /// The TLS settings of clients with these roots, made at their first use.
    func clientContext(_ roots: TLSRoots) throws(WebError) -> TLSContext {
        if let context = clientContexts[roots] { return context }
        let context = try TLSContext(client: roots)
        clientContexts[roots] = context
        return context
    }

    /// Registers a connection and its socket with the loop; false when the system has no room.
    func add(_ connection: EventLoopSocket, _ descriptor: Int32, _ interest: SocketPoller.Interest) -> Bool {
        guard let poller, poller.add(descriptor, serial: connection.serial, interest) else { return false }
        connections[connection.serial] = connection
        return true
    }

    /// Changes the events to wait for on a socket.
    func change(_ descriptor: Int32, _ serial: UInt64, _ interest: SocketPoller.Interest) {
        poller?.change(descriptor, serial: serial, interest)
    }

    /// Releases a connection that ends.
    func remove(_ connection: EventLoopSocket, _ descriptor: Int32) {
        poller?.remove(descriptor)
        turn.ended.append(connection)
        connections[connection.serial] = nil
        if let address = connection.outgoingAddress { outgoing.close(address) }
        connection.outgoingAddress = nil
    }

    /// Counts a client's connection until it has ended.
    ///
    /// - Throws: `web.connections.too-many`.
    func count(_ connection: EventLoopSocket, to address: IPAddress) throws(WebError) {
        try outgoing.open(address)
        connection.outgoingAddress = address
    }

    /// Ends the counting of a connection that could not begin.
    func discount(_ connection: EventLoopSocket) {
        if let address = connection.outgoingAddress { outgoing.close(address) }
        connection.outgoingAddress = nil
    }

    /// The connections, in the order of creation.
    var openConnections: [EventLoopSocket] {
        connections.values.sorted { $0.serial < $1.serial }
    }

    /// The present time in the form of the header field `Date`.
    func dateText() -> String {
        let second = SystemTime.seconds
        if second != date.second { date = (second, HTTPDate.text(seconds: second)) }
        return date.text
    }

    /// Has a connection read again though its socket does not become readable.
    func readAgain(_ serial: UInt64) { turn.again.append(serial) }

    /// The WebSocket that a connection has become; nil when it has not.
    func socketEngine(of serial: UInt64) -> WebSocketEngine? { connections[serial]?.socketEngine }

    /// Expires a connection as if its deadline had passed.
    func expire(_ serial: UInt64?) {
        if let serial { connections[serial]?.expire() }
    }

    /// Queues the connection's deadline.
    func schedule(_ connection: EventLoopSocket) {
        guard let deadline = connection.deadline else { return }
        if let scheduled = connection.scheduled, scheduled <= deadline { return }
        connection.scheduled = deadline
        deadlines.insert(ConnectionDeadline(instant: deadline, serial: connection.serial))
    }

    /// The longest wait for events, in milliseconds, rounded up; -1 without a limit.
    private var wait: Int32 {
        if !turn.again.isEmpty { return 0 }
        guard let first = deadlines.first else { return -1 }
        let left = (first.instant - now).wholeNanoseconds
        return left <= 0 ? 0 : Int32(clamping: (left + 999_999) / 1_000_000)
    }

    private func performOrders() {
        let orders = orderQueue.withLock { orderQueue in
            defer { orderQueue.orders = [] }
            return orderQueue.orders
        }
        for order in orders { order.perform(self) }
    }

    private func handleReady() {
        let held = turn.again
        turn.again.removeAll(keepingCapacity: true)
        for serial in held { connections[serial]?.handle(.readable) }
        // A connection that ended meanwhile is no longer among them.
        for (serial, readiness) in turn.ready { connections[serial]?.handle(readiness) }
        turn.ready.removeAll(keepingCapacity: true)
    }

    /// Expires the connections whose deadlines have passed.
    private func handleDeadlines() {
        guard !deadlines.isEmpty else { return }
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
    }

    private var isStopping: Bool { orderQueue.withLock { $0.isStopping } }

    /// Ends every connection, in the order of creation, so that runs do not differ.
    private func endAllConnections() {
        for connection in openConnections { connection.end() }
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
