import Bluetooth
import Determinism
import Radio

/// Ends links by the kernel if the process may, else by bluetoothd, which takes two seconds.
final class LinkDisconnector {
    private let adapter: AdapterState
    private let bus: BusConnection
    private let waiters: EventWaiters
    private let management: ManagementSocket

    init(_ adapter: AdapterState, _ bus: BusConnection, _ waiters: EventWaiters, _ management: ManagementSocket) {
        self.adapter = adapter
        self.bus = bus
        self.waiters = waiters
        self.management = management
    }

    /// Begins to end the link to a device; nothing when there is none.
    func end(_ device: String, isolation: isolated any Actor = #isolation) async {
        guard adapter.isConnected(device) else { return }
        // Linux 6.1 has been seen to crash when a link ends while bluetoothd still looks at the peer's services.
        _ = await waiters.until(.seconds(2)) { self.isSettled(device) }
        guard adapter.isConnected(device) else { return }
        if let peer = adapter.address(of: device), Privileges.isPermitted(.netAdmin),
            await management.send(.disconnect(adapter.index, peer))?.status == 0
        {
            return
        }
        bus.begin(device, BlueZ.device, "Disconnect", timeout: .seconds(10)) { _ in }
    }

    /// Returns true when bluetoothd is done with the peer's services, or the link is down.
    private func isSettled(_ device: String) -> Bool {
        !adapter.isConnected(device) || adapter.areServicesResolved(device)
    }
}
