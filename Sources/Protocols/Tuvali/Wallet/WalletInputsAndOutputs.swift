public import Bluetooth

extension WalletSession {
    /// An input of the wallet session: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Begin to scan for the verifier.
        case start
        /// An advertisement or a scan response was received.
        case heard(AdvertisementReport)
        /// The connection that the wallet requested is up.
        case connected
        /// The connection that the wallet requested failed.
        case connectFailed
        /// The ATT MTU of the link, after an exchange by the wallet or by the other side.
        case mtu(Int)
        /// The MTU exchange that the wallet requested was refused or failed.
        ///
        /// The MTU in force is 23 until an exchange has succeeded.
        case mtuFailed(inForce: Int)
        /// The characteristics of the Tuvali service on the verifier were found.
        case discovered([BluetoothUUID])
        /// The service was not found, or its discovery failed.
        case discoveryFailed
        /// The subscriptions to the verifier's values ended; the verifier refused those of `failed`.
        case subscribed(failed: [BluetoothUUID])
        /// A write was answered, or, for a write command, accepted by the host's queue.
        case written(TuvaliCharacteristic)
        /// A write failed and the link is still up.
        case writeFailed(TuvaliCharacteristic)
        /// A read was answered; the value has 0 to 512 bytes.
        case valueRead(TuvaliCharacteristic, [UInt8])
        /// A read failed and the link is still up, or ATT's time-out for it has passed.
        case readFailed(TuvaliCharacteristic)
        /// The verifier notified a value.
        case received(TuvaliCharacteristic, [UInt8])
        /// The link to the verifier is down.
        case disconnected(LinkEndCause)
        /// The radio has failed; the session cannot continue.
        case radioFailed(String)
        /// Time has passed; given at `nextDeadline` at the latest.
        case tick
        /// The user cancels the session.
        case cancel
    }

    /// An output of the wallet session: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Scan for advertisers of these service UUIDs.
        case startScanning([BluetoothUUID])
        /// Stop scanning for the verifier.
        case stopScanning
        /// Connect to an advertiser within a time limit.
        case connect(DeviceAddress, timeout: Duration)
        /// Exchange the ATT MTU, with this value as the request.
        case exchangeMTU(Int)
        /// Find the primary service of a profile and its characteristics; values are read by this profile too.
        case discover(WireProfile)
        /// Subscribe to the values of these characteristics.
        case subscribe([BluetoothUUID])
        /// Write a value; the driver answers `written` or `writeFailed` before it handles the next output.
        case write(TuvaliCharacteristic, BluetoothUUID, [UInt8], withResponse: Bool)
        /// Read a value; the driver answers `valueRead` or `readFailed`, and the next output need not wait for that.
        case read(TuvaliCharacteristic, BluetoothUUID)
        /// End the link, or cancel the connection attempt.
        case disconnect
        /// Pass a session event (progress, sent, status, error, end) to the application.
        case event(WalletEvent)
        /// The session has ended; no output follows.
        case finished(SessionEnding)
    }
}
