import Bluetooth
import Radio

/// Chooses the adapter of a radio, or throws the reason why none is usable.
enum AdapterSelector {
    /// An adapter as bluetoothd describes it.
    struct Adapter: Hashable, Sendable {
        /// The D-Bus path of the adapter, such as `/org/bluez/hci0`.
        var path: String
        /// The index of the adapter in the kernel.
        var index: UInt16
        /// The address of the adapter.
        var address: DeviceAddress
        /// True when the adapter is on.
        var isPowered: Bool
        /// True when the adapter can advertise.
        var isPeripheral: Bool
        /// True when the adapter can connect to devices.
        var isCentral: Bool
        /// True when bluetoothd keeps the keys of devices that pair with the adapter.
        var isPairable = false

        /// The name that users know, as in `hci0`.
        var name: String { "hci\(index)" }
    }

    /// All adapters, in the order of their numbers.
    static func adapters(in tree: BusObjectTree) -> [Adapter] {
        tree.paths(with: BlueZNames.adapter).compactMap { path in
            guard let properties = tree.properties(path, BlueZNames.adapter),
                let index = AttributeObjectPath.adapterIndex(of: path),
                let address = BlueZAdvertisementReport.address(of: properties)
            else { return nil }
            let roles = properties["Roles"]?.texts
            return Adapter(
                path: path, index: index, address: address, isPowered: properties["Powered"]?.flag ?? false,
                isPeripheral: roles?.contains("peripheral") ?? true, isCentral: roles?.contains("central") ?? true,
                isPairable: properties["Pairable"]?.flag ?? false)
        }.sorted { $0.index < $1.index }
    }

    /// The adapter called `name`, or the first that is on.
    ///
    /// - Parameters:
    ///   - name: as in `hci0`; nil: any.
    ///   - blocked: the adapters that rfkill holds off, by name.
    /// - Throws: `unavailable`, with a sentence that says what to do.
    static func choose(
        _ name: String?, from adapters: [Adapter], blocked: Set<String> = []
    ) throws(RadioError) -> Adapter {
        if let name {
            guard let adapter = adapters.first(where: { $0.name == name }) else {
                let known =
                    adapters.isEmpty ? "there is none" : "there is " + adapters.map(\.name).joined(separator: ", ")
                throw RadioError(.unavailable, "There is no Bluetooth adapter \(name); \(known).")
            }
            return try usable(adapter, blocked)
        }
        if let adapter = adapters.first(where: \.isPowered) { return adapter }
        guard let adapter = adapters.first else {
            throw RadioError(.unavailable, "There is no Bluetooth adapter, or its driver is not loaded.")
        }
        return try usable(adapter, blocked)
    }

    private static func usable(_ adapter: Adapter, _ blocked: Set<String>) throws(RadioError) -> Adapter {
        if adapter.isPowered { return adapter }
        if blocked.contains(adapter.name) {
            throw RadioError(.unavailable, "The adapter \(adapter.name) is blocked; run rfkill unblock bluetooth.")
        }
        throw RadioError(.unavailable, "The adapter \(adapter.name) is off; run bluetoothctl power on.")
    }
}
