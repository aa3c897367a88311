public import Bluetooth

extension HeraldNode {
    /// An action for the caller, or an event to report.
    public enum Output: Hashable, Sendable {
        /// Publish these services in place of all others; comes before the first advertisement.
        case publish([ServiceDefinition])
        /// Serve this value to reads of a characteristic, in every service that has it.
        case setValue([UInt8], of: BluetoothUUID)
        /// Advertise this, or go on with it after a connection ended it.
        case startAdvertising(HeraldAdvertisement)
        /// Stop advertising.
        case stopAdvertising
        /// Scan, duplicates included, for devices that name one of `services` or, where that is empty, for all.
        case startScanning(services: [BluetoothUUID])
        /// Stop scanning.
        case stopScanning

        /// Connect, and answer `connected` or `connectFailed`.
        case connect(LinkID, DeviceAddress, timeout: Duration)
        /// Find the characteristics of these services, those that are there, and answer `discovered` or
        /// `discoveryFailed`.
        case discover(LinkID, services: [BluetoothUUID])
        /// Read a characteristic whole, and answer `read` or `readFailed`.
        case read(LinkID, BluetoothUUID)
        /// Write with response, and answer `written` or `writeFailed`.
        case write(LinkID, BluetoothUUID, [UInt8])
        /// Subscribe, and answer `subscribed` or `subscribeFailed`.
        case subscribe(LinkID, BluetoothUUID)
        /// Read the signal strength of a link, and answer `linkRSSI` or `linkRSSIFailed`.
        case readRSSI(LinkID)
        /// End a link, or give up connecting; the caller answers with `disconnected` or `connectFailed` only.
        case disconnect(LinkID)

        /// Push a value to a device that is connected to this one.
        case notify(LinkID, BluetoothUUID, [UInt8])
        /// End a connection that another device opened.
        case disconnectCentral(LinkID)

        /// Report this event to the user.
        case event(HeraldEvent)
    }

    /// The targets of a message.
    public enum MessageTargets: Hashable, Sendable {
        /// The message goes to one device.
        case target(TargetID)
        /// The message goes to these devices, once to each.
        case targets([TargetID])
        /// The message goes to all that speak Herald and were noticed in the last 60 s (HP-53, HP-54).
        case all
    }

    /// A message that was taken, with its targets.
    public struct DispatchedMessage: Hashable, Sendable {
        /// The name of the message in `sent` and `notSent`.
        public var message: MessageID
        /// The devices that get the message, most recently noticed first.
        public var targets: [TargetID]
    }
}
