import Bluetooth
import Simulation

/// What is going to happen to a device of a crowd.
///
/// The order of two events is decided by what they are alone: by the instant, whom they strike, who caused them, and how many that
/// one had caused before. So it does not matter which thread made them.
struct CrowdEvent: Sendable {
    enum Kind: Sendable {
        /// The controller tells what it has heard since the last time.
        case look
        /// The host's deadline has come.
        case deadline
        /// The address changes.
        case rotate
        /// A connect that was asked for would come about now.
        case initiate(ticket: UInt32)
        /// A central asks for a connection; `link` is its name for it.
        case request(link: UInt32, ticket: UInt32)
        /// The peripheral agreed; `mine` is its name for the connection.
        case accept(yours: UInt32, mine: UInt32, ticket: UInt32)
        /// The peripheral does not advertise, or has no room.
        case refuse(ticket: UInt32)
        case frame(link: UInt32, [UInt8])
        case sent(link: UInt32)
        /// A connection ends: of the receiver, by its name of it.
        case down(link: UInt32, reason: UInt8)
        /// The controller answers its host; `peer` is who it is about.
        case tell(AirEvent, peer: UInt32?)
    }

    let at: UInt64
    let device: UInt32
    let source: UInt32
    let sequence: UInt32
    let kind: Kind

    func precedes(_ other: CrowdEvent) -> Bool {
        if at != other.at { return at < other.at }
        if device != other.device { return device < other.device }
        return source != other.source ? source < other.source : sequence < other.sequence
    }
}

/// What waits to happen: a binary heap.
struct CrowdQueue: Sendable {
    private var events: [CrowdEvent] = []

    var first: UInt64? { events.first?.at }

    mutating func insert(_ event: CrowdEvent) {
        events.append(event)
        var child = events.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard events[child].precedes(events[parent]) else { return }
            events.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the first event if it comes before `limit`.
    mutating func popFirst(before limit: UInt64) -> CrowdEvent? {
        guard let first = events.first, first.at < limit else { return nil }
        let last = events.removeLast()
        guard !events.isEmpty else { return first }
        events[0] = last
        var parent = 0
        while true {
            var least = parent
            let child = 2 * parent + 1
            if child < events.count, events[child].precedes(events[least]) { least = child }
            if child + 1 < events.count, events[child + 1].precedes(events[least]) { least = child + 1 }
            guard least != parent else { return first }
            events.swapAt(least, parent)
            parent = least
        }
    }
}
