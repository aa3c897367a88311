import DataStructures
import Determinism
import WebAddressing

/// The thread on which the library runs, and the queue of orders through which other threads reach it.
final class ServiceLoop: @unchecked Sendable {
    // Invariant: `mail` and `serials` are under their locks; all other variables are touched on the service thread
    // alone.

    /// Work for the service thread.
    struct Order: Sendable {
        /// Runs on the service thread.
        let perform: @Sendable (ServiceLoop) -> Void
        /// Runs instead when the service has stopped.
        let abandon: @Sendable () -> Void
    }

    private struct Mail {
        var orders: [Order] = []
        var isOpen = true
        var isStopping = false
        /// The library's context; nil before the thread runs and after it ended.
        var context: LibraryContext?
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The thread's read and write buffer.
    let scratch = Scratch()

    private let mail = Lock(Mail())
    private let serials = Lock(UInt64(0))
    private let clock = SystemTimekeeper()
    private var links: [UInt64: Link] = [:]
    private var deadlines = PriorityQueue<LinkDeadline>()
    private(set) var context: LibraryContext?
    private var alarm: Alarm?
    private var vhosts: [Vhost.Key: Vhost] = [:]
    private var outgoing: OutgoingConnections

    init(limits: ServiceLimits = ServiceLimits()) { outgoing = OutgoingConnections(limits) }

    /// The present instant on the loop's clock.
    var now: MonotonicInstant { clock.now() }

    /// Starts the thread, which keeps the loop alive until it is stopped.
    func start() {
        if !ServiceThread.start(self) { finish() }
    }

    /// A number that identifies a new handler; never repeated.
    func nextSerial() -> UInt64 {
        serials.withLock { serial in
            serial += 1
            return serial
        }
    }

    /// Queues an order, and wakes the thread when the queue was empty.
    func post(_ order: Order) {
        let isTaken = mail.withLock { mail in
            guard mail.isOpen else { return false }
            if mail.orders.isEmpty { mail.context?.wake() }
            mail.orders.append(order)
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
            let isOver = mail.withLock { mail in
                guard mail.isOpen else { return true }
                mail.isStopping = true
                mail.stopWaiters.append(continuation)
                mail.context?.wake()
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Requests the stop without waiting for it.
    func requestStop() {
        mail.withLock { mail in
            mail.isStopping = true
            mail.context?.wake()
        }
    }
}

// Called on the service thread alone.
extension ServiceLoop {
    /// The body of the thread: serves the library until the stop.
    func run() {
        if let context = LibraryContext(loop: self) {
            self.context = context
            alarm = Alarm(loop: self, context: context)
            // The library reports a wake-up through virtual hosts alone, so there must be one.
            _ = try? vhost(.client(nil))
            mail.withLock { $0.context = context }
            drain()
            while !isStopping, context.serve() {}
            mail.withLock { $0.context = nil }
            endAllLinks()
            alarm?.cancel()
            context.destroy()
            self.context = nil
        }
        vhosts = [:]
        finish()
    }

    /// Runs the queued orders.
    func drain() {
        let orders = mail.withLock { mail in
            defer { mail.orders = [] }
            return mail.orders
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

    /// Keeps a handler until its connection has ended.
    func adopt(_ link: Link) { links[link.serial] = link }

    /// Releases a handler.
    func release(_ link: Link) {
        links[link.serial] = nil
        if let address = link.outgoingAddress { outgoing.close(address) }
        link.outgoingAddress = nil
    }

    /// Keeps a client's handler until its connection has ended.
    func adopt(_ link: Link, to address: IPAddress) throws(WebError) {
        try outgoing.open(address)
        link.outgoingAddress = address
        adopt(link)
    }

    /// The WebSocket that a connection has become; nil when it has not.
    func socketEngine(of serial: UInt64) -> SocketEngine? { links[serial]?.socketEngine }

    /// Expires a handler as if its deadline had passed.
    func expire(_ serial: UInt64?) {
        if let serial { links[serial]?.expire() }
    }

    /// Queues the handler's deadline.
    func schedule(_ link: Link) {
        guard let deadline = link.deadline else { return }
        if let scheduled = link.scheduled, scheduled <= deadline { return }
        link.scheduled = deadline
        let isEarliest = deadlines.first.map { deadline < $0.instant } ?? true
        deadlines.insert(LinkDeadline(instant: deadline, serial: link.serial))
        if isEarliest { alarm?.ring(after: deadline - now) }
    }

    /// Expires the handlers whose deadlines have passed, and sets the timer for the next.
    func lookAtDeadlines() {
        let now = self.now
        while let entry = deadlines.popFirst(where: { $0.instant <= now }) {
            guard let link = links[entry.serial], link.scheduled == entry.instant else { continue }
            link.scheduled = nil
            guard let deadline = link.deadline else { continue }
            if deadline <= now {
                link.setDeadline(at: nil)
                link.expire()
            } else {
                schedule(link)
            }
        }
        if let first = deadlines.first { alarm?.ring(after: first.instant - self.now) }
    }

    private var isStopping: Bool { mail.withLock { $0.isStopping } }

    /// Ends every handler, in the order of creation, so that runs do not differ.
    private func endAllLinks() {
        for serial in links.keys.sorted() {
            _ = links[serial]?.handle(.gone)
            links[serial]?.wire?.detach()
            links[serial]?.wire = nil
        }
        links = [:]
    }

    private func finish() {
        let (orders, waiters) = mail.withLock { mail in
            defer {
                mail.isOpen = false
                mail.orders = []
                mail.stopWaiters = []
            }
            return (mail.orders, mail.stopWaiters)
        }
        for order in orders { order.abandon() }
        for waiter in waiters { waiter.resume() }
    }
}
