public import Bluetooth
public import Determinism

extension HeraldNode {
    /// An input of the Herald node: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Start the node; the value is the present calendar time.
        case start(WallTime)
        /// The calendar time was set to this value.
        case wallTime(WallTime)
        /// The radio was switched on or off, or has disappeared; at `start` it counts as on.
        case radio(RadioState)
        /// The radio cannot advertise, only scan and connect.
        ///
        /// Until `stop` this device writes what others would read (HP-14).
        case cannotAdvertise(reason: String)
        /// The system changed this device's Bluetooth address a moment ago (HP-25).
        case addressChanged
        /// An advertisement or a scan response was received; `hear` is the same without an array.
        case heard(AdvertisementReport)

        /// A link that the node requested is up.
        case connected(LinkID)
        /// A link that the node requested could not be established.
        case connectFailed(LinkID)
        /// The characteristics found in the requested services, in any order.
        ///
        /// Empty when the device has none of the services.
        case discovered(LinkID, [BluetoothUUID])
        /// The services could not be discovered.
        case discoveryFailed(LinkID)
        /// A characteristic was read; the value is complete.
        case read(LinkID, BluetoothUUID, [UInt8])
        /// A characteristic could not be read.
        case readFailed(LinkID, BluetoothUUID)
        /// The pending write was acknowledged.
        case written(LinkID)
        /// The pending write was refused.
        case writeFailed(LinkID)
        /// The subscription that the node requested was confirmed.
        case subscribed(LinkID)
        /// The subscription that the node requested was refused.
        case subscribeFailed(LinkID)
        /// The peer notified a value of this characteristic on a link.
        case notified(LinkID, BluetoothUUID, [UInt8])
        /// The signal strength of a link was read, in dBm.
        case linkRSSI(LinkID, Int)
        /// The signal strength of a link could not be read.
        case linkRSSIFailed(LinkID)
        /// A link that the node requested is down, whichever end ended it.
        case disconnected(LinkID)

        /// A device connected to this one.
        case centralConnected(LinkID, DeviceAddress)
        /// A device wrote a characteristic; `isCommand` when without response.
        case centralWrote(LinkID, BluetoothUUID, [UInt8], isCommand: Bool)
        /// A device subscribed to a characteristic, or unsubscribed.
        case centralSubscribed(LinkID, BluetoothUUID, Bool)
        /// The connection of a device that had connected to this one is down.
        case centralDisconnected(LinkID)

        /// Time has passed; given at `nextDeadline` at the latest.
        case tick
        /// End all activity: scanning, advertising and links.
        case stop
    }
}
