import Bluetooth
import Determinism
import Radio

/// Removes devices from bluetoothd's memory and storage some time after their links, unless they are paired or trusted.
///
/// bluetoothd stores every device that it connected to, with the UUIDs of its services; in a session with a phone these
/// are random and name the transaction. A device that is connected to again in the meantime is found without a scan.
final class DeviceForgetter {
    /// The time for which a device is kept: that after which bluetoothd drops one that it never connected to.
    private static let patience = Duration.seconds(30)

    private let daemon: BluetoothdConnection
    /// The time at which each device is removed, by its object.
    private var due: [String: MonotonicInstant] = [:]

    init(_ daemon: BluetoothdConnection) { self.daemon = daemon }

    /// Records that a link of this program to a device is over.
    func linkEnded(_ device: String) {
        let instant = daemon.waiters.now + Self.patience
        due[device] = instant
        daemon.handle.start(at: instant) { await $0.forgetDevices() }
    }

    /// Removes the devices of all links that are over, because the radio is closed.
    func forgetAll(isolation: isolated any Actor = #isolation) async {
        await forget(through: daemon.waiters.now + Self.patience)
    }

    /// Removes the devices whose time has come.
    func forget(through instant: MonotonicInstant, isolation: isolated any Actor = #isolation) async {
        let devices = due.filter { $0.value <= instant }.keys.sorted()
        for device in devices { due[device] = nil }
        for device in devices where Self.isForgettable(daemon.adapter.tree.properties(device, BlueZNames.device)) {
            _ = await daemon.bus.call(
                daemon.adapter.path, BlueZNames.adapter, "RemoveDevice", [.path(device)], timeout: .seconds(2))
        }
    }

    /// Returns true for a device that nothing uses: not connected, and neither paired nor trusted by the user.
    static func isForgettable(_ properties: [String: DBusValue]?) -> Bool {
        guard let properties else { return false }
        return ["Connected", "Paired", "Bonded", "Trusted"].allSatisfy { properties[$0]?.flag != true }
    }
}
