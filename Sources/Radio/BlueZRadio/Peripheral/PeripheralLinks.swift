import Bluetooth
import Determinism
import Radio

/// The links of a radio in the peripheral role: the connected centrals, and the events about them.
final class PeripheralLinks {
    /// The longest wait for the end of a link that this side ends.
    private static let endTime = Duration.seconds(6)
    /// The events beyond `maximumEvents` that only connections, disconnections and similar ones may use.
    private static let eventReserve = 512

    private let daemon: BluetoothdConnection
    private let management: BluetoothManagementSocket
    private let disconnector: LinkDisconnector
    private let records: LinkRecords
    private let events: SingleConsumerQueue<PeripheralEvent>
    /// The sessions, by the object of the device.
    private var sessions: [String: PeripheralLinkState] = [:]
    private var subscriptions = SubscriptionTable()

    init(
        _ daemon: BluetoothdConnection, management: BluetoothManagementSocket, disconnector: LinkDisconnector,
        records: LinkRecords, events: SingleConsumerQueue<PeripheralEvent>
    ) {
        self.daemon = daemon
        self.management = management
        self.disconnector = disconnector
        self.records = records
        self.events = events
    }

    var isEmpty: Bool { sessions.isEmpty }

    /// Returns true when there is a session with a device.
    func isUp(_ device: String) -> Bool { sessions[device] != nil }

    /// The session of a link; nil when it is down.
    func session(of link: LinkID) -> PeripheralLinkState? { sessions.values.first { $0.id == link } }

    /// Opens the session of a central that connected, and reports the connection.
    @discardableResult func admit(_ device: String, _ peer: DeviceAddress) -> PeripheralLinkState {
        management.listen()
        let link = records.connected(to: peer, isCentral: false)
        let session = PeripheralLinkState(id: link, path: device, peer: peer)
        sessions[device] = session
        subscriptions.connected(session.id)
        events.put(.connected(session.id, peer: peer), limit: BlueZRadio.maximumEvents + Self.eventReserve)
        return session
    }

    /// The session of the device that reads or writes, as the options of its call name it; opened if there is none.
    func session(device: String?, mtu: Int?) -> PeripheralLinkState? {
        guard let device, let session = sessions[device] ?? admitUnknown(device) else { return nil }
        if let mtu, (23...517).contains(mtu), session.record(mtu: mtu) {
            tell(.mtu(session.id, mtu), session)
        }
        return session
    }

    private func admitUnknown(_ device: String) -> PeripheralLinkState? {
        guard device.hasPrefix(daemon.adapter.path + "/") else { return nil }
        return daemon.adapter.address(of: device).map { admit(device, $0) }
    }

    /// Sends an event to the consumer of the peripheral role; drops and counts it when the consumer is too far behind.
    func tell(_ event: PeripheralEvent, _ session: PeripheralLinkState) {
        if !events.put(event, limit: BlueZRadio.maximumEvents) { session.countDropped() }
    }

    // MARK: - Subscriptions

    /// Returns true when a central is known to have subscribed to the characteristic of an object.
    func isSubscribed(_ link: LinkID, to object: String) -> Bool { subscriptions.isSubscribed(link, to: object) }

    /// Records the central that bluetoothd announces as the next subscriber of a characteristic.
    func announceSubscription(by device: String?, mtu: Int?, to object: String) {
        if let session = session(device: device, mtu: mtu) { subscriptions.announce(session.id, for: object) }
    }

    /// Records and reports that a central subscribed to a characteristic.
    func subscribed(to uuid: BluetoothUUID, _ object: String) {
        if let link = subscriptions.started(object) { tellSubscription(link, uuid, true) }
    }

    /// Records and reports that no central is subscribed to a characteristic any more.
    func unsubscribed(from uuid: BluetoothUUID, _ object: String) {
        for link in subscriptions.stopped(object) { tellSubscription(link, uuid, false) }
    }

    /// Forgets the subscriptions to objects that are gone.
    func forgetSubscriptions(_ isGone: (String) -> Bool) { subscriptions.forget(isGone) }

    private func tellSubscription(_ link: LinkID, _ uuid: BluetoothUUID, _ isSubscribed: Bool) {
        guard let session = session(of: link) else { return }
        session.count(received: 1)
        tell(.subscribed(link, characteristic: uuid, isSubscribed: isSubscribed), session)
    }

    // MARK: - The end

    /// Ends a link, see `PeripheralRadio`.
    func disconnect(_ link: LinkID, isolation: isolated any Actor = #isolation) async {
        guard let session = session(of: link), !session.isOver else { return }
        session.beginClosing(.local)
        // The last pushed value is on its way through bluetoothd and the kernel; the command to end would overtake it.
        if let last = session.pushedAt { _ = await daemon.waiters.until(last + .milliseconds(150)) { session.isOver } }
        await disconnector.end(session.path)
        _ = await daemon.waiters.until(Self.endTime) { session.isOver }
        if !session.isOver { finish(session, .local) }
    }

    /// Ends all links, one after the other.
    func disconnectAll(isolation: isolated any Actor = #isolation) async {
        for link in sessions.values.map(\.id).sorted() { await disconnect(link) }
    }

    /// Handles the end of one central's link.
    func lost(_ device: String, _ reason: DisconnectReason?) {
        if let session = sessions[device] { finish(session, reason) }
    }

    /// Ends the sessions of all links, because the radio is lost.
    func loseAll() {
        for session in sessions.values.sorted(by: { $0.id < $1.id }) { finish(session, .radioLost) }
    }

    private func finish(_ session: PeripheralLinkState, _ reported: DisconnectReason?) {
        guard sessions.removeValue(forKey: session.path) != nil else { return }
        let reason = session.finish(reported)
        subscriptions.disconnected(session.id)
        records.disconnected(session.id, from: session.peer, reason, session.statistics)
        events.put(.disconnected(session.id, reason), limit: BlueZRadio.maximumEvents + Self.eventReserve)
        records.forgetter.linkEnded(session.path)
        daemon.waiters.wake()
    }
}
