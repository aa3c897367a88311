import Bluetooth
import Determinism
import Radio

/// Ends links by the kernel if the process may, else by bluetoothd, which takes two seconds.
final class LinkDisconnector {
    private let daemon: BluetoothdConnection
    private let management: BluetoothManagementSocket

    init(_ daemon: BluetoothdConnection, management: BluetoothManagementSocket) {
        self.daemon = daemon
        self.management = management
    }

    /// Begins to end the link to a device; nothing when there is none.
    func end(_ device: String, isolation: isolated any Actor = #isolation) async {
        guard daemon.adapter.isConnected(device) else { return }
        // Linux 6.1 has been seen to crash when a link ends while bluetoothd still looks at the peer's services.
        _ = await daemon.waiters.until(.seconds(2)) { self.isSettled(device) }
        guard daemon.adapter.isConnected(device) else { return }
        if let peer = daemon.adapter.address(of: device), LinuxCapabilities.isPermitted(.netAdmin),
            await management.send(.disconnect(daemon.adapter.index, peer))?.status == 0
        {
            return
        }
        daemon.bus.begin(device, BlueZNames.device, "Disconnect", timeout: .seconds(10)) { _ in }
    }

    /// Returns true when bluetoothd is done with the peer's services, or the link is down.
    private func isSettled(_ device: String) -> Bool {
        !daemon.adapter.isConnected(device) || daemon.adapter.areServicesResolved(device)
    }
}
