public import Bluetooth
import Determinism
public import Radio

/// A radio on a Bluetooth adapter of this machine, through bluetoothd (BlueZ).
///
/// Both roles, any number of links. bluetoothd keeps the adapter: scanning, connecting and both sides of GATT go over
/// D-Bus and need no right. Two things bluetoothd does not do go beside it, if the process may: the scan response (the
/// kernel's management socket, CAP_NET_ADMIN) and notifications to a central that has not subscribed (a raw HCI packet,
/// CAP_NET_RAW). bluetoothd exchanges the MTU unasked, and merges advertisement and scan response.
///
/// When bluetoothd or the adapter goes away all links end with `radioLost`; scans and the advertisement go on when it
/// comes back within ten seconds, and fail when it does not.
public actor BlueZRadio: CentralRadio, PeripheralRadio {
    /// The configuration of a radio: its adapter and its options.
    public struct Configuration: Sendable {
        /// The adapter, as in `hci0`; nil: the first that is on.
        public var adapter: String?
        /// The longest wait for the answer to an ATT request.
        public var transactionTimeout: Duration
        /// Receives the packets of all links, for a capture.
        public var tap: (any PacketTap)?

        /// Makes a BlueZ radio configuration from its parts.
        public init(
            adapter: String? = nil, transactionTimeout: Duration = .seconds(30), tap: (any PacketTap)? = nil
        ) {
            self.adapter = adapter
            self.transactionTimeout = transactionTimeout
            self.tap = tap
        }
    }

    /// The one clock of all radios: instants of two system clocks have different origins.
    static let clock = SystemMonotonicClock()
    /// The most events of one link, or of the peripheral role, that wait for their consumer.
    static let maximumEvents = 4096

    /// Runs the whole radio on one queue, that of the D-Bus connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The events that centrals cause, see `PeripheralRadio`.
    public nonisolated var events: AsyncStream<PeripheralEvent> { peripheralEvents.stream }

    /// True, because bluetoothd exchanges the MTU unasked.
    public nonisolated var exchangesMTUUnasked: Bool { true }

    /// True: each service that is added is an application of its own for bluetoothd.
    public nonisolated var addsServices: Bool { true }

    /// True: an adapter has room for five advertisements or so, which share the time on the air where its controller
    /// has one alone.
    public nonisolated var advertisesSeveral: Bool { true }

    /// True when bluetoothd loses values of 511 and 512 bytes that centrals write, see `BluetoothDiagnosis`.
    public var losesLongWrites: Bool {
        get async { BluetoothFacts.losesLongWrites(daemon.adapter.version, Self.settings) }
    }

    /// True: bluetoothd cuts such notifications for centrals that take several in one, and as raw packets they would
    /// mix with what it sends at the same time, and be lost.
    public nonisolated var cutsLongNotifications: Bool { true }

    /// The address of the adapter.
    public nonisolated var address: DeviceAddress {
        chosen.withLock { $0?.address } ?? DeviceAddress(value: 0, kind: .public)
    }

    private nonisolated let executor: BusExecutor
    private nonisolated let configuration: Configuration
    private nonisolated let peripheralEvents = SingleConsumerQueue<PeripheralEvent>()
    private nonisolated let chosen = Lock<AdapterSelector.Adapter?>(nil)

    // The parts. Each keeps its own state; the radio passes on what concerns several of them. They belong to this
    // actor: their asynchronous methods take its isolation, so that they run on its queue too.
    let daemon: BluetoothdConnection
    let management: BluetoothManagementSocket
    let central: CentralRoleParts
    let peripheral: PeripheralRoleParts
    private let records: LinkRecords

    init(_ configuration: Configuration, on executor: BusExecutor) {
        self.configuration = configuration
        self.executor = executor
        let handle = WeakRadioHandle()
        let recorder = PacketRecorder(configuration.tap)
        daemon = BluetoothdConnection(
            on: executor, handle: handle, transactionTimeout: configuration.transactionTimeout)
        management = BluetoothManagementSocket(daemon) { instance in
            handle.onQueue { $0.peripheral.advertisers.removed(instance) }
        }
        records = LinkRecords(recorder, forgetter: DeviceForgetter(daemon))
        let disconnector = LinkDisconnector(daemon, management: management)
        central = CentralRoleParts(
            daemon,
            links: CentralLinks(
                daemon, management: management, disconnector: disconnector, records: records),
            recorder: recorder, disconnector: disconnector)
        peripheral = PeripheralRoleParts(
            daemon,
            links: PeripheralLinks(
                daemon, management: management, disconnector: disconnector, records: records,
                events: peripheralEvents),
            recorder: recorder, management: management)
        handle.set(self)
    }

    /// Finds bluetoothd and the adapter.
    ///
    /// - Throws: `unavailable` with a sentence that says what is missing and what to do.
    public static func open(_ configuration: Configuration = Configuration()) async throws(RadioError) -> BlueZRadio {
        guard let executor = BusExecutor() else {
            throw RadioError(.unavailable, "The system has no room for another thread and its files.")
        }
        let radio = BlueZRadio(configuration, on: executor)
        do throws(RadioError) {
            try await radio.start()
        } catch {
            await radio.shut()
            throw error
        }
        return radio
    }

    private func start() async throws(RadioError) {
        try connectBus()
        try await daemon.adapter.meetDaemon()
        let adapter = try daemon.adapter.choose(configuration.adapter)
        chosen.withLock { $0 = adapter }
    }

    /// Connects to the system bus and listens.
    func connectBus() throws(RadioError) {
        try daemon.bus.open(
            BusConnection.BusMessageHandlers(
                changed: { [unowned self] in daemon.adapter.handle($0) },
                ownerChanged: { [unowned self] in ownerChanged($0) }, called: { [unowned self] in serve($0) },
                lost: { [unowned self] in busLost() }))
    }

    /// Ends every link, withdraws the advertisement and the services, and leaves the bus.
    ///
    /// Waits up to a few seconds for the links; closing again does nothing.
    public func close() async {
        guard !daemon.waiters.isClosed else { return }
        await peripheral.advertisers.stopAll()
        await central.disconnectAll()
        await peripheral.disconnectAll()
        await records.forgetter.forgetAll()
        shut()
    }

    /// Closes the radio at once, without the orderly end of links and services that `close` makes first.
    func shut() {
        guard !daemon.waiters.isClosed else { return }
        daemon.waiters.close()
        loseLinks()
        central.shut(RadioError(.unavailable, "the radio is closed"))
        peripheralEvents.finish()
        daemon.bus.stopWatching()
        management.close()
        peripheral.shut()
        daemon.waiters.wake()
        daemon.bus.close()
    }

    /// Removes a device from bluetoothd that this program is through with, unless it is connected to again.
    func forget(_ device: String) async { await records.forgetter.forget(device) { isInUse(device) } }

    /// Returns true when a link to a device is up, or an attempt to connect waits or is under way.
    private func isInUse(_ device: String) -> Bool {
        guard !central.links.isUp(device), !peripheral.links.isUp(device) else { return true }
        guard let address = daemon.adapter.address(of: device) else { return false }
        // The kernel knows of a link, and of one that is coming up for another program, before bluetoothd tells of it.
        return central.connector.isAsked(for: address) || connection(to: address) != nil
    }

    // MARK: - What bluetoothd says

    func take(_ changes: [BusObjectTree.ObjectChange]) {
        for change in changes {
            switch change {
            case .added(let path, BlueZNames.adapter), .changed(let path, BlueZNames.adapter, _):
                if path == daemon.adapter.path { adapterChanged() }
            case .removed(let path, BlueZNames.adapter): if path == daemon.adapter.path { goAbsent() }
            case .added(let path, BlueZNames.device):
                deviceChanged(path, Set(daemon.adapter.tree.properties(path, BlueZNames.device)?.keys.map { $0 } ?? []))
            case .changed(let path, BlueZNames.device, let names): deviceChanged(path, Set(names))
            case .removed(let path, BlueZNames.device): deviceLost(path)
            case .changed(let path, BlueZNames.characteristic, let names):
                if names.contains("Value") { central.subscriptions.valueChanged(path) }
            case .added, .removed, .changed: break
            }
        }
    }

    private func adapterChanged() {
        if daemon.adapter.isPowered { comeBack() } else { goAbsent() }
    }

    private func deviceChanged(_ path: String, _ names: Set<String>) {
        guard !daemon.adapter.path.isEmpty, path.hasPrefix(daemon.adapter.path + "/"),
            let device = daemon.adapter.tree.properties(path, BlueZNames.device)
        else { return }
        if !names.isDisjoint(with: BlueZAdvertisementReport.signs), device["RSSI"] != nil {
            let isMissed = central.scanner.heard(device)
            if isMissed, records.forgetter.hasFormerServices(path) { daemon.handle.start { await $0.forget(path) } }
        }
        guard names.contains("Connected") else { return }
        if daemon.adapter.isConnected(path) {
            deviceConnected(path)
        } else {
            deviceLost(path)
            if records.forgetter.isOwed(path) { daemon.handle.start { await $0.forget(path) } }
        }
    }

    /// Notes that a device is connected: a central of ours, unless this side asked for the connection.
    private func deviceConnected(_ path: String) {
        guard !central.links.isUp(path), !peripheral.links.isUp(path), peripheral.services.isServing,
            let address = daemon.adapter.address(of: path), !isOutgoing(address)
        else { return }
        peripheral.links.admit(path, address)
    }

    /// Returns true when this side asked for the connection, by the kernel's list or by an attempt that is under way.
    private func isOutgoing(_ address: DeviceAddress) -> Bool {
        connection(to: address)?.isOutgoing ?? central.connector.isConnecting(to: address)
    }

    /// The kernel's connection to a device.
    func connection(to address: DeviceAddress) -> KernelConnection? { daemon.adapter.connection(to: address) }

    /// Handles the end of a device's link, and reports its reason to both roles.
    private func deviceLost(_ path: String) {
        management.drain()
        let reported = daemon.adapter.address(of: path).flatMap(management.takeCause)
        // This machine ended it, and it was not us who asked: the adapter goes off, or another program is in charge.
        let reason = reported == .local ? .radioLost : reported
        central.links.lost(path, reason)
        peripheral.links.lost(path, reason)
        daemon.waiters.wake()
    }

    /// Ends all links, because bluetoothd or the adapter is gone.
    private func loseLinks() {
        central.links.loseAll()
        peripheral.links.loseAll()
    }

    /// Answers a D-Bus call to an object of ours; only bluetoothd may call.
    private func serve(_ call: SystemBus.IncomingBusCall) {
        guard call.message.sender == daemon.adapter.daemon else {
            return call.fail(DBusError("org.freedesktop.DBus.Error.AccessDenied", "only bluetoothd may call this"))
        }
        peripheral.serve(call)
    }

    // MARK: - Absence

    private func ownerChanged(_ message: DBusMessage) {
        guard message.arguments.count == 3, let name = message.arguments[2].text else { return }
        daemon.adapter.daemonChanged(to: name.isEmpty ? nil : name)
        central.scanner.stopped()
        peripheral.services.forgotten()
        goAbsent()
        if !name.isEmpty { Task { await self.meetAgain() } }
    }

    private func busLost() {
        daemon.adapter.busLost()
        goAbsent()
    }

    /// Resumes with a bluetoothd that is back: its adapters come with signals, or are there already.
    private func meetAgain() async {
        do throws(RadioError) { try await daemon.adapter.meetDaemon() } catch { return }
        comeBack()
    }

    /// Handles the loss of bluetoothd, the adapter or the bus: ends all links, and waits for a return for ten seconds.
    private func goAbsent() {
        guard let since = daemon.adapter.goAbsent() else { return }
        central.scanner.stopped()
        peripheral.services.forgotten()
        loseLinks()
        central.connector.fail(RadioError(.unavailable, daemon.adapter.absence))
        daemon.waiters.wake()
        Task {
            try? await Self.clock.wait(until: since + AdapterState.patience)
            giveUp(since)
        }
    }

    private func giveUp(_ since: MonotonicInstant) {
        guard daemon.adapter.isAbsent(since: since) else { return }
        central.scanner.fail(RadioError(.unavailable, daemon.adapter.absence))
        peripheralEvents.finish()
        daemon.waiters.wake()
    }

    /// Publishes and advertises again, once bluetoothd and the adapter are back.
    private func comeBack() {
        guard daemon.adapter.comeBack() else { return }
        daemon.waiters.wake()
        Task {
            await peripheral.restore()
        }
    }
}

// The central role.
extension BlueZRadio {
    /// Starts scanning, see `CentralRadio`.
    public func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try await central.scanner.scan(services: services)
    }

    /// Connects to an advertiser, see `CentralRadio`; attempts to several devices go one after the other.
    public func connect(to address: DeviceAddress, timeout: Duration) async throws(RadioError) -> any CentralLink {
        BlueZCentralLink(radio: self, try await central.connector.connect(to: address, timeout: timeout))
    }

    func mtu(_ link: CentralLinkHandle) -> Int { central.links.mtu(of: link) }

    func awaitMTU(_ link: CentralLinkHandle) async throws(RadioError) -> Int {
        try await central.attributes.awaitMTU(link)
    }

    func table(_ link: CentralLinkHandle) async throws(RadioError) -> RemoteAttributeTable {
        try await central.attributes.table(link)
    }

    func read(_ characteristic: RemoteCharacteristic, _ link: CentralLinkHandle) async throws(RadioError) -> [UInt8] {
        try await central.attributes.read(characteristic, link)
    }

    func write(
        _ value: [UInt8], to characteristic: RemoteCharacteristic, _ link: CentralLinkHandle
    ) async throws(RadioError) {
        try await central.attributes.write(value, to: characteristic, link)
    }

    func command(
        _ value: [UInt8], to characteristic: RemoteCharacteristic, _ link: CentralLinkHandle
    ) async throws(RadioError) {
        try await central.attributes.command(value, to: characteristic, link)
    }

    func subscribe(to characteristic: RemoteCharacteristic, _ link: CentralLinkHandle) async throws(RadioError) {
        try await central.subscriptions.subscribe(to: characteristic, link)
    }

    func unsubscribe(from characteristic: RemoteCharacteristic, _ link: CentralLinkHandle) async throws(RadioError) {
        try await central.subscriptions.unsubscribe(from: characteristic, link)
    }

    func disconnect(central link: CentralLinkHandle) async { await central.links.disconnect(link) }
}

// The peripheral role.
extension BlueZRadio {
    /// Publishes services, see `PeripheralRadio`.
    ///
    /// bluetoothd adds a client configuration descriptor to every characteristic that notifies or indicates, wanted or
    /// not.
    public func publish(_ services: [ServiceDefinition]) async throws(RadioError) {
        try await peripheral.services.publish(services)
    }

    /// Adds a service, see `PeripheralRadio`: an application of its own for bluetoothd.
    public func addService(_ service: ServiceDefinition) async throws(RadioError) {
        try await peripheral.services.add(service)
    }

    /// Removes a service, see `PeripheralRadio`.
    public func removeService(_ uuid: BluetoothUUID) async { await peripheral.services.remove(uuid) }

    /// Sets the value that reads return, see `PeripheralRadio`.
    public func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try peripheral.services.setValue(value, of: characteristic)
    }

    /// Answers a read, see `PeripheralRadio`.
    public func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
        peripheral.services.answerRead(value, on: link)
    }

    /// Starts advertising, see `PeripheralRadio`.
    ///
    /// - Throws: `notPermitted` when there is a scan response, bluetoothd is older than 5.80 and CAP_NET_ADMIN is
    /// missing.
    public func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        try await peripheral.advertisers.start(advertisement, number: nil)
    }

    /// Stops advertising, see `PeripheralRadio`.
    public func stopAdvertising() async { await peripheral.advertisers.stop(number: nil) }

    /// Starts advertising beside other advertisements, see `PeripheralRadio`.
    ///
    /// - Throws: `unavailable` when the adapter has no room for one more; and as the one without a number.
    public func startAdvertising(_ advertisement: Advertisement, number: UInt8) async throws(RadioError) {
        try await peripheral.advertisers.start(advertisement, number: number)
    }

    /// Stops the advertisement of a number, see `PeripheralRadio`.
    public func stopAdvertising(number: UInt8) async { await peripheral.advertisers.stop(number: number) }

    /// Pushes a value, see `PeripheralRadio`.
    ///
    /// To a subscriber over bluetoothd, which sends it to every subscriber; to a central that has not subscribed as a
    /// raw packet, which takes CAP_NET_RAW.
    public func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        try await peripheral.notifier.notify(value, of: characteristic, on: link, confirmed: confirmed)
    }

    /// Ends a link, see `PeripheralRadio`.
    public func disconnect(_ link: LinkID) async { await peripheral.links.disconnect(link) }

    /// The counters of a link in either role, also for a while after its end.
    public func statistics(of link: LinkID) async -> LinkStatistics {
        central.links.statistics(of: link) ?? peripheral.links.session(of: link)?.statistics
            ?? records.statistics(of: link) ?? LinkStatistics()
    }
}
