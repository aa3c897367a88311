import Bluetooth
import Determinism
public import Radio

// The peripheral role: advertising, by the management socket if we may, else by bluetoothd.
extension BlueZRadio {
    /// How the advertisement is on the air.
    enum Advertising: Hashable {
        /// It is not.
        case none
        /// As an instance of the kernel's.
        case instance(UInt8)
        /// As an object of bluetoothd's.
        case bus
    }

    static let advertisementPath = "/org/symbolon/advertisement"

    /// Starts advertising, see `PeripheralRadio`.
    ///
    /// - Throws: `notPermitted` when there is a scan response, bluetoothd is older than 5.80 and CAP_NET_ADMIN is missing.
    public func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        try await awaitPresence()
        guard advertisement.data.count <= 31, advertisement.scanResponse.count <= 31 else {
            throw RadioError(.tooLarge, "advertising data and scan response have at most 31 bytes each")
        }
        try takeLock()
        do throws(RadioError) { try await advertise(advertisement) } catch {
            // Whoever went away in the middle is told again when back.
            guard absentSince != nil else { throw error }
            try await awaitPresence()
            try await advertise(advertisement)
        }
        self.advertisement = advertisement
    }

    private func advertise(_ advertisement: Advertisement) async throws(RadioError) {
        await removeStaleInstance()
        if Privileges.isPermitted(.netAdmin), try await advertiseByKernel(advertisement) { return }
        try await advertiseByDaemon(advertisement)
    }

    /// Stops advertising, see `PeripheralRadio`.
    public func stopAdvertising() async {
        advertisement = nil
        switch advertising {
        case .none: return
        case .instance(let instance): _ = await manage(.removeAdvertising(adapterIndex, instance: instance))
        case .bus:
            _ = await call(
                adapterPath, BlueZ.advertisingManager, "UnregisterAdvertisement", [.path(Self.advertisementPath)])
        }
        advertising = .none
        lock?.note(nil)
    }

    /// Takes back what a program of ours left when it was killed.
    private func removeStaleInstance() async {
        guard case .none = advertising, let stale = lock?.staleInstance, Privileges.isPermitted(.netAdmin) else {
            return
        }
        _ = await manage(.removeAdvertising(adapterIndex, instance: stale))
        lock?.note(nil)
    }

    /// - Returns: False when the kernel does not trust us after all.
    private func advertiseByKernel(_ advertisement: Advertisement) async throws(RadioError) -> Bool {
        guard let instance = try await instance() else { return false }
        let parameters = await manage(
            .advertisingParameters(
                adapterIndex, instance: instance, isConnectable: advertisement.isConnectable,
                interval: advertisement.interval))
        try check(parameters, "the parameters of the advertisement")
        lock?.note(instance)
        advertising = .instance(instance)
        let data = await manage(
            .advertisingData(
                adapterIndex, instance: instance, data: advertisement.data, scanResponse: advertisement.scanResponse))
        try check(data, "the data of the advertisement")
        return true
    }

    /// The instance to use: ours, or the highest that is free; nil when we may not.
    private func instance() async throws(RadioError) -> UInt8? {
        if case .instance(let instance) = advertising { return instance }
        guard let answer = await manage(.readAdvertisingFeatures(adapterIndex)) else {
            throw RadioError(.unavailable, "The kernel does not answer on its management socket.")
        }
        if answer.status == ManagementEvent.permissionDenied { return nil }
        guard answer.status == 0, let features = AdvertisingFeatures(parsing: answer.values) else {
            throw RadioError(.unsupported, "The adapter \(adapterName) cannot advertise.")
        }
        guard let free = features.free else {
            throw RadioError(.unavailable, "Other programs advertise on \(adapterName) with all it has.")
        }
        return free
    }

    private func check(_ answer: ManagementLink.Answer?, _ what: String) throws(RadioError) {
        guard let answer else { throw RadioError(.unavailable, "The kernel does not answer on its management socket.") }
        guard answer.status == 0 else {
            throw RadioError(.unsupported, "The kernel refused \(what) with status \(answer.status).")
        }
    }

    private func advertiseByDaemon(_ advertisement: Advertisement) async throws(RadioError) {
        let version = tree[adapterPath, BlueZ.adapter, "Modalias"]?.text.flatMap(DaemonVersion.init(modalias:))
        busAdvertisement = try BusAdvertisement.properties(of: advertisement, version: version)
        if case .bus = advertising {
            _ = await call(
                adapterPath, BlueZ.advertisingManager, "UnregisterAdvertisement", [.path(Self.advertisementPath)])
        }
        advertising = .none
        _ = try await ask(
            "the registration of an advertisement", adapterPath, BlueZ.advertisingManager, "RegisterAdvertisement",
            [.path(Self.advertisementPath), .properties([])])
        advertising = .bus
    }
}
