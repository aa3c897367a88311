public import Bluetooth

/// The state of the app's use of Bluetooth that the system kept while the app did not run.
///
/// The radio goes on with it: a connect to a device that is still connected succeeds at once, services that are
/// published again keep their subscribers. What the app does not take up in time is ended.
public struct RestoredState: Hashable, Sendable {
    /// Devices that are connected.
    public private(set) var connected: [DeviceAddress] = []
    /// The devices that the system still tries to connect to.
    public private(set) var connecting: [DeviceAddress] = []
    /// The services that the system still scans for; nil when it does not scan.
    public private(set) var scannedServices: [BluetoothUUID]?
    /// Services that are published.
    public private(set) var publishedServices: [BluetoothUUID] = []
    /// Centrals that are subscribed to one of their characteristics.
    public private(set) var subscribers: [DeviceAddress] = []
    /// True when the system still advertises.
    public private(set) var isAdvertising = false

    init() {}

    mutating func note(_ devices: [CentralCore.RestoredPeripheral], scan: [BluetoothUUID]?) {
        connected = devices.filter(\.isConnected).map(\.address)
        connecting = devices.filter { !$0.isConnected }.map(\.address)
        scannedServices = scan
    }

    mutating func note(_ services: [RestoredServices.Service], advertisement: SystemAdvertisement?) {
        publishedServices = services.map(\.uuid)
        for subscriber in services.flatMap(\.characteristics).flatMap(\.subscribers)
        where !subscribers.contains(subscriber.address) {
            subscribers.append(subscriber.address)
        }
        isAdvertising = advertisement != nil
    }
}
