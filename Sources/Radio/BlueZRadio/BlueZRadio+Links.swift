public import Bluetooth
import Determinism
public import Radio

// The life of links in both roles.
extension BlueZRadio {
    /// How long the end of a link may take.
    private static let endTime = Duration.seconds(6)

    /// A device is connected: a central of ours, unless we asked for it.
    func deviceConnected(_ path: String) {
        guard centrals[path] == nil, peripherals[path] == nil, application != nil,
            let address = tree.properties(path, BlueZ.device).flatMap(DeviceReport.address)
        else { return }
        if isOutgoing(address) { return }
        admit(path, address)
    }

    /// Whether this side asked for the connection; the kernel knows, and whoever tries to connect does.
    private func isOutgoing(_ address: DeviceAddress) -> Bool {
        if let connection = connection(to: address) { return connection.isOutgoing }
        return attempts.first?.address == address
    }

    /// The kernel's connection to a device.
    func connection(to address: DeviceAddress) -> KernelConnection? {
        BluetoothSocket.connectionList(index: adapterIndex).map(KernelConnection.list)?.first {
            $0.address == address.value && $0.isLowEnergy
        }
    }

    /// A link is down.
    func deviceLost(_ path: String) {
        drainManagement()
        let told = tree.properties(path, BlueZ.device).flatMap(DeviceReport.address).flatMap {
            causes.removeValue(forKey: $0.value)
        }
        // This machine ended it, and it was not us who asked: the adapter goes off, or another program is in charge.
        let reason = told == .local ? .radioLost : told
        if let session = centrals[path] { finish(session, reason) }
        if let session = peripherals[path] { finish(session, reason) }
        wake()
    }

    /// All links are down, because what carried them is gone.
    func loseLinks() {
        for session in centrals.values.sorted(by: { $0.id < $1.id }) { finish(session, .radioLost) }
        for session in peripherals.values.sorted(by: { $0.id < $1.id }) { finish(session, .radioLost) }
    }

    private func finish(_ session: CentralSession, _ told: DisconnectReason?) {
        guard centrals.removeValue(forKey: session.path) != nil, !session.isOver else { return }
        // What came before the end comes before the end.
        for object in session.subscriptions.keys.sorted() { drain(object, session) }
        let reason = session.closing ?? told ?? .peer
        session.isOver = true
        session.shutLane()
        session.subscriptions = [:]
        session.channels = [:]
        remember(session.id, session.statistics)
        tap(.disconnected(reason: reason.rawValue), .received, link: session.id.number, peer: session.peer)
        session.events.put(.disconnected(reason))
        session.events.finish()
        wake()
    }

    private func drain(_ object: String, _ session: CentralSession) {
        centrals[session.path] = session
        receive(object, session.path)
        centrals[session.path] = nil
    }

    private func finish(_ session: PeripheralSession, _ told: DisconnectReason?) {
        guard peripherals.removeValue(forKey: session.path) != nil else { return }
        let reason = session.closing ?? told ?? .peer
        session.isOver = true
        subscriptions.disconnected(session.id)
        remember(session.id, session.statistics)
        tap(.disconnected(reason: reason.rawValue), .received, link: session.id.number, peer: session.peer)
        peripheralEvents.put(.disconnected(session.id, reason), limit: Self.maximumEvents + Self.eventReserve)
        wake()
    }

    private func remember(_ id: LinkID, _ statistics: LinkStatistics) {
        ended[id] = statistics
        if ended.count > Self.maximumEndedLinks, let oldest = ended.keys.min() { ended[oldest] = nil }
    }

    /// What is known about a link, also for a while after its end.
    public func statistics(of link: LinkID) async -> LinkStatistics {
        let central = centrals.values.first { $0.id == link }
        central?.shutLane()
        return central?.statistics ?? peripherals.values.first { $0.id == link }?.statistics
            ?? ended[link] ?? LinkStatistics()
    }

    // MARK: - Ending

    func disconnect(central id: LinkID, _ path: String) async {
        guard let session = centrals[path], session.id == id else { return }
        await disconnect(central: session)
    }

    func disconnect(central session: CentralSession) async {
        guard !session.isOver else { return }
        session.closing = session.closing ?? .local
        session.shutLane()
        wake()
        await end(session)
        if !session.isOver { finish(session, .local) }
    }

    /// Hangs up, or gives back what somebody else's link was used for.
    private func end(_ session: CentralSession) async {
        guard session.isShared else {
            await hangUp(session.path)
            _ = await until(Self.endTime) { session.isOver }
            return
        }
        for object in session.subscriptions.keys.sorted() {
            guard case .property = session.subscriptions[object] else { continue }
            begin(object, BlueZ.characteristic, "StopNotify", timeout: .seconds(10)) { _ in }
        }
    }

    /// Ends a link, see `PeripheralRadio`.
    public func disconnect(_ link: LinkID) async {
        guard let session = peripherals.values.first(where: { $0.id == link }), !session.isOver else { return }
        session.closing = session.closing ?? .local
        // What was pushed last is on its way through bluetoothd and the kernel, which the command to end overtakes.
        if let last = session.pushedAt { _ = await until(last + .milliseconds(150)) { session.isOver } }
        await hangUp(session.path)
        _ = await until(Self.endTime) { session.isOver }
        if !session.isOver { finish(session, .local) }
    }

    /// Whether bluetoothd is through with the peer's services, or the link is down.
    private func isSettled(_ path: String) -> Bool {
        !isConnected(path) || tree[path, BlueZ.device, "ServicesResolved"]?.flag ?? false
    }

    /// Tells the kernel to end a link if we may, else bluetoothd, which takes two seconds.
    func hangUp(_ path: String) async {
        guard isConnected(path) else { return }
        // Linux 6.1 has been seen to crash when a link ends while bluetoothd still looks at the peer's services.
        _ = await until(.seconds(2)) { self.isSettled(path) }
        guard isConnected(path) else { return }
        if let peer = tree.properties(path, BlueZ.device).flatMap(DeviceReport.address),
            Privileges.isPermitted(.netAdmin), await manage(.disconnect(adapterIndex, peer))?.status == 0
        {
            return
        }
        begin(path, BlueZ.device, "Disconnect", timeout: .seconds(10)) { _ in }
    }
}
