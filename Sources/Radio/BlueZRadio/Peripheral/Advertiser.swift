import Bluetooth
import Determinism
import Radio

/// One advertisement: by the management socket if the process may, else by bluetoothd.
final class Advertiser {
    /// The mechanism that advertises.
    private enum AdvertisingMechanism: Hashable {
        /// The adapter advertises nothing.
        case none
        /// The kernel advertises this instance, set up over the management socket.
        case instance(UInt8)
        /// bluetoothd advertises the D-Bus object at `path`.
        case bus
    }

    /// The D-Bus path of the advertisement object that bluetoothd reads.
    let path: String

    private let daemon: BluetoothdConnection
    private let management: BluetoothManagementSocket
    private let claim: AdapterClaim
    private var state = AdvertisingMechanism.none
    /// The advertisement, which is set up again when the adapter comes back.
    private var advertisement: Advertisement?

    /// The properties of the object that bluetoothd reads.
    private(set) var properties: [(name: String, value: DBusValue)] = []

    init(_ path: String, _ daemon: BluetoothdConnection, management: BluetoothManagementSocket, claim: AdapterClaim) {
        self.path = path
        self.daemon = daemon
        self.management = management
        self.claim = claim
    }

    /// True while there is an advertisement, also while the adapter is away.
    var isActive: Bool { advertisement != nil }

    /// Starts advertising, see `PeripheralRadio`.
    func start(_ advertisement: Advertisement, isolation: isolated any Actor = #isolation) async throws(RadioError) {
        try await daemon.adapter.awaitPresence()
        try advertisement.checkLengths()
        try claim.take()
        do throws(RadioError) { try await advertise(advertisement) } catch {
            // The request is repeated when what went away in the middle is back.
            guard daemon.adapter.isAbsent else { throw error }
            try await daemon.adapter.awaitPresence()
            try await advertise(advertisement)
        }
        self.advertisement = advertisement
    }

    /// Stops advertising, see `PeripheralRadio`.
    func stop(isolation: isolated any Actor = #isolation) async {
        advertisement = nil
        switch state {
        case .none: return
        case .instance(let instance):
            _ = await management.send(.removeAdvertising(daemon.adapter.index, instance: instance))
            claim.remove(instance)
        case .bus: await unregister()
        }
        state = .none
    }

    /// Restores the advertisement that was up before the adapter went away.
    func restore(isolation: isolated any Actor = #isolation) async {
        if let advertisement { try? await start(advertisement) }
    }

    /// Records that the kernel took an advertising instance off the air.
    func removed(_ instance: UInt8) {
        guard state == .instance(instance) else { return }
        state = .none
        claim.remove(instance)
    }

    private func advertise(_ advertisement: Advertisement, isolation: isolated any Actor = #isolation)
        async throws(RadioError)
    {
        await removeStaleInstances()
        if LinuxCapabilities.isPermitted(.netAdmin), try await advertiseByKernel(advertisement) { return }
        try await advertiseByDaemon(advertisement)
    }

    /// Removes the advertising instances that a killed program of ours left behind.
    private func removeStaleInstances(isolation: isolated any Actor = #isolation) async {
        guard LinuxCapabilities.isPermitted(.netAdmin) else { return }
        for stale in claim.staleInstances where !claim.instances.contains(stale) {
            _ = await management.send(.removeAdvertising(daemon.adapter.index, instance: stale))
            claim.remove(stale)
        }
    }

    // MARK: - By the kernel

    /// Advertises over the management socket; returns false when the kernel does not allow it to this process.
    private func advertiseByKernel(_ advertisement: Advertisement, isolation: isolated any Actor = #isolation)
        async throws(RadioError) -> Bool
    {
        guard let instance = try await instance() else { return false }
        let parameters = await management.send(
            .advertisingParameters(
                daemon.adapter.index, instance: instance, isConnectable: advertisement.isConnectable,
                interval: advertisement.interval))
        do throws(RadioError) { try check(parameters, "the parameters of the advertisement") } catch {
            if state != .instance(instance) { claim.remove(instance) }
            throw error
        }
        state = .instance(instance)
        let data = await management.send(
            .advertisingData(
                daemon.adapter.index, instance: instance, data: advertisement.data,
                scanResponse: advertisement.scanResponse))
        try check(data, "the data of the advertisement")
        return true
    }

    /// The instance to use: ours, or the highest that is free; nil when we may not.
    private func instance(isolation: isolated any Actor = #isolation) async throws(RadioError) -> UInt8? {
        if case .instance(let instance) = state { return instance }
        guard let answer = await management.send(.readAdvertisingFeatures(daemon.adapter.index)) else {
            throw RadioError(.unavailable, "The kernel does not answer on its management socket.")
        }
        if answer.status == BluetoothManagementEvent.permissionDenied { return nil }
        guard answer.status == 0, let features = AdvertisingFeatures(parsing: answer.values) else {
            throw RadioError(.unsupported, "The adapter \(daemon.adapter.name) cannot advertise.")
        }
        guard let free = features.free(besides: claim.instances) else {
            throw RadioError(.unavailable, "All advertisements that \(daemon.adapter.name) has room for are in use.")
        }
        // Taken at once, so that another advertisement that starts meanwhile takes another one.
        claim.add(free)
        return free
    }

    private func check(_ answer: BluetoothManagementSocket.KernelReply?, _ what: String) throws(RadioError) {
        guard let answer else { throw RadioError(.unavailable, "The kernel does not answer on its management socket.") }
        guard answer.status == 0 else {
            throw RadioError(.unsupported, "The kernel refused \(what) with status \(answer.status).")
        }
    }

    // MARK: - By bluetoothd

    private func advertiseByDaemon(_ advertisement: Advertisement, isolation: isolated any Actor = #isolation)
        async throws(RadioError)
    {
        properties = try BusAdvertisement.properties(of: advertisement, version: daemon.adapter.version)
        if state == .bus { await unregister() }
        state = .none
        _ = try await daemon.bus.ask(
            "the registration of an advertisement", daemon.adapter.path, BlueZNames.advertisingManager,
            "RegisterAdvertisement",
            [.path(path), .properties([])])
        state = .bus
    }

    private func unregister(isolation: isolated any Actor = #isolation) async {
        _ = await daemon.bus.call(
            daemon.adapter.path, BlueZNames.advertisingManager, "UnregisterAdvertisement", [.path(path)])
    }
}
