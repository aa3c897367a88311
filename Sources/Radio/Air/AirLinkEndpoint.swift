import Bluetooth
import Determinism

/// One of the two ends of a connection: central or peripheral.
enum AirLinkRole: Sendable {
    case central, peripheral

    var other: AirLinkRole { self == .central ? .peripheral : .central }
}

/// One end of a connection: its queue, the packet that waits for its acknowledgement, and its counters.
///
/// A link layer has one packet outstanding at a time: it sends a packet until the peer acknowledges it, then the next.
struct AirLinkEndpoint: Sendable {
    /// An item to send, in order: a frame of the host, or the link layer's notice that the link ends.
    enum TransmitItem: Sendable {
        case frame([UInt8])
        case terminate

        /// The number of bytes to send; an LL_TERMINATE_IND counts two, an opcode and a reason.
        var byteCount: Int {
            switch self {
            case .frame(let bytes): bytes.count
            case .terminate: 2
            }
        }
    }

    /// A packet that was sent at least once and is not acknowledged.
    struct OutstandingPacket: Sendable {
        let byteCount: Int
        let isLastOfItem: Bool
        let isControl: Bool
        var hasArrived = false
    }

    /// The position of the next new packet.
    private struct NextPacketPosition: Sendable {
        /// The index of an item in the queue.
        var item = 0
        /// The offset in it.
        var byte = 0
    }

    /// The present connection event at this end.
    private struct ConnectionEventState: Sendable {
        /// The number of packets with data.
        var carried = 0
        /// True when the packet of the present exchange has data.
        var carriesData = false
        /// The number of packets in a row that were heard corrupted.
        var corruptedInRow = 0
    }

    let device: AirDeviceID
    let address: DeviceAddress
    let queueCapacity: Int

    /// False once the host got the end of the link, or was removed.
    var isUp = true
    /// The time at which the link ends although the queue is not empty; set by `disconnect`.
    var closeDeadline: MonotonicInstant?
    /// The time at which this end last received a packet.
    var lastHeard: MonotonicInstant
    var statistics = AirLinkStatistics()

    private(set) var queue: [TransmitItem] = []
    private(set) var outstanding: OutstandingPacket?
    private var next = NextPacketPosition()
    private var event = ConnectionEventState()
    private var idleSinceBusy = 0

    init(device: AirDeviceID, address: DeviceAddress, queueCapacity: Int, now: MonotonicInstant) {
        self.device = device
        self.address = address
        self.queueCapacity = min(1024, max(1, queueCapacity))
        lastHeard = now
    }

    /// True when this end's packet of the present exchange has data.
    var carriesData: Bool { event.carriesData }

    /// The number of packets in a row that this end heard corrupted in the present event.
    var corruptedInRow: Int {
        get { event.corruptedInRow }
        set { event.corruptedInRow = newValue }
    }

    /// True once `disconnect` was requested at this end.
    var isClosing: Bool { closeDeadline != nil }

    /// True while data is not sent, or sent and not acknowledged.
    var isBusy: Bool { !queue.isEmpty }

    /// True when the queue holds all it may.
    var isFull: Bool { queue.count >= queueCapacity }

    /// True when a packet waits that was never sent.
    var hasNewPacket: Bool { next.item < queue.count }

    mutating func enqueue(_ item: TransmitItem) {
        queue.append(item)
    }

    // MARK: - Packets

    /// The payload bytes of the next packet if the peer acknowledges what it got; 0 for an empty packet.
    func plannedByteCount(dataLength: Int) -> Int {
        if let outstanding, !outstanding.hasArrived { return outstanding.byteCount }
        return newByteCount(dataLength: dataLength)
    }

    /// Sends the outstanding packet again, or a new one if `mayBegin`, or an empty one; returns its payload bytes.
    mutating func beginPacket(dataLength: Int, mayBegin: Bool) -> (byteCount: Int, isRetry: Bool) {
        event.carriesData = true
        if let outstanding {
            event.carried += 1
            statistics.retransmissions += 1
            return (outstanding.byteCount, true)
        }
        guard mayBegin, hasNewPacket else {
            event.carriesData = false
            return (0, false)
        }
        event.carried += 1
        return (takeNewPacket(dataLength: dataLength), false)
    }

    private func newByteCount(dataLength: Int) -> Int {
        hasNewPacket ? min(dataLength, queue[next.item].byteCount - next.byte) : 0
    }

    private mutating func takeNewPacket(dataLength: Int) -> Int {
        let item = queue[next.item]
        let count = newByteCount(dataLength: dataLength)
        let isLast = next.byte + count == item.byteCount
        var isControl = false
        if case .terminate = item { isControl = true }
        if !isControl { statistics.packetsSent += 1 }
        outstanding = OutstandingPacket(byteCount: count, isLastOfItem: isLast, isControl: isControl)
        next.item += isLast ? 1 : 0
        next.byte = isLast ? 0 : next.byte + count
        return count
    }

    /// Records that the outstanding packet reached the peer; returns it, or nil when it had arrived before.
    mutating func packetArrived() -> OutstandingPacket? {
        guard let packet = outstanding, !packet.hasArrived else { return nil }
        outstanding?.hasArrived = true
        return packet
    }

    /// Records the peer's acknowledgement of the outstanding packet; returns true when a frame has left the queue.
    mutating func packetAcknowledged() -> Bool {
        guard let packet = outstanding, packet.hasArrived else { return false }
        outstanding = nil
        guard packet.isLastOfItem, let item = queue.first else { return false }
        queue.removeFirst()
        next.item -= 1
        statistics.bytesSent += max(0, item.byteCount - L2CAPFrameSummary.headerBytes)
        return true
    }

    // MARK: - Connection events

    /// Records that a connection event begins; `skipped` events before it had no data of either side.
    mutating func beginEvent(skipped: Int) {
        if statistics.busyEvents > 0 { idleSinceBusy += skipped }
        event = ConnectionEventState()
    }

    /// Records the end of a connection event; `hadRoom` is true when another packet would have fit, but neither end
    /// had more to send.
    mutating func endEvent(hadRoom: Bool) {
        if event.carried > 0 {
            statistics.idleEvents += idleSinceBusy
            idleSinceBusy = 0
            statistics.busyEvents += 1
        }
        let ranOut = hadRoom && !hasNewPacket && outstanding.map(\.hasArrived) ?? true
        if ranOut, statistics.busyEvents > 0 { idleSinceBusy += 1 }
    }
}
