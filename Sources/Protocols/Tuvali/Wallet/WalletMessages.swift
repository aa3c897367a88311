public import Bluetooth

extension WalletSession {
    /// An input of the wallet session: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Begin to scan.
        case start
        /// An advertisement or a scan response was heard.
        case heard(AdvertisementReport)
        /// The connection that the wallet requested is up.
        case connected
        /// The connection that the wallet requested failed.
        case connectFailed
        /// The ATT MTU in force, after an exchange or by the other side's doing.
        case mtu(Int)
        /// The MTU exchange that the wallet requested was refused or failed; the MTU in force is 23 until an exchange
        /// has succeeded.
        case mtuFailed(inForce: Int)
        /// The characteristics of the Tuvali service on the verifier.
        case discovered([BluetoothUUID])
        /// The service is not there, or could not be looked at.
        case discoveryFailed
        /// The radio was asked for the values of the pushed characteristics; the verifier refused those of `failed`.
        case subscribed(failed: [BluetoothUUID])
        /// A write was answered, or, for a command, accepted by the host's queue.
        case written(TuvaliCharacteristic)
        /// A write failed and the link is still up.
        case writeFailed(TuvaliCharacteristic)
        /// A read was answered; the value has 0 to 512 bytes.
        case valueRead(TuvaliCharacteristic, [UInt8])
        /// A read failed and the link is still up, or ATT's time for it has passed.
        case readFailed(TuvaliCharacteristic)
        /// The verifier pushed a value.
        case received(TuvaliCharacteristic, [UInt8])
        /// The link to the verifier is down.
        case disconnected(LinkEnd)
        /// The radio has failed; the session cannot go on.
        case radioFailed(String)
        /// Time has passed; due at `nextDeadline` at the latest.
        case tick
        /// The user cancels the session.
        case cancel
    }

    /// An output of the wallet session: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Scan for advertisers of these services.
        case startScanning([BluetoothUUID])
        /// Stop scanning.
        case stopScanning
        /// Connect to this advertiser within this time.
        case connect(DeviceAddress, timeout: Duration)
        /// Exchange the ATT MTU, requesting this one.
        case exchangeMTU(Int)
        /// Find the primary service of this profile and its characteristics; the verifier's values are read by it too.
        case discover(WireProfile)
        /// Ask for the values of these characteristics.
        case subscribe([BluetoothUUID])
        /// Write a value. The driver answers `written` or `writeFailed` before it takes the next output.
        case write(TuvaliCharacteristic, BluetoothUUID, [UInt8], withResponse: Bool)
        /// Read a value. The driver answers `valueRead` or `readFailed`; the next output need not wait for that.
        case read(TuvaliCharacteristic, BluetoothUUID)
        /// End the link, or give up connecting.
        case disconnect
        /// Pass a session event (progress, sent, status, error, end) to the application.
        case event(WalletEvent)
        /// The session is over; nothing follows.
        case finished(SessionEnding)
    }
}
