import Bluetooth

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

// Looks at the machine for the doctor.
extension BlueZRadio {
    /// Collects the facts about Bluetooth on this machine; changes nothing and needs no right.
    public static func examine() async -> BluetoothFacts {
        guard let executor = BusExecutor() else { return BluetoothFacts() }
        return await BlueZRadio(Configuration(), on: executor).examination()
    }

    private func examination() async -> BluetoothFacts {
        var facts = BluetoothFacts(
            mayAdminister: LinuxCapabilities.isPermitted(.netAdmin), maySendRaw: LinuxCapabilities.isPermitted(.netRaw),
            settings: Self.settings, program: Self.program)
        do {
            try connectBus()
            facts.hasBus = true
            try await daemon.adapter.meetDaemon()
            facts.daemonRuns = true
        } catch {
            shut()
            return facts
        }
        let blocked = RFKillSwitches.blocked
        facts.adapters = AdapterSelector.adapters(in: daemon.adapter.tree).map {
            BluetoothFacts.Adapter(
                name: $0.name, address: $0.address.description, isPowered: $0.isPowered,
                isBlocked: blocked.contains($0.name), isPeripheral: $0.isPeripheral,
                isPairable: $0.isPairable)
        }
        facts.daemonVersion =
            daemon.adapter.tree.paths(with: BlueZNames.adapter).compactMap { path in
                daemon.adapter.tree[path, BlueZNames.adapter, "Modalias"]?.text.flatMap {
                    BluetoothdVersion(modalias: $0)
                }
            }.first?.description
        shut()
        return facts
    }

    /// The settings of bluetoothd.
    static var settings: [String: String] {
        let data = FileManager.default.contents(atPath: "/etc/bluetooth/main.conf") ?? Data()
        return BluetoothFacts.settings(in: String(decoding: data.prefix(65_536), as: UTF8.self))
    }

    private static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "symbolon"
    }
}
