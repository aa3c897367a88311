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

    /// The most events of one link, or of the peripheral role, that wait for their consumer.
    static let maximumEvents = 4096

    /// Runs the whole radio on one queue, that of the D-Bus connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The events that centrals cause, see `PeripheralRadio`.
    public nonisolated var events: AsyncStream<PeripheralEvent> { peripheralEvents.stream }

    /// True, because bluetoothd exchanges the MTU unasked.
    public nonisolated var exchangesMTUUnasked: Bool { true }

    /// The address of the adapter.
    public nonisolated var address: DeviceAddress {
        chosen.withLock { $0?.address } ?? DeviceAddress(value: 0, kind: .public)
    }

    private nonisolated let executor: BusQueue
    private nonisolated let configuration: Configuration
    private nonisolated let peripheralEvents = SingleConsumerQueue<PeripheralEvent>()
    private nonisolated let chosen = Lock<AdapterSelector.Adapter?>(nil)
    private nonisolated let handle = RadioHandle()

    // The parts. Each keeps its own state; the radio passes on what concerns several of them. They belong to this
    // actor: their asynchronous methods take its isolation, so that they run on its queue too.
    let waiters: EventWaiters
    let bus: BusConnection
    let adapter: AdapterState
    let management: ManagementSocket
    let scanner: DeviceScanner
    let connector: DeviceConnector
    let centralLinks: CentralLinks
    let commands: WriteCommands
    let subscriptions: RemoteSubscriptions
    private let attributes: RemoteAttributes
    private let peripheralLinks: PeripheralLinks
    private let services: PublishedServices
    private let pusher: ValueNotifier
    private let advertiser: Advertiser
    private let claim: AdapterClaim
    private let register = LinkRegistry()

    init(_ configuration: Configuration, on executor: BusQueue) {
        self.configuration = configuration
        self.executor = executor
        let handle = handle
        let register = register
        let recorder = PacketRecorder(configuration.tap)
        let waiters = EventWaiters(on: executor, handle)
        let bus = BusConnection(on: executor, handle, waiters)
        let adapter = AdapterState(bus, waiters) { changes in handle.onQueue { $0.take(changes) } }
        let management = ManagementSocket(adapter, on: executor, handle, waiters) { instance in
            handle.onQueue { $0.advertiser.removed(instance) }
        }
        let ender = LinkDisconnector(adapter, bus, waiters, management)
        let centralLinks = CentralLinks(handle, bus, waiters, management, register, recorder, ender)
        let timeout = configuration.transactionTimeout
        let commands = WriteCommands(timeout, on: executor, handle, bus, waiters, adapter, centralLinks)
        let scanner = DeviceScanner(handle, bus, waiters, adapter, recorder)
        let peripheralLinks = PeripheralLinks(
            waiters, adapter, management, register, recorder, ender, peripheralEvents)
        let claim = AdapterClaim(adapter)
        let services = PublishedServices(bus, waiters, adapter, claim, peripheralLinks, recorder)
        self.waiters = waiters
        self.bus = bus
        self.adapter = adapter
        self.management = management
        self.scanner = scanner
        self.centralLinks = centralLinks
        self.commands = commands
        self.peripheralLinks = peripheralLinks
        self.claim = claim
        self.services = services
        connector = DeviceConnector(handle, bus, waiters, adapter, scanner, centralLinks, ender)
        attributes = RemoteAttributes(timeout, bus, waiters, adapter, centralLinks, commands, recorder)
        subscriptions = RemoteSubscriptions(on: executor, handle, bus, adapter, centralLinks)
        pusher = ValueNotifier(timeout, bus, waiters, adapter, services, peripheralLinks, recorder)
        advertiser = Advertiser(bus, adapter, management, claim)
        handle.set(self)
    }

    /// Finds bluetoothd and the adapter.
    ///
    /// - Throws: `unavailable` with a sentence that says what is missing and what to do.
    public static func open(_ configuration: Configuration = Configuration()) async throws(RadioError) -> BlueZRadio {
        guard let executor = BusQueue() else {
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
        try await adapter.meetDaemon()
        let adapter = try adapter.choose(configuration.adapter)
        chosen.withLock { $0 = adapter }
    }

    /// Connects to the system bus and listens.
    func connectBus() throws(RadioError) {
        try bus.open(
            BusConnection.Handlers(
                changed: { [unowned self] in adapter.handle($0) },
                ownerChanged: { [unowned self] in ownerChanged($0) }, called: { [unowned self] in serve($0) },
                lost: { [unowned self] in busLost() }))
    }

    /// Ends every link, withdraws the advertisement and the services, and leaves the bus.
    ///
    /// Waits up to a few seconds for the links; closing again does nothing.
    public func close() async {
        guard !waiters.isClosed else { return }
        await advertiser.stop()
        await connector.withdraw()
        await centralLinks.disconnectAll()
        await peripheralLinks.disconnectAll()
        await services.unregister()
        shut()
    }

    /// Ends everything at once.
    func shut() {
        guard !waiters.isClosed else { return }
        waiters.close()
        loseLinks()
        let error = RadioError(.unavailable, "the radio is closed")
        scanner.fail(error)
        connector.fail(error)
        peripheralEvents.finish()
        scanner.close()
        bus.stopWatching()
        management.close()
        pusher.close()
        claim.release()
        waiters.wake()
        bus.close()
    }

    // MARK: - What bluetoothd says

    private func take(_ changes: [ObjectTree.ObjectChange]) {
        for change in changes {
            switch change {
            case .added(let path, BlueZ.adapter), .changed(let path, BlueZ.adapter, _):
                if path == adapter.path { adapterChanged() }
            case .removed(let path, BlueZ.adapter): if path == adapter.path { goAbsent() }
            case .added(let path, BlueZ.device):
                deviceChanged(path, Set(adapter.tree.properties(path, BlueZ.device)?.keys.map { $0 } ?? []))
            case .changed(let path, BlueZ.device, let names): deviceChanged(path, Set(names))
            case .removed(let path, BlueZ.device): deviceLost(path)
            case .changed(let path, BlueZ.characteristic, let names):
                if names.contains("Value") { subscriptions.valueChanged(path) }
            case .added, .removed, .changed: break
            }
        }
    }

    private func adapterChanged() {
        if adapter.isPowered { comeBack() } else { goAbsent() }
    }

    private func deviceChanged(_ path: String, _ names: Set<String>) {
        guard !adapter.path.isEmpty, path.hasPrefix(adapter.path + "/"),
            let device = adapter.tree.properties(path, BlueZ.device)
        else { return }
        if !names.isDisjoint(with: DeviceReport.signs), device["RSSI"] != nil { scanner.heard(device) }
        guard names.contains("Connected") else { return }
        if adapter.isConnected(path) { deviceConnected(path) } else { deviceLost(path) }
    }

    /// Notes that a device is connected: a central of ours, unless this side asked for the connection.
    private func deviceConnected(_ path: String) {
        guard !centralLinks.isUp(path), !peripheralLinks.isUp(path), services.isServing,
            let address = adapter.address(of: path), !isOutgoing(address)
        else { return }
        peripheralLinks.admit(path, address)
    }

    /// Returns true when this side asked for the connection, by the kernel's list or by an attempt that is under way.
    private func isOutgoing(_ address: DeviceAddress) -> Bool {
        connection(to: address)?.isOutgoing ?? connector.isConnecting(to: address)
    }

    /// The kernel's connection to a device.
    func connection(to address: DeviceAddress) -> KernelConnection? { adapter.connection(to: address) }

    /// A link is down.
    private func deviceLost(_ path: String) {
        management.drain()
        let reported = adapter.address(of: path).flatMap(management.takeCause)
        // This machine ended it, and it was not us who asked: the adapter goes off, or another program is in charge.
        let reason = reported == .local ? .radioLost : reported
        centralLinks.lost(path, reason)
        peripheralLinks.lost(path, reason)
        waiters.wake()
    }

    /// Ends all links, because bluetoothd or the adapter is gone.
    private func loseLinks() {
        centralLinks.loseAll()
        peripheralLinks.loseAll()
    }

    /// Answers a D-Bus call to an object of ours; only bluetoothd may call.
    private func serve(_ call: SystemBus.Call) {
        guard call.message.sender == adapter.daemon else {
            return call.fail(DBusError("org.freedesktop.DBus.Error.AccessDenied", "only bluetoothd may call this"))
        }
        services.serve(call, advertisement: advertiser.properties)
    }

    // MARK: - Absence

    private func ownerChanged(_ message: DBusMessage) {
        guard message.arguments.count == 3, let name = message.arguments[2].text else { return }
        adapter.daemonChanged(to: name.isEmpty ? nil : name)
        scanner.stopped()
        services.forgotten()
        goAbsent()
        if !name.isEmpty { Task { await self.meetAgain() } }
    }

    private func busLost() {
        adapter.busLost()
        goAbsent()
    }

    /// Resumes with a bluetoothd that is back: its adapters come with signals, or are there already.
    private func meetAgain() async {
        do throws(RadioError) { try await adapter.meetDaemon() } catch { return }
        comeBack()
    }

    /// bluetoothd, the adapter or the bus went away.
    private func goAbsent() {
        guard let since = adapter.goAbsent() else { return }
        scanner.stopped()
        services.forgotten()
        loseLinks()
        connector.fail(RadioError(.unavailable, adapter.absence))
        waiters.wake()
        Task {
            try? await SystemClock().wait(until: since + AdapterState.patience)
            giveUp(since)
        }
    }

    private func giveUp(_ since: MonotonicInstant) {
        guard adapter.isAbsent(since: since) else { return }
        scanner.fail(RadioError(.unavailable, adapter.absence))
        peripheralEvents.finish()
        waiters.wake()
    }

    /// Publishes and advertises again, once bluetoothd and the adapter are back.
    private func comeBack() {
        guard adapter.comeBack() else { return }
        waiters.wake()
        Task {
            await services.restore()
            await advertiser.restore()
        }
    }
}

// The central role.
extension BlueZRadio {
    /// Starts scanning, see `CentralRadio`.
    public func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try await scanner.scan(services: services)
    }

    /// Connects to an advertiser, see `CentralRadio`; attempts to several devices go one after the other.
    public func connect(to address: DeviceAddress, timeout: Duration) async throws(RadioError) -> any CentralLink {
        BlueZCentralLink(radio: self, try await connector.connect(to: address, timeout: timeout))
    }

    func mtu(_ link: OpenedLink) -> Int { centralLinks.mtu(of: link) }

    func awaitMTU(_ link: OpenedLink) async throws(RadioError) -> Int { try await attributes.awaitMTU(link) }

    func table(_ link: OpenedLink) async throws(RadioError) -> RemoteAttributeTable { try await attributes.table(link) }

    func read(_ characteristic: RemoteCharacteristic, _ link: OpenedLink) async throws(RadioError) -> [UInt8] {
        try await attributes.read(characteristic, link)
    }

    func write(
        _ value: [UInt8], to characteristic: RemoteCharacteristic, _ link: OpenedLink
    ) async throws(RadioError) {
        try await attributes.write(value, to: characteristic, link)
    }

    func command(
        _ value: [UInt8], to characteristic: RemoteCharacteristic, _ link: OpenedLink
    ) async throws(RadioError) {
        try await attributes.command(value, to: characteristic, link)
    }

    func subscribe(to characteristic: RemoteCharacteristic, _ link: OpenedLink) async throws(RadioError) {
        try await subscriptions.subscribe(to: characteristic, link)
    }

    func unsubscribe(from characteristic: RemoteCharacteristic, _ link: OpenedLink) async throws(RadioError) {
        try await subscriptions.unsubscribe(from: characteristic, link)
    }

    func disconnect(central link: OpenedLink) async { await centralLinks.disconnect(link) }
}

// The peripheral role.
extension BlueZRadio {
    /// Publishes services, see `PeripheralRadio`.
    ///
    /// bluetoothd adds a client configuration descriptor to every characteristic that notifies or indicates, wanted or
    /// not.
    public func publish(_ services: [ServiceDefinition]) async throws(RadioError) {
        try await self.services.publish(services)
    }

    /// Sets the value that reads return, see `PeripheralRadio`.
    public func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try services.setValue(value, of: characteristic)
    }

    /// Answers a read, see `PeripheralRadio`.
    public func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
        services.answerRead(value, on: link)
    }

    /// Starts advertising, see `PeripheralRadio`.
    ///
    /// - Throws: `notPermitted` when there is a scan response, bluetoothd is older than 5.80 and CAP_NET_ADMIN is
    /// missing.
    public func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        try await advertiser.start(advertisement)
    }

    /// Stops advertising, see `PeripheralRadio`.
    public func stopAdvertising() async { await advertiser.stop() }

    /// Pushes a value, see `PeripheralRadio`.
    ///
    /// To a subscriber over bluetoothd, which sends it to every subscriber; to a central that has not subscribed as a
    /// raw packet, which takes CAP_NET_RAW.
    public func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        try await pusher.notify(value, of: characteristic, on: link, confirmed: confirmed)
    }

    /// Ends a link, see `PeripheralRadio`.
    public func disconnect(_ link: LinkID) async { await peripheralLinks.disconnect(link) }

    /// The counters of a link in either role, also for a while after its end.
    public func statistics(of link: LinkID) async -> LinkStatistics {
        centralLinks.statistics(of: link) ?? peripheralLinks.session(of: link)?.statistics
            ?? register.statistics(of: link) ?? LinkStatistics()
    }
}
