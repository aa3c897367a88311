import Bluetooth
import Determinism
import Radio

/// The links of a radio in the central role: from the connection to the end.
final class CentralLinks {
    /// The longest wait for the end of a link that this side ends.
    private static let endTime = Duration.seconds(6)
    /// The longest wait for the end of a link whose socket bluetoothd closed.
    private static let closingTime = Duration.seconds(3)

    private let daemon: BluetoothdConnection
    private let management: BluetoothManagementSocket
    private let disconnector: LinkDisconnector
    private let records: LinkRecords
    /// The sessions, by the object of the device.
    private var sessions: [String: CentralLinkState] = [:]

    init(
        _ daemon: BluetoothdConnection, management: BluetoothManagementSocket, disconnector: LinkDisconnector,
        records: LinkRecords
    ) {
        self.daemon = daemon
        self.management = management
        self.disconnector = disconnector
        self.records = records
    }

    /// Makes a session of a link that is up.
    func open(_ device: String, _ peer: DeviceAddress, isShared: Bool) -> CentralLinkHandle {
        management.listen()
        let link = records.connected(to: peer, isCentral: true)
        let session = CentralLinkState(id: link, path: device, peer: peer, isShared: isShared)
        sessions[device] = session
        return session.opened
    }

    /// Returns true when there is a session with a device.
    func isUp(_ device: String) -> Bool { sessions[device] != nil }

    /// The session with a device; nil when there is none.
    func session(with device: String) -> CentralLinkState? { sessions[device] }

    /// The session of a link that is up and not being ended by this side.
    ///
    /// - Throws: `linkLost`.
    func session(of link: CentralLinkHandle) throws(RadioError) -> CentralLinkState {
        guard let session = sessions[link.path], session.id == link.id, !session.isDown else { throw .linkDown }
        return session
    }

    /// The ATT MTU of a link, also for a while after its end.
    func mtu(of link: CentralLinkHandle) -> Int {
        if let session = sessions[link.path], session.id == link.id { return session.mtu }
        return records.statistics(of: link.id)?.mtu ?? ATTPDU.minimumMTU
    }

    /// The statistics of a link that is up; nil when it is not.
    func statistics(of link: LinkID) -> LinkStatistics? {
        guard let session = sessions.values.first(where: { $0.id == link }) else { return nil }
        session.stopDirectCommands()
        return session.statistics
    }

    /// Sends an event to the link's consumer; one that is too far behind loses the link, as values are never dropped.
    func tell(_ event: CentralLinkEvent, _ session: CentralLinkState) {
        guard !session.isDown, !session.events.put(event, limit: BlueZRadio.maximumEvents) else { return }
        session.beginClosing(.protocolFailure)
        let link = session.opened
        daemon.handle.start { await $0.central.links.disconnect(link) }
    }

    // MARK: - The end

    /// Handles the end of one device's link.
    func lost(_ device: String, _ reason: DisconnectReason?) {
        if let session = sessions[device] { finish(session, reason) }
    }

    /// Ends the sessions of all links, because the radio is lost.
    func loseAll() {
        for session in sessions.values.sorted(by: { $0.id < $1.id }) { finish(session, .radioLost) }
    }

    /// Ends a link; returns when it is down.
    func disconnect(_ link: CentralLinkHandle, isolation: isolated any Actor = #isolation) async {
        guard let session = sessions[link.path], session.id == link.id else { return }
        await disconnect(session)
    }

    /// Ends all links, one after the other.
    func disconnectAll(isolation: isolated any Actor = #isolation) async {
        for session in sessions.values.sorted(by: { $0.id < $1.id }) { await disconnect(session) }
    }

    private func disconnect(_ session: CentralLinkState, isolation: isolated any Actor = #isolation) async {
        guard !session.isOver else { return }
        session.beginClosing(.local)
        daemon.waiters.wake()
        await end(session)
        if !session.isOver { finish(session, .local) }
    }

    /// Disconnects, or only ends the subscriptions on a link that another program opened.
    private func end(_ session: CentralLinkState, isolation: isolated any Actor = #isolation) async {
        guard session.isShared else {
            await disconnector.end(session.path)
            _ = await daemon.waiters.until(Self.endTime) { session.isOver }
            return
        }
        for object in session.subscribedObjects {
            guard case .property = session.subscription(to: object) else { continue }
            daemon.bus.begin(object, BlueZNames.characteristic, "StopNotify", timeout: .seconds(10)) { _ in }
        }
    }

    /// Ends a link that stays up although bluetoothd closed a socket of it: the peer's attributes have changed, and its
    /// user would wait for values that never come.
    func socketClosed(_ session: CentralLinkState) {
        guard !session.isDown else { return }
        let link = session.opened
        daemon.handle.start { radio in await radio.central.links.endUnlessDown(link) }
    }

    private func endUnlessDown(_ link: CentralLinkHandle, isolation: isolated any Actor = #isolation) async {
        guard let session = sessions[link.path], session.id == link.id else { return }
        guard await !daemon.waiters.until(Self.closingTime, { session.isDown }) else { return }
        session.beginClosing(.protocolFailure)
        await disconnect(session)
    }

    private func finish(_ session: CentralLinkState, _ reported: DisconnectReason?) {
        guard sessions.removeValue(forKey: session.path) != nil, !session.isOver else { return }
        // Values that arrived before the end are delivered before it.
        for object in session.subscribedObjects { receive(object, session) }
        let reason = session.finish(reported)
        records.disconnected(session.id, from: session.peer, reason, session.statistics)
        session.events.put(.disconnected(reason))
        session.events.finish()
        if !session.isShared { records.forgetter.linkEnded(session.path) }
        daemon.waiters.wake()
    }

    // MARK: - Values

    /// Reads the values that have come on the socket of a subscription.
    func receive(_ object: String, _ session: CentralLinkState) {
        guard case .socket(let characteristic, let descriptor, _) = session.subscription(to: object) else { return }
        while !session.isOver {
            switch descriptor.receive() {
            case .message(let value): deliver(value, of: characteristic, isIndication: false, session)
            case .nothing: return
            case .end:
                session.removeSubscription(to: object)
                return socketClosed(session)
            }
        }
    }

    /// Passes on a value that a subscription brought.
    func deliver(
        _ value: [UInt8], of characteristic: RemoteCharacteristic, isIndication: Bool, _ session: CentralLinkState
    ) {
        session.count(received: 1)
        records.recorder.push(
            value, handle: characteristic.valueHandle, isIndication: isIndication, .received, session.id, session.peer)
        tell(.value(value, of: characteristic, isIndication: isIndication), session)
    }
}

extension RadioError {
    static var linkDown: RadioError { RadioError(.linkLost, "the link is down") }

    static var operationCancelled: RadioError { RadioError(.cancelled, "the operation was cancelled") }
}
