public import Bluetooth

/// An event that the Bluetooth stack of a simulated device reports to the application on it.
///
/// Each request of the central on a link gets exactly one answer, in the order of the requests, unless the link ends
/// first.
public enum HostStackEvent: Hashable, Sendable {
    /// An advertisement or a scan response was heard.
    case heard(AdvertisementReport)
    /// A connect was given up before it came about.
    case connectCancelled
    /// A connection is up.
    case connected(LinkID, peer: DeviceAddress, isCentral: Bool)
    /// The characteristics of the services asked for; nil when looking for them failed.
    case discovered(LinkID, [RemoteCharacteristic]?)
    /// A characteristic was read; its value is nil when the read failed.
    case read(LinkID, BluetoothUUID, [UInt8]?)
    /// A write with response was acknowledged or refused, or one without response was given to the link.
    case wrote(LinkID, BluetoothUUID, isDone: Bool)
    /// A subscription succeeded or failed.
    case subscribed(LinkID, isDone: Bool)
    /// The ATT MTU in force, in either role; nil when an exchange failed.
    case mtu(LinkID, Int?)
    /// The peripheral pushed a value.
    case pushed(LinkID, BluetoothUUID, [UInt8])
    /// The signal strength of a link in dBm; nil when the controller does not tell.
    case rssi(LinkID, Int?)
    /// A connection is down, ended by either side.
    case disconnected(LinkID)
    /// A central wrote a characteristic; a write with response has been answered.
    case centralWrote(LinkID, BluetoothUUID, [UInt8], isCommand: Bool)
    /// A central reads a value that the application provides, from an offset.
    case centralReads(LinkID, BluetoothUUID, offset: Int)
    /// A central subscribed to a characteristic, or no longer does.
    case centralSubscribed(LinkID, BluetoothUUID, Bool)
}
