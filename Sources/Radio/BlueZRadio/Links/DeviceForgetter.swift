import Bluetooth
import Determinism
import Radio

/// Removes devices from bluetoothd's memory and storage after their links, unless they are paired or trusted.
///
/// bluetoothd keeps every device that it connected to, with the UUIDs of its services; in a session with a phone these
/// are random and name the transaction. As long as it does, it tells those services in place of the advertised ones.
final class DeviceForgetter {
    /// The longest wait for bluetoothd's word that a link is over, which comes some time after the kernel's.
    private static let patience = Duration.seconds(2)
    private static let answerTime = Duration.seconds(2)

    private let daemon: BluetoothdConnection
    /// The most devices that are owed.
    private static let maximumOwed = 256

    /// The devices that are being removed.
    private var due: Set<String> = []
    /// The devices of links of this program that are over, until they are gone or the user's.
    private var owed: Set<String> = []

    init(_ daemon: BluetoothdConnection) { self.daemon = daemon }

    /// Removes the device of a link of this program that is over.
    func linkEnded(_ device: String) {
        if owed.count < Self.maximumOwed { owed.insert(device) }
        due.insert(device)
        daemon.handle.start { await $0.forget(device) }
    }

    /// Returns true for a device of a link that is over, which was in use when it was to be removed.
    func isOwed(_ device: String) -> Bool { owed.contains(device) && !due.contains(device) }

    /// Removes the devices of all links that are over, because the radio is closed.
    func forgetAll(isolation: isolated any Actor = #isolation) async {
        for device in owed.sorted() where !due.contains(device) { await forget(device) { false } }
        _ = await daemon.waiters.until(Self.patience + Self.answerTime) { self.due.isEmpty }
    }

    /// Removes a device once bluetoothd knows that it is not connected, unless `isNeeded` then says that it is.
    func forget(
        _ device: String, isolation: isolated any Actor = #isolation, unless isNeeded: () -> Bool
    ) async {
        due.insert(device)
        _ = await daemon.waiters.until(Self.patience) { !self.daemon.adapter.isConnected(device) }
        if !isNeeded(), Self.isForgettable(daemon.adapter.tree.properties(device, BlueZNames.device)) {
            let answer = await daemon.bus.call(
                daemon.adapter.path, BlueZNames.adapter, "RemoveDevice", [.path(device)], timeout: Self.answerTime)
            if case .success = answer { owed.remove(device) }
        }
        // One that is gone, or that belongs to the user, is not removed later either.
        if daemon.adapter.tree.properties(device, BlueZNames.device).map(Self.isTheUsers) ?? true {
            owed.remove(device)
        }
        due.remove(device)
        daemon.waiters.wake()
    }

    /// Returns true when bluetoothd tells the services of a former link in place of those that a device advertises.
    ///
    /// The link may have been another program's. Once the device is removed, its next advertisement tells of it anew.
    func hasFormerServices(_ device: String) -> Bool {
        let tree = daemon.adapter.tree
        guard let properties = tree.properties(device, BlueZNames.device), properties["UUIDs"]?.texts?.isEmpty == false,
            Self.isForgettable(properties), !due.contains(device)
        else { return false }
        return !tree.paths(with: BlueZNames.remoteService, under: device).isEmpty
    }

    /// Returns true for a device that nothing uses: not connected, and neither paired nor trusted by the user.
    static func isForgettable(_ properties: [String: DBusValue]?) -> Bool {
        guard let properties else { return false }
        return properties["Connected"]?.flag != true && !isTheUsers(properties)
    }

    /// Returns true for a device that the user paired, trusted or blocked.
    private static func isTheUsers(_ properties: [String: DBusValue]) -> Bool {
        ["Paired", "Bonded", "Trusted", "Blocked"].contains { properties[$0]?.flag == true }
    }
}
