import Bluetooth
import Determinism
import Radio

/// The state of bluetoothd and the adapter: the objects on the bus, and the presence of both.
final class AdapterState {
    /// The longest time for which bluetoothd or the adapter may be away.
    static let patience = Duration.seconds(10)

    private let bus: BusConnection
    private let waiters: ConditionWaiters
    private let changed: ([BusObjectTree.ObjectChange]) -> Void
    private var adapter: AdapterSelector.Adapter?
    /// The time since which bluetoothd or the adapter is missing; nil while both are present.
    private var absentSince: MonotonicInstant?

    /// The objects of bluetoothd.
    private(set) var tree = BusObjectTree()

    /// The name of bluetoothd on the bus; nil while it is not there.
    private(set) var daemon: String?

    /// `changed` is called with each change of the objects.
    init(_ bus: BusConnection, waiters: ConditionWaiters, changed: @escaping ([BusObjectTree.ObjectChange]) -> Void) {
        self.bus = bus
        self.waiters = waiters
        self.changed = changed
    }

    /// The object of the adapter; empty before one is chosen.
    var path: String { adapter?.path ?? "" }

    /// The number of the adapter for the kernel.
    var index: UInt16 { adapter?.index ?? 0 }

    /// The name of the adapter, as in `hci0`.
    var name: String { adapter?.name ?? "" }

    /// True when the adapter is on.
    var isPowered: Bool { tree[path, BlueZNames.adapter, "Powered"]?.flag ?? false }

    /// The version of bluetoothd, as the adapter tells it; nil when it does not.
    var version: BluetoothdVersion? {
        tree[path, BlueZNames.adapter, "Modalias"]?.text.flatMap(BluetoothdVersion.init(modalias:))
    }

    /// Chooses the adapter named `name`, or the first that is on.
    func choose(_ name: String?) throws(RadioError) -> AdapterSelector.Adapter {
        let adapter = try AdapterSelector.choose(
            name, from: AdapterSelector.adapters(in: tree), blocked: RFKillSwitches.blocked)
        self.adapter = adapter
        return adapter
    }

    // MARK: - Objects

    /// Asks for bluetoothd's name on the bus and its objects.
    func meetDaemon(isolation: isolated any Actor = #isolation) async throws(RadioError) {
        let owner = await bus.call(
            "/org/freedesktop/DBus", BlueZNames.bus, "GetNameOwner", [.string(BlueZNames.service)], at: BlueZNames.bus)
        guard case .success(let values) = owner, let name = values.first?.text else {
            throw RadioError(.unavailable, "bluetoothd is not running; run systemctl start bluetooth.")
        }
        daemon = name
        let objects = try await bus.ask("the list of its objects", "/", BlueZNames.objectManager, "GetManagedObjects")
        changed(tree.replace(with: objects))
    }

    /// Records bluetoothd's new name on the bus, nil when it left; its objects are gone either way.
    func daemonChanged(to name: String?) {
        tree.clear()
        daemon = name
    }

    /// Records that the bus is gone, and bluetoothd with it.
    func busLost() { daemon = nil }

    /// Takes a signal of bluetoothd's.
    func handle(_ message: DBusMessage) { changed(tree.handle(message)) }

    /// Asks for the properties of an object, of whose changes bluetoothd may have failed to tell.
    func refresh(_ path: String, _ interface: String, isolation: isolated any Actor = #isolation) async {
        let answer = await bus.call(path, BlueZNames.properties, "GetAll", [.string(interface)], timeout: .seconds(10))
        guard case .success(let values) = answer, let properties = values.first?.properties else { return }
        changed(tree.update(path, interface, with: properties))
        waiters.wake()
    }

    // MARK: - Devices

    /// The object of a device; nil when bluetoothd does not know the device.
    func device(with address: DeviceAddress) -> String? {
        tree.paths(with: BlueZNames.device, under: path).first { self.address(of: $0) == address }
    }

    /// The address of a device by its object.
    func address(of device: String) -> DeviceAddress? {
        tree.properties(device, BlueZNames.device).flatMap(BlueZAdvertisementReport.address)
    }

    /// Returns true when bluetoothd says that a device is connected.
    func isConnected(_ device: String) -> Bool { tree[device, BlueZNames.device, "Connected"]?.flag ?? false }

    /// Returns true when bluetoothd has found out which services a device offers.
    func areServicesResolved(_ device: String) -> Bool {
        tree[device, BlueZNames.device, "ServicesResolved"]?.flag ?? false
    }

    /// The kernel's connection to a device.
    func connection(to address: DeviceAddress) -> KernelConnection? {
        BluetoothSocket.connectionList(index: index).map(KernelConnection.list)?.first {
            $0.address == address.value && $0.isLowEnergy
        }
    }

    // MARK: - Absence

    var isAbsent: Bool { absentSince != nil }

    /// Throws when the radio is closed, or while bluetoothd or the adapter is missing.
    func checkUsable() throws(RadioError) {
        if waiters.isClosed { throw RadioError(.unavailable, "the radio is closed") }
        if isAbsent { throw RadioError(.unavailable, absence) }
    }

    /// Waits until bluetoothd and the adapter are present, if they are missing at the moment.
    ///
    /// - Throws: `unavailable` when they do not come back.
    func awaitPresence(isolation: isolated any Actor = #isolation) async throws(RadioError) {
        if isAbsent { _ = await waiters.until(Self.patience) { !self.isAbsent } }
        try checkUsable()
    }

    /// The missing part, in words, while bluetoothd or the adapter is missing.
    var absence: String {
        if !bus.isOpen { return "The message bus is gone." }
        if daemon == nil { return "bluetoothd is not running; run systemctl start bluetooth." }
        return "The adapter \(name) is off or was removed."
    }

    /// Notes that bluetoothd or the adapter is missing from now on.
    ///
    /// - Returns: the time since when; nil when the absence was known, or no adapter was chosen yet.
    func goAbsent() -> MonotonicInstant? {
        guard !isAbsent, !waiters.isClosed, adapter != nil else { return nil }
        let now = waiters.now
        absentSince = now
        return now
    }

    /// Returns true when bluetoothd or the adapter, missing since `since`, is still missing.
    func isAbsent(since: MonotonicInstant) -> Bool { absentSince == since && !waiters.isClosed }

    /// Ends an absence once bluetoothd and the adapter are back and on; returns true when it did.
    func comeBack() -> Bool {
        guard isAbsent, !waiters.isClosed, isPowered else { return false }
        absentSince = nil
        return true
    }
}
