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
}

/// What waits to happen: a heap of plain numbers, beside which lies what they are about.
struct CrowdQueue: Sendable {
    private struct Entry: Sendable {
        let at: UInt64
        let device: UInt32
        let source: UInt32
        let sequence: UInt32
        /// Where its kind lies.
        let place: UInt32

        @inline(__always)
        func precedes(_ other: Entry) -> Bool {
            if at != other.at { return at < other.at }
            if device != other.device { return device < other.device }
            return source != other.source ? source < other.source : sequence < other.sequence
        }
    }

    private var entries: [Entry] = []
    private var kinds: [CrowdEvent.Kind?] = []
    private var free: [UInt32] = []

    var first: UInt64? { entries.first?.at }

    mutating func insert(_ event: CrowdEvent) {
        let place: UInt32
        if let last = free.popLast() {
            place = last
            kinds[Int(last)] = event.kind
        } else {
            place = UInt32(kinds.count)
            kinds.append(event.kind)
        }
        let entry = Entry(
            at: event.at, device: event.device, source: event.source, sequence: event.sequence, place: place)
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 4
            guard entry.precedes(entries[parent]) else { break }
            entries[child] = entries[parent]
            child = parent
        }
        entries[child] = entry
    }

    /// Takes the first event if it comes before `limit`.
    mutating func popFirst(before limit: UInt64) -> CrowdEvent? {
        guard let first = entries.first, first.at < limit, let kind = kinds[Int(first.place)].take() else { return nil }
        free.append(first.place)
        let last = entries.removeLast()
        if !entries.isEmpty { sink(last) }
        return CrowdEvent(
            at: first.at, device: first.device, source: first.source, sequence: first.sequence, kind: kind)
    }

    /// Puts an entry into the hole at the top.
    private mutating func sink(_ entry: Entry) {
        var parent = 0
        while true {
            let children = 4 * parent + 1..<min(4 * parent + 5, max(entries.count, 4 * parent + 1))
            guard var least = children.first else { break }
            for child in children.dropFirst() where entries[child].precedes(entries[least]) { least = child }
            guard entries[least].precedes(entry) else { break }
            entries[parent] = entries[least]
            parent = least
        }
        entries[parent] = entry
    }
}
