public import Bluetooth

extension HeraldNode {
    /// An action for the caller, or an event to report.
    public enum Output: Hashable, Sendable {
        /// Publish these services instead of all others; comes before the first advertisement.
        case publish([ServiceDefinition])
        /// Set the value that reads of a characteristic return, in every service that has it.
        case setValue([UInt8], of: BluetoothUUID)
        /// Advertise, or resume advertising after a connection ended it.
        case startAdvertising(HeraldAdvertisement)
        /// Stop advertising the node.
        case stopAdvertising
        /// Scan with duplicates for devices that advertise one of `services`; for all devices when it is empty.
        case startScanning(services: [BluetoothUUID])
        /// Stop scanning for devices.
        case stopScanning

        /// Connect to a device, and answer `connected` or `connectFailed`.
        case connect(LinkID, DeviceAddress, timeout: Duration)
        /// Find the characteristics of these services, and answer `discovered` or `discoveryFailed`.
        ///
        /// A service that is not there is left out.
        case discover(LinkID, services: [BluetoothUUID])
        /// Read a whole characteristic, and answer `read` or `readFailed`.
        case read(LinkID, BluetoothUUID)
        /// Write a value with response, and answer `written` or `writeFailed`.
        case write(LinkID, BluetoothUUID, [UInt8])
        /// Subscribe to a characteristic, and answer `subscribed` or `subscribeFailed`.
        case subscribe(LinkID, BluetoothUUID)
        /// Read the signal strength of a link, and answer `linkRSSI` or `linkRSSIFailed`.
        case readRSSI(LinkID)
        /// End a link or a connect; the caller answers only `disconnected` or `connectFailed`.
        case disconnect(LinkID)

        /// Notify a value to a device that is connected to this one.
        case notify(LinkID, BluetoothUUID, [UInt8])
        /// End a connection that another device opened.
        case disconnectCentral(LinkID)

        /// Report this event to the user.
        case event(HeraldEvent)
    }

    /// The devices that a message of the application is sent to.
    public enum MessageTargets: Hashable, Sendable {
        /// The message goes to one device.
        case target(TargetID)
        /// The message goes to these devices, once to each.
        case targets([TargetID])
        /// The message goes to all devices that speak Herald and were noticed in the last 60 s (HP-53, HP-54).
        case all
    }

    /// An accepted message of the application with its target devices.
    public struct DispatchedMessage: Hashable, Sendable {
        /// The identifier of the message in `sent` and `notSent`.
        public var message: HeraldMessageID
        /// The devices that get the message, most recently noticed first.
        public var targets: [TargetID]
    }
}
