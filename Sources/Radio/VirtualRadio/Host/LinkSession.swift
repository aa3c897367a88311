import Bluetooth
import Determinism
import Radio
import Simulation

/// What an operation on a link ends with.
enum LinkReply: Sendable {
    case outcome(GATTClient.Outcome)
    case done
    case statistics
}

/// What can be asked of a link.
enum LinkRequest: Sendable {
    case procedure(GATTClient.Procedure)
    case notify([UInt8], of: BluetoothUUID, confirmed: Bool)
    case statistics

    /// Whether it is over as soon as the controller's queue has taken it.
    var endsWhenQueued: Bool {
        switch self {
        case .procedure(.writeCommand): true
        case .notify(_, _, let confirmed): !confirmed
        case .procedure, .statistics: false
        }
    }
}

/// Both ATT ends of one link, with what waits to be sent and who waits for what; belongs to one radio.
final class LinkSession {
    /// How many PDUs may wait behind the controller's queue.
    static let maximumOutbox = 4096
    /// How many operations may be under way.
    static let maximumOperations = 1024

    /// A PDU that the controller's queue has no room for yet; `waiter` is told when it has.
    struct Outbound {
        let pdu: [UInt8]
        var waiter: UInt64?
    }

    /// Somebody who waits.
    struct Operation {
        let continuation: CheckedContinuation<Result<LinkReply, RadioError>, Never>
        let endsWhenQueued: Bool
    }

    let id: LinkID
    let air: LinkID
    let peer: DeviceAddress
    let isCentral: Bool
    let parameters: LinkParameters
    let queueCapacity: Int

    var client: GATTClient
    var server: GATTServer

    var outbox: [Outbound] = []
    var inFlight = 0
    var operations: [UInt64: Operation] = [:]
    /// Who waits for the controller's counters, and until when.
    var statisticsWaiters: [(id: UInt64, deadline: MonotonicInstant)] = []
    /// Who waits for the end.
    var endWaiters: [CheckedContinuation<Void, Never>] = []

    /// What a central hears; nil on a peripheral's link.
    var events: Mailbox<CentralLinkEvent>?
    /// The characteristics whose values the consumer asked for, by handle.
    var subscriptions: [UInt16: RemoteCharacteristic] = [:]

    /// Why this side ends the link, once it does; nothing is sent any more then.
    var closing: DisconnectReason?
    /// When the end is taken for granted although the air has not told it.
    var closeDeadline: MonotonicInstant?

    var counters: AirLinkStatistics?
    var pdusSent = 0
    var pdusReceived = 0
    var droppedEvents = 0
    /// Values that the peer pushed of characteristics that were not subscribed to.
    var unsubscribedValues = 0
    var mtu = ATTPDU.minimumMTU

    init(
        id: LinkID, air: LinkID, peer: DeviceAddress, isCentral: Bool, parameters: LinkParameters,
        queueCapacity: Int, client: GATTClient, server: GATTServer
    ) {
        self.id = id
        self.air = air
        self.peer = peer
        self.isCentral = isCentral
        self.parameters = parameters
        self.queueCapacity = queueCapacity
        self.client = client
        self.server = server
    }

    /// When something is overdue next.
    var nextDeadline: MonotonicInstant? {
        [client.nextDeadline, server.nextDeadline, closeDeadline, statisticsWaiters.first?.deadline]
            .compactMap { $0 }.min()
    }

    /// What is known of the link.
    var statistics: LinkStatistics {
        LinkStatistics(
            parameters: parameters, mtu: mtu, packetsSent: counters?.packetsSent,
            packetsReceived: counters?.packetsReceived, retransmissions: counters?.retransmissions,
            pdusSent: pdusSent, pdusReceived: pdusReceived,
            droppedByHost: counters.map { $0.droppedByHost + droppedEvents },
            unsubscribedValues: isCentral ? unsubscribedValues : nil, idleEvents: counters?.idleEvents,
            busyEvents: counters?.busyEvents)
    }

    /// Ends one operation; does nothing when it has ended.
    func end(_ operation: UInt64, with result: Result<LinkReply, RadioError>) {
        operations.removeValue(forKey: operation)?.continuation.resume(returning: result)
    }

    /// Ends all operations, in the order in which they began.
    func endAll(with error: RadioError) {
        outbox = []
        statisticsWaiters = []
        for operation in operations.keys.sorted() { end(operation, with: .failure(error)) }
    }
}
