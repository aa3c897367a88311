public import Bluetooth

/// What the Bluetooth stack of a simulated device tells the application on it.
///
/// Of what was asked for on a link as its central exactly one answer comes, in order, unless the link ends before.
public enum StackEvent: Hashable, Sendable {
    /// An advertisement or a scan response was heard.
    case heard(AdvertisementReport)
    /// A connect was given up before it came about.
    case connectCancelled
    /// A connection is up.
    case connected(AirLinkID, peer: DeviceAddress, isCentral: Bool)
    /// The characteristics of the services asked for; nil when looking for them failed.
    case discovered(AirLinkID, [RemoteCharacteristic]?)
    /// A value; nil when it could not be read.
    case read(AirLinkID, BluetoothUUID, [UInt8]?)
    /// A write with response was acknowledged, or refused.
    case wrote(AirLinkID, isDone: Bool)
    /// A subscription is there, or cannot be had.
    case subscribed(AirLinkID, isDone: Bool)
    /// The peripheral pushed a value.
    case pushed(AirLinkID, BluetoothUUID, [UInt8])
    /// The signal strength of a link in dBm; nil when the controller does not tell.
    case rssi(AirLinkID, Int?)
    /// A connection is down, whoever ended it.
    case disconnected(AirLinkID)
    /// A central wrote a characteristic; a write with response has been answered.
    case centralWrote(AirLinkID, BluetoothUUID, [UInt8], isCommand: Bool)
    /// A central subscribed to a characteristic, or no longer does.
    case centralSubscribed(AirLinkID, BluetoothUUID, Bool)
}
