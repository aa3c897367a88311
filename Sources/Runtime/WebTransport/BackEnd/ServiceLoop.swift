import DataStructures
import Determinism
import WebAddressing

/// The thread on which the library runs, and the mailbox through which others reach it.
final class ServiceLoop: @unchecked Sendable {
    // Invariant: `mail` and `serials` are under their locks; all other variables are touched on the service thread
    // alone.

    /// Something to do on the service thread.
    struct Order: Sendable {
        /// Does it.
        let perform: @Sendable (ServiceLoop) -> Void
        /// Is called instead when the service has ended.
        let abandon: @Sendable () -> Void
    }

    private struct Mail {
        var orders: [Order] = []
        var isOpen = true
        var isStopping = false
        /// Only there while the library may be woken.
        var context: LibraryContext?
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Room to write from and to read into.
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

    /// A number that the loop never gave before.
    func nextSerial() -> UInt64 {
        serials.withLock { serial in
            serial += 1
            return serial
        }
    }

    /// Puts an order into the mailbox, and wakes the thread when the mailbox was empty.
    func post(_ order: Order) {
        let isTaken = mail.withLock { mail in
            guard mail.isOpen else { return false }
            if mail.orders.isEmpty { mail.context?.wake() }
            mail.orders.append(order)
            return true
        }
        if !isTaken { order.abandon() }
    }

    /// Does something on the service thread, or nothing when the service has ended.
    func post(_ perform: @escaping @Sendable (ServiceLoop) -> Void) {
        post(Order(perform: perform, abandon: {}))
    }

    /// Ends the service: connections are cut, what was ordered is abandoned.
    ///
    /// Returns when the thread has let go of the library.
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

    /// Asks for the end of the service without waiting for it.
    func requestStop() {
        mail.withLock { mail in
            mail.isStopping = true
            mail.context?.wake()
        }
    }
}

// What happens on the service thread.
extension ServiceLoop {
    /// The thread's whole life.
    func run() {
        if let context = LibraryContext(loop: self) {
            self.context = context
            alarm = Alarm(loop: self, context: context)
            // The library tells of being woken through virtual hosts alone, so there must be one.
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

    /// Performs what is in the mailbox.
    func drain() {
        let orders = mail.withLock { mail in
            defer { mail.orders = [] }
            return mail.orders
        }
        for order in orders { order.perform(self) }
    }

    /// The virtual host of this kind, made when it is first asked for.
    func vhost(_ key: Vhost.Key) throws(WebError) -> Vhost {
        if let vhost = vhosts[key] { return vhost }
        guard let context else { throw WebError(.serviceStopped, "The service is not running.") }
        let vhost = try Vhost(key, in: context)
        vhosts[key] = vhost
        return vhost
    }

    /// Keeps a link until its connection is gone.
    func adopt(_ link: Link) { links[link.serial] = link }

    /// Lets a link go.
    func release(_ link: Link) {
        links[link.serial] = nil
        if let address = link.outgoingAddress { outgoing.close(address) }
        link.outgoingAddress = nil
    }

    /// Keeps a client's link until its connection is gone.
    func adopt(_ link: Link, to address: IPAddress) throws(WebError) {
        try outgoing.open(address)
        link.outgoingAddress = address
        adopt(link)
    }

    /// The WebSocket that a link has become.
    func socketEngine(of serial: UInt64) -> SocketEngine? { links[serial]?.socketEngine }

    /// Treats a link as if its deadline had come.
    func expire(_ serial: UInt64?) {
        if let serial { links[serial]?.expire() }
    }

    /// Makes sure that the loop looks at the link when its deadline comes.
    func schedule(_ link: Link) {
        guard let deadline = link.deadline else { return }
        if let scheduled = link.scheduled, scheduled <= deadline { return }
        link.scheduled = deadline
        let isEarliest = deadlines.first.map { deadline < $0.instant } ?? true
        deadlines.insert(LinkDeadline(instant: deadline, serial: link.serial))
        if isEarliest { alarm?.ring(after: deadline - now) }
    }

    /// Expires the links whose deadlines have come, and sets the alarm for the next.
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

    /// Tells every link that it is over, in the order of their birth, so that no run differs from another.
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
