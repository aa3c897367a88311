import Aries
import DIDComm
import Determinism

/// What waits to be sent: a lane for each connection, in order, and only so many lanes at a time.
struct Lanes {
    /// One thing to send.
    enum Item: Sendable {
        /// Of a handshake, which says itself when to try again.
        case handshake(OutgoingMessage)
        /// A question whether a connection is used again.
        case reuse(OutgoingMessage, id: String)
        /// Sent once, because the other side asks again when it is lost.
        case once(OutgoingMessage)
        /// Sent once, and told what became of it; by a key that is kept nowhere else, if one is given.
        case single(OutgoingMessage, key: AgentKey?)
        /// To the mediator, from something that says itself when to try again.
        case mediator(OutgoingMessage)
        /// Of the outbox, which is tried again until it is handed over.
        case outbox(OutboxRecord)

        var isOfOutbox: Bool {
            if case .outbox = self { true } else { false }
        }

        var messageID: String {
            switch self {
            case .handshake(let outgoing), .reuse(let outgoing, _), .once(let outgoing), .single(let outgoing, _),
                .mediator(let outgoing):
                outgoing.message.id
            case .outbox(let record): record.message.id
            }
        }
    }

    private struct Lane {
        var items: [Item] = []
        var failures = 0
        var blockedUntil: MonotonicInstant?
        /// Whether it waits until the other side shows itself.
        var isHeld = false
        var task: Task<Void, Never>?
    }

    private var lanes: [String: Lane] = [:]

    /// When a lane that waits may go on.
    var nextDeadline: MonotonicInstant? { lanes.values.compactMap(\.blockedUntil).min() }

    var activeCount: Int { lanes.values.count { $0.task != nil } }

    /// Whether something for the connection waits or is on its way.
    func isInUse(_ connection: String) -> Bool { lanes[connection] != nil }

    mutating func append(_ item: Item, to connection: String) {
        var lane = lanes[connection] ?? Lane()
        if case .outbox = item {
            lane.items.append(item)
        } else {
            // What the connection itself needs does not wait behind what waits for it, and is not sent twice.
            lane.items.removeAll { !$0.isOfOutbox && $0.messageID == item.messageID }
            lane.items.insert(item, at: lane.items.firstIndex(where: \.isOfOutbox) ?? lane.items.endIndex)
            (lane.isHeld, lane.blockedUntil) = (false, nil)
        }
        lanes[connection] = lane
    }

    /// Takes back what was not sent yet of the message with that `@id`.
    mutating func withdraw(_ messageID: String, from connection: String) {
        lanes[connection]?.items.removeAll { !$0.isOfOutbox && $0.messageID == messageID }
    }

    /// The next item of a lane that is free and not blocked.
    mutating func take(_ connection: String, at now: MonotonicInstant) -> Item? {
        guard var lane = lanes[connection], lane.task == nil, !lane.items.isEmpty else { return nil }
        guard !lane.isHeld, lane.blockedUntil ?? now <= now else { return nil }
        lane.blockedUntil = nil
        let item = lane.items.removeFirst()
        lanes[connection] = lane
        return item
    }

    mutating func begin(_ connection: String, _ task: Task<Void, Never>) { lanes[connection]?.task = task }

    mutating func finish(_ connection: String) {
        lanes[connection]?.task = nil
        lanes[connection]?.failures = 0
        if lanes[connection]?.items.isEmpty == true { lanes[connection] = nil }
    }

    /// Puts an item back at the head, to wait; false when it has failed often enough and waits for the other side.
    ///
    /// - Parameter waits: how long to wait after each failure; none: until the other side shows itself.
    mutating func putBack(
        _ item: Item, on connection: String, now: MonotonicInstant, waits: [Duration]
    ) -> Bool {
        var lane = lanes[connection] ?? Lane()
        lane.task = nil
        lane.items.insert(item, at: 0)
        defer { lanes[connection] = lane }
        guard lane.failures < waits.count else {
            lane.failures = 0
            lane.isHeld = true
            return false
        }
        lane.blockedUntil = now + waits[lane.failures]
        lane.failures += 1
        return true
    }

    /// Lanes that have something to send and are neither busy nor blocked, in the order of their names.
    func due(at now: MonotonicInstant) -> [String] {
        lanes.filter { _, lane in
            lane.task == nil && !lane.items.isEmpty && !lane.isHeld && lane.blockedUntil ?? now <= now
        }.keys.sorted()
    }

    /// Lets a lane go on at once, because the other side has shown itself.
    mutating func unblock(_ connection: String) {
        lanes[connection]?.blockedUntil = nil
        lanes[connection]?.isHeld = false
    }

    mutating func remove(_ connection: String) { lanes.removeValue(forKey: connection)?.task?.cancel() }

    mutating func cancelAll() {
        for lane in lanes.values { lane.task?.cancel() }
        lanes = [:]
    }
}
