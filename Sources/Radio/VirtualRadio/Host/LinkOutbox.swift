/// The PDUs of one link that wait until the controller's queue has room, and the number that it holds.
struct LinkOutbox {
    /// The most PDUs that may wait behind the controller's queue.
    static let maximumCount = 4096

    /// A PDU that the controller's queue has no room for yet; `waiter` is the operation that ends when it has.
    struct WaitingPDU {
        let pdu: [UInt8]
        var waiter: UInt64?
    }

    private let capacity: Int
    private var waiting: [WaitingPDU] = []
    /// The number of PDUs at the head of `waiting` that the controller has.
    private var taken = 0
    private var inFlight = 0

    /// Makes an empty outbox for a controller that queues `capacity` frames.
    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { waiting.isEmpty }

    /// Appends a PDU; false when too many wait.
    mutating func append(_ pdu: [UInt8]) -> Bool {
        guard waiting.count < Self.maximumCount else { return false }
        waiting.append(WaitingPDU(pdu: pdu))
        return true
    }

    /// Ends an operation when the controller takes the last PDU; there is one.
    mutating func awaitLast(_ operation: UInt64) { waiting[waiting.count - 1].waiter = operation }

    /// The next PDU for the controller; nil while its queue is full.
    ///
    /// `removeTaken` follows.
    mutating func takeNext() -> WaitingPDU? {
        guard inFlight < capacity, taken < waiting.count else { return nil }
        defer { taken += 1 }
        inFlight += 1
        return waiting[taken]
    }

    mutating func removeTaken() {
        if taken > 0 { waiting.removeFirst(taken) }
        taken = 0
    }

    /// Records that the controller has sent a frame.
    mutating func sent() { inFlight -= 1 }

    /// Removes the PDU with which an operation ends.
    mutating func remove(of operation: UInt64) { waiting.removeAll { $0.waiter == operation } }

    mutating func removeAll() {
        waiting = []
        taken = 0
    }
}
