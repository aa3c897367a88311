public import Bluetooth
import Determinism
public import Radio

/// A radio on a Bluetooth adapter of this machine, through bluetoothd (BlueZ).
///
/// Both roles, any number of links. bluetoothd keeps the adapter: scanning, connecting and both sides of GATT go over
/// D-Bus and need no right. Two things bluetoothd does not do go beside it, if the process may: the scan response (the
/// kernel's management socket, CAP_NET_ADMIN) and notifications to a central that has not subscribed (a raw HCI packet,
/// CAP_NET_RAW). bluetoothd exchanges the MTU by itself, and merges advertisement and scan response.
///
/// When bluetoothd or the adapter goes away all links end with `radioLost`; scans and the advertisement go on when it
/// comes back within ten seconds, and fail when it does not.
public actor BlueZRadio: CentralRadio, PeripheralRadio {
    /// What a radio is to be.
    public struct Configuration: Sendable {
        /// The adapter, as in `hci0`; nil: the first that is on.
        public var adapter: String?
        /// How long a request may go unanswered.
        public var transactionTimeout: Duration
        /// Is told what goes over the links.
        public var tap: (any PacketTap)?

        /// Makes a configuration.
        public init(
            adapter: String? = nil, transactionTimeout: Duration = .seconds(30), tap: (any PacketTap)? = nil
        ) {
            self.adapter = adapter
            self.transactionTimeout = transactionTimeout
            self.tap = tap
        }
    }

    /// The most events of the peripheral role that wait for their consumer.
    static let maximumEvents = 4096
    /// Room beyond `maximumEvents` that only connections, disconnections and the like may use.
    static let eventReserve = 512
    /// How many ended links are remembered for their statistics.
    static let maximumEndedLinks = 256
    /// How long bluetoothd or the adapter may be away.
    static let patience = Duration.seconds(10)

    nonisolated let executor: BusQueue
    nonisolated let configuration: Configuration
    nonisolated let timekeeper = SystemTimekeeper()
    nonisolated let peripheralEvents = Mailbox<PeripheralEvent>()
    private nonisolated let chosen = Lock<AdapterChoice.Adapter?>(nil)

    /// Everything runs on one queue, that of the bus.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// What centrals do, see `PeripheralRadio`.
    public nonisolated var events: AsyncStream<PeripheralEvent> { peripheralEvents.stream }

    /// bluetoothd does.
    public nonisolated var exchangesMTUByItself: Bool { true }

    /// The address of the adapter.
    public nonisolated var address: DeviceAddress {
        chosen.withLock { $0?.address } ?? DeviceAddress(value: 0, kind: .public)
    }

    /// The name of the adapter, as in `hci0`.
    public nonisolated var adapterName: String { chosen.withLock { $0?.name } ?? "" }

    var bus: SystemBus?
    var busWatches: [DescriptorWatch] = []
    var busIsWritable: DescriptorWatch?
    var busAlarm: UInt64?
    var tree = ObjectTree()
    var daemon: String?
    var adapterPath = ""
    var adapterIndex: UInt16 = 0
    /// Since when bluetoothd or the adapter is away; nil while both are there.
    var absentSince: MonotonicInstant?
    var isClosed = false

    var waiters: [UInt64: Waiter] = [:]
    var scans: [UInt64: Scan] = [:]
    var discovery: Task<Void, Never>?
    var isDiscovering = false
    var pace = DiscoveryPace()
    var discoveryHolds = 0
    var attempts: [ConnectAttempt] = []
    var attemptRunner: Task<Void, Never>?
    var centrals: [String: CentralSession] = [:]
    var peripherals: [String: PeripheralSession] = [:]
    var ended: [LinkID: LinkStatistics] = [:]
    var application: ApplicationObjects?
    var isRegistered = false
    var subscriptions = SubscriptionLedger()
    var confirmations: [String: Int] = [:]
    var advertisement: Advertisement?
    var advertising = Advertising.none
    var busAdvertisement: [(name: String, value: DBusValue)] = []
    var management: ManagementLink?
    var rawLink: RawLink?
    var lock: AdapterLock?
    var causes: [UInt64: DisconnectReason] = [:]

    private var lastNumber: UInt64 = 0
    private var lastLink: UInt64 = 0
    private let tapClock: TapClock

    init(_ configuration: Configuration, on executor: BusQueue) {
        self.configuration = configuration
        self.executor = executor
        tapClock = TapClock(at: timekeeper.now())
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
        try await meetDaemon()
        try takeAdapter()
    }

    /// Chooses the adapter and remembers it.
    private func takeAdapter() throws(RadioError) {
        let adapter = try AdapterChoice.choose(
            configuration.adapter, from: AdapterChoice.adapters(in: tree), blocked: RadioSwitches.blocked)
        adapterPath = adapter.path
        adapterIndex = adapter.index
        chosen.withLock { $0 = adapter }
    }

    /// Ends every link, takes back what was advertised and published, and leaves the bus.
    ///
    /// Waits up to a few seconds for the links; closing again does nothing.
    public func close() async {
        guard !isClosed else { return }
        await stopAdvertising()
        await withdrawAttempts()
        for session in centrals.values.sorted(by: { $0.id < $1.id }) { await disconnect(central: session) }
        for session in peripherals.values.sorted(by: { $0.id < $1.id }) { await disconnect(session.id) }
        await unregister()
        shut()
    }

    /// Ends everything at once.
    func shut() {
        guard !isClosed else { return }
        isClosed = true
        loseLinks()
        failScans(RadioError(.unavailable, "the radio is closed"))
        failAttempts(RadioError(.unavailable, "the radio is closed"))
        peripheralEvents.finish()
        discovery?.cancel()
        busIsWritable = nil
        busWatches = []
        management = nil
        rawLink = nil
        lock = nil
        wake()
        bus?.failAll()
        bus = nil
    }

    // MARK: - Numbers and packets

    /// A number that names one operation, scan or attempt of this radio.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// The name of the next link.
    func nextLink() -> LinkID {
        lastLink += 1
        return LinkID(lastLink)
    }

    /// Refuses work when there is no radio, or not at the moment.
    func checkUsable() throws(RadioError) {
        if isClosed { throw RadioError(.unavailable, "the radio is closed") }
        if absentSince != nil { throw RadioError(.unavailable, absence) }
    }

    /// Waits until bluetoothd and the adapter are there, if they are away at the moment.
    ///
    /// - Throws: `unavailable` when they do not come back.
    func awaitPresence() async throws(RadioError) {
        if absentSince != nil { _ = await until(Self.patience) { self.absentSince == nil } }
        try checkUsable()
    }

    /// What is missing while something is.
    var absence: String {
        if bus == nil { return "The message bus is gone." }
        if daemon == nil { return "bluetoothd is not running; run systemctl start bluetooth." }
        return "The adapter \(adapterName) is off or was removed."
    }

    func tap(_ content: TappedPacket.Content, _ direction: TappedPacket.Direction, link: UInt64, peer: DeviceAddress) {
        guard let tap = configuration.tap else { return }
        tap.record(
            TappedPacket(
                microsecondsSinceEpoch: tapClock.microseconds(at: timekeeper.now()), direction: direction,
                linkNumber: link, peer: peer, content: content))
    }
}
