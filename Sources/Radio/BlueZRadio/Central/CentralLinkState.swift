import Bluetooth
import Determinism
import Radio

/// The handle of a link in the central role that its user holds.
struct CentralLinkHandle: Sendable {
    let id: LinkID
    let path: String
    let peer: DeviceAddress
    let events: SingleConsumerQueue<CentralLinkEvent>
    let directCommands: DirectWriteCommands
}

/// The radio's state of one of its links as central; only the radio accesses it.
final class CentralLinkState {
    /// The way in which the notified values of a characteristic arrive from bluetoothd.
    enum NotificationDelivery {
        /// Values arrive on a socket of their own.
        case socket(RemoteCharacteristic, FileDescriptor, FileDescriptorWatch)
        /// Values arrive as changes of the property `Value` on D-Bus.
        case property(RemoteCharacteristic)
    }

    /// The part of the session that its user holds.
    let opened: CentralLinkHandle
    /// True when another program asked for the link, and ends it; this program only uses it.
    let isShared: Bool
    let channels = WriteCommandSockets()
    private var phase = LinkPhase.up
    /// Nil before the services have been looked at.
    private var table: RemoteAttributeTable?
    /// The subscriptions, by the object of the characteristic.
    private var subscriptions: [String: NotificationDelivery] = [:]
    private var flow = WriteCommandFlowControl()

    private(set) var statistics = LinkStatistics(mtu: ATTPDU.minimumMTU)

    /// True while an operation on the link is under way.
    private(set) var isBusy = false

    init(id: LinkID, path: String, peer: DeviceAddress, isShared: Bool = false) {
        opened = CentralLinkHandle(
            id: id, path: path, peer: peer, events: SingleConsumerQueue<CentralLinkEvent>(),
            directCommands: DirectWriteCommands())
        self.isShared = isShared
    }

    var id: LinkID { opened.id }

    /// The object of the device.
    var path: String { opened.path }

    var peer: DeviceAddress { opened.peer }

    var events: SingleConsumerQueue<CentralLinkEvent> { opened.events }

    /// The path of write commands that bypasses the radio.
    private var directCommands: DirectWriteCommands { opened.directCommands }

    var mtu: Int { statistics.mtu }

    // MARK: - Phase

    var isOver: Bool { phase == .over }

    /// True when the link takes no more requests.
    var isDown: Bool { phase.isDown }

    /// Records that this side ends the link, and ends direct commands; the first reason stays.
    func beginClosing(_ reason: DisconnectReason) {
        phase.beginClosing(reason)
        stopDirectCommands()
    }

    /// Records the end of the link, and closes its sockets.
    ///
    /// - Returns: The reason for the consumer, see `LinkPhase.finish`.
    func finish(_ reported: DisconnectReason?) -> DisconnectReason {
        let reason = phase.finish(reported)
        stopDirectCommands()
        subscriptions = [:]
        channels.removeAll()
        return reason
    }

    // MARK: - Attributes

    /// True once the services of the peer have been read.
    var hasTable: Bool { table != nil }

    /// Records the attributes that the device offers.
    func record(_ table: RemoteAttributeTable) { self.table = table }

    /// The object of a characteristic, looked up in `tree` before the services have been recorded; nil when there is
    /// none.
    func object(of characteristic: RemoteCharacteristic, in tree: BusObjectTree) -> String? {
        (table ?? RemoteAttributeTable(tree, device: path)).path(of: characteristic)
    }

    /// Records the ATT MTU, and ends direct commands, whose limit follows from it; false when it is the same as before.
    func record(mtu: Int) -> Bool {
        guard mtu != self.mtu else { return false }
        stopDirectCommands()
        statistics.mtu = mtu
        return true
    }

    // MARK: - Operations

    /// Begins an operation, while none is under way; direct commands end, so that the order stays.
    func beginOperation() {
        precondition(!isBusy, "operations go one after the other")
        isBusy = true
        stopDirectCommands()
    }

    func endOperation() { isBusy = false }

    /// Counts ATT PDUs.
    func count(sent: Int = 0, received: Int = 0) {
        statistics.pdusSent += sent
        statistics.pdusReceived += received
    }

    // MARK: - Write commands

    /// True when no write command may follow before bluetoothd has answered.
    var mustWaitForAnswer: Bool { flow.mustWait }

    /// Counts a write command for flow control; true when bluetoothd has to be asked for an answer now.
    func sentCommand() -> Bool { flow.sent() }

    /// Counts the answer of bluetoothd, or its failure.
    func answered() { flow.answered() }

    /// Lets the write commands that follow go past the radio's queue.
    func startDirectCommands(_ channel: WriteCommandSockets.WriteCommandSocket, valueHandle: UInt16, limit: Int) {
        directCommands.open(channel.descriptor, valueHandle: valueHandle, limit: limit, count: flow.directCommands)
    }

    /// Ends direct commands, and counts those sent.
    func stopDirectCommands() {
        let sent = directCommands.shut()
        count(sent: sent)
        flow.sentDirectly(sent)
    }

    // MARK: - Subscriptions

    /// The characteristics with a subscription, by their objects, the last of the device's table first.
    ///
    /// Of values that wait on two sockets it is not known which came first. Services declare what controls a session
    /// (State of ISO/IEC 18013-5) before what carries data, and its end is told last.
    var subscribedObjects: [String] { subscriptions.keys.sorted(by: >) }

    /// The subscription to a characteristic by its object; nil when there is none.
    func subscription(to object: String) -> NotificationDelivery? { subscriptions[object] }

    func add(_ subscription: NotificationDelivery, to object: String) { subscriptions[object] = subscription }

    /// Removes a subscription, and returns it; nil when there is none.
    @discardableResult func removeSubscription(to object: String) -> NotificationDelivery? {
        subscriptions.removeValue(forKey: object)
    }
}
