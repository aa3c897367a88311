import Bluetooth
import Determinism
import Radio

/// The links of a radio in the central role: from the connection to the end.
final class CentralLinks {
    /// The longest wait for the end of a link that this side ends.
    private static let endTime = Duration.seconds(6)

    private let handle: RadioHandle
    private let bus: BusConnection
    private let waiters: EventWaiters
    private let management: ManagementSocket
    private let register: LinkRegistry
    private let recorder: PacketRecorder
    private let ender: LinkDisconnector
    /// The sessions, by the object of the device.
    private var sessions: [String: CentralSession] = [:]

    init(
        _ handle: RadioHandle, _ bus: BusConnection, _ waiters: EventWaiters, _ management: ManagementSocket,
        _ register: LinkRegistry, _ recorder: PacketRecorder, _ ender: LinkDisconnector
    ) {
        self.handle = handle
        self.bus = bus
        self.waiters = waiters
        self.management = management
        self.register = register
        self.recorder = recorder
        self.ender = ender
    }

    /// Makes a session of a link that is up.
    func open(_ device: String, _ peer: DeviceAddress, isShared: Bool) -> OpenedLink {
        management.listen()
        let session = CentralSession(id: register.next(), path: device, peer: peer, isShared: isShared)
        sessions[device] = session
        recorder.connected(session.id, peer, isCentral: true)
        return session.opened
    }

    /// Returns true when there is a session with a device.
    func isUp(_ device: String) -> Bool { sessions[device] != nil }

    /// The session with a device; nil when there is none.
    func session(with device: String) -> CentralSession? { sessions[device] }

    /// The session of a link that can be asked.
    ///
    /// - Throws: `linkLost`.
    func session(of link: OpenedLink) throws(RadioError) -> CentralSession {
        guard let session = sessions[link.path], session.id == link.id, !session.isDown else { throw .linkDown }
        return session
    }

    /// The ATT MTU of a link, also for a while after its end.
    func mtu(of link: OpenedLink) -> Int {
        if let session = sessions[link.path], session.id == link.id { return session.mtu }
        return register.statistics(of: link.id)?.mtu ?? ATTPDU.minimumMTU
    }

    /// The statistics of a link that is up; nil when it is not.
    func statistics(of link: LinkID) -> LinkStatistics? {
        guard let session = sessions.values.first(where: { $0.id == link }) else { return nil }
        session.stopDirectCommands()
        return session.statistics
    }

    /// Tells the consumer; one that is too far behind loses the link, because values are never dropped.
    func tell(_ event: CentralLinkEvent, _ session: CentralSession) {
        guard !session.isDown, !session.events.put(event, limit: BlueZRadio.maximumEvents) else { return }
        session.beginClosing(.protocolFailure)
        let link = session.opened
        handle.start { await $0.centralLinks.disconnect(link) }
    }

    // MARK: - The end

    /// A link is down.
    func lost(_ device: String, _ reason: DisconnectReason?) {
        if let session = sessions[device] { finish(session, reason) }
    }

    /// All links are down.
    func loseAll() {
        for session in sessions.values.sorted(by: { $0.id < $1.id }) { finish(session, .radioLost) }
    }

    /// Ends a link; returns when it is down.
    func disconnect(_ link: OpenedLink, isolation: isolated any Actor = #isolation) async {
        guard let session = sessions[link.path], session.id == link.id else { return }
        await disconnect(session)
    }

    /// Ends all links, one after the other.
    func disconnectAll(isolation: isolated any Actor = #isolation) async {
        for session in sessions.values.sorted(by: { $0.id < $1.id }) { await disconnect(session) }
    }

    private func disconnect(_ session: CentralSession, isolation: isolated any Actor = #isolation) async {
        guard !session.isOver else { return }
        session.beginClosing(.local)
        waiters.wake()
        await end(session)
        if !session.isOver { finish(session, .local) }
    }

    /// Disconnects, or only ends the subscriptions on a link that another program opened.
    private func end(_ session: CentralSession, isolation: isolated any Actor = #isolation) async {
        guard session.isShared else {
            await ender.end(session.path)
            _ = await waiters.until(Self.endTime) { session.isOver }
            return
        }
        for object in session.subscribedObjects {
            guard case .property = session.subscription(to: object) else { continue }
            bus.begin(object, BlueZ.characteristic, "StopNotify", timeout: .seconds(10)) { _ in }
        }
    }

    private func finish(_ session: CentralSession, _ reported: DisconnectReason?) {
        guard sessions.removeValue(forKey: session.path) != nil, !session.isOver else { return }
        // Values that arrived before the end are delivered before it.
        for object in session.subscribedObjects { receive(object, session) }
        let reason = session.finish(reported)
        register.remember(session.id, session.statistics)
        recorder.disconnected(session.id, session.peer, reason)
        session.events.put(.disconnected(reason))
        session.events.finish()
        waiters.wake()
    }

    // MARK: - Values

    /// Reads the values that have come on the socket of a subscription.
    func receive(_ object: String, _ session: CentralSession) {
        guard case .socket(let characteristic, let descriptor, _) = session.subscription(to: object) else { return }
        while !session.isOver {
            switch descriptor.receive() {
            case .message(let value): deliver(value, of: characteristic, isIndication: false, session)
            case .nothing: return
            case .end:
                session.removeSubscription(to: object)
                return
            }
        }
    }

    /// Passes on a value that a subscription brought.
    func deliver(
        _ value: [UInt8], of characteristic: RemoteCharacteristic, isIndication: Bool, _ session: CentralSession
    ) {
        session.count(received: 1)
        recorder.push(
            value, handle: characteristic.valueHandle, isIndication: isIndication, .received, session.id, session.peer)
        tell(.value(value, of: characteristic, isIndication: isIndication), session)
    }
}

extension RadioError {
    static var linkDown: RadioError { RadioError(.linkLost, "the link is down") }

    static var operationCancelled: RadioError { RadioError(.cancelled, "the operation was cancelled") }
}
