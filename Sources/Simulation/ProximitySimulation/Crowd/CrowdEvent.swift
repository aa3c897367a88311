import Air
import Bluetooth
import DataStructures

/// An event that is scheduled for a device of a crowd.
///
/// The order of two events depends on the events alone: on the instant, the target device, the source device, and the
/// number of events of that source before. So it does not matter which thread made them.
struct CrowdEvent: Sendable {
    enum Kind: Sendable {
        /// The device's controller reports the advertisements since its last report.
        case look
        /// The deadline of the device's host has come.
        case deadline
        /// The Bluetooth address of the device changes.
        case rotate
        /// A connection request of the device reaches the peer.
        case initiate(ticket: UInt32)
        /// A central requests a connection; `link` is its name for it.
        case request(link: UInt32, ticket: UInt32)
        /// The peripheral accepts the connection; `mine` is its number for the connection, `yours` the central's.
        case accept(yours: UInt32, mine: UInt32, ticket: UInt32)
        /// The peripheral refuses the connection, because it does not advertise or has no room.
        case refuse(ticket: UInt32)
        case frame(link: UInt32, [UInt8])
        /// A connection ends; `link` is the receiver's number for it.
        case down(link: UInt32, reason: UInt8)
        /// The controller confirms to its host that the connection attempt was cancelled.
        case cancelled
        /// The controller reports to its host how strong a link is, in dBm.
        case strength(link: UInt32, peer: UInt32, rssi: Int8?)
    }

    let at: UInt64
    let device: UInt32
    let source: UInt32
    let sequence: UInt32
    let kind: Kind
}

/// The scheduled events in the order of time: plain numbers, and beside them the kinds of events.
///
/// Events of later slices of time wait unsorted, slice by slice, so that few entries are moved in a large crowd.
struct CrowdEventQueue: Sendable {
    /// The queue's entry of one event, in plain numbers.
    private struct QueuedCrowdEvent: Prioritized, Sendable {
        let at: UInt64
        let device: UInt32
        let source: UInt32
        let sequence: UInt32
        /// The index of the event's kind in `kinds`.
        let kind: UInt32

        @inline(__always)
        func precedes(_ other: QueuedCrowdEvent) -> Bool {
            if at != other.at { return at < other.at }
            if device != other.device { return device < other.device }
            return source != other.source ? source < other.source : sequence < other.sequence
        }
    }

    /// The number of slices with their own lists; later events wait in a heap.
    private static let listCount = 512

    /// The events of the present slice, in order from `position` on; those added since are in `near`.
    private var current: [QueuedCrowdEvent] = []
    private var position = 0
    private var near = PriorityQueue<QueuedCrowdEvent>()
    private var lists = [[QueuedCrowdEvent]](repeating: [], count: listCount)
    private var far = PriorityQueue<QueuedCrowdEvent>()
    /// The number of events in `lists`, which wait for later slices.
    private var listed = 0
    /// The slice up to which everything is in `current` or `near`.
    private var slice: UInt64 = 0
    private var kinds: [CrowdEvent.Kind?] = []
    private var free: [UInt32] = []

    /// The time of the first event in the queue, in nanoseconds; nil when it is empty.
    var first: UInt64? {
        var first = [present?.at, near.first?.at, far.first?.at].compactMap(\.self).min()
        guard listed > 0 else { return first }
        for step in 1...UInt64(Self.listCount) {
            let list = Int((slice &+ step) % UInt64(Self.listCount))
            guard !lists[list].isEmpty else { continue }
            for entry in lists[list] { first = min(first ?? .max, entry.at) }
            break
        }
        return first
    }

    mutating func insert(_ event: CrowdEvent) {
        let kind: UInt32
        if let last = free.popLast() {
            kind = last
            kinds[Int(last)] = event.kind
        } else {
            kind = UInt32(kinds.count)
            kinds.append(event.kind)
        }
        let entry = QueuedCrowdEvent(
            at: event.at, device: event.device, source: event.source, sequence: event.sequence, kind: kind)
        let due = event.at / CrowdShard.slice
        if due <= slice {
            near.insert(entry)
        } else if due - slice < Self.listCount {
            lists[Int(due % UInt64(Self.listCount))].append(entry)
            listed += 1
        } else {
            far.insert(entry)
        }
    }

    /// Removes and returns the first event if it comes before `limit`, which must not decrease.
    mutating func popFirst(before limit: UInt64) -> CrowdEvent? {
        advance(to: limit)
        guard let first = popEntry(before: limit), let kind = kinds[Int(first.kind)].take() else { return nil }
        free.append(first.kind)
        return CrowdEvent(
            at: first.at, device: first.device, source: first.source, sequence: first.sequence, kind: kind)
    }

    /// The indices of the next few events in `current`.
    func upcoming(_ count: Int) -> Range<Int> { position..<min(position + count, current.count) }

    /// The number of the device for which an upcoming event is scheduled.
    func device(at index: Int) -> Int { Int(current[index].device) }

    /// True when the host handles an upcoming event; the controller handles the others.
    func concernsHost(at index: Int) -> Bool {
        switch kinds[Int(current[index].kind)] {
        case .initiate, .refuse, nil: false
        case .look, .deadline, .rotate, .request, .accept, .frame, .down, .cancelled, .strength: true
        }
    }

    private var present: QueuedCrowdEvent? { position < current.count ? current[position] : nil }

    private mutating func popEntry(before limit: UInt64) -> QueuedCrowdEvent? {
        guard let present, present.at < limit else { return near.popFirst { $0.at < limit } }
        if let other = near.first, other.precedes(present) { return near.popFirst { $0.at < limit } }
        position += 1
        return present
    }

    /// Advances the queue to `limit`: moves the events before it into `current`, and sorts them.
    mutating func advance(to limit: UInt64) {
        if limit > 0 { advance(toSlice: (limit - 1) / CrowdShard.slice) }
    }

    private mutating func advance(toSlice last: UInt64) {
        guard last > slice else { return }
        current.removeFirst(position)
        position = 0
        let rest = current.count
        for step in 1...min(last - slice, UInt64(Self.listCount)) where listed > 0 {
            let list = Int((slice &+ step) % UInt64(Self.listCount))
            current += lists[list]
            listed -= lists[list].count
            lists[list].removeAll(keepingCapacity: true)
        }
        slice = last
        while let entry = far.popFirst(where: { $0.at < (last + 1) * CrowdShard.slice }) { current.append(entry) }
        if current.count > rest { current.sort { $0.precedes($1) } }
    }
}
