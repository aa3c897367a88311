package import Bluetooth

/// A fact about the links of a session, from the radio.
package enum MobileLinkInput: Sendable {
    /// An advertisement was received.
    case heard(AdvertisementReport)
    /// The connection that was requested is up.
    case connected
    /// The connection that was requested failed.
    case connectFailed
    /// The ATT MTU of the link that was requested; it may be refused, and is 23 then.
    case mtu(Int)
    /// The characteristics of the service on the other side were found; none when the service is not there.
    case discovered([BluetoothUUID])
    /// The characteristic Ident was read; nil when the read failed.
    case identRead([UInt8]?)
    /// The subscriptions ended; the other side refused those of `failed`.
    case subscribed(failed: [BluetoothUUID])
    /// The host took the last value that was written; the next one may come.
    case written
    /// The host or the other side refused the last value.
    case writeFailed
    /// The other side notified a value.
    case received(MobileCharacteristic, [UInt8])
    /// The link that was requested is down.
    case disconnected
    /// The radio cannot scan, for the reason that is given; it may still serve.
    case scanFailed(String)

    /// A central connected to the service here.
    case centralConnected(LinkID)
    /// The ATT MTU of a central's link.
    case centralMTU(LinkID, Int)
    /// A central switched the notifications of a characteristic.
    case centralSubscribed(LinkID, MobileCharacteristic, isSubscribed: Bool)
    /// A central wrote a value.
    case centralWrote(LinkID, MobileCharacteristic, [UInt8])
    /// The host took the last notification on a link; the next one may come.
    case notified(LinkID)
    /// A notification could not be sent, though the link is up.
    case notifyFailed(LinkID)
    /// The link of a central is down.
    case centralDisconnected(LinkID)
    /// The service could not be published or advertised, for the reason that is given; the radio may still scan.
    case serveFailed(String)
    /// The radio cuts so many bytes off notifications that are as long as the MTU allows.
    case notificationsLose(Int)
    /// The radio has failed; the session cannot go on.
    case radioFailed(String)
}

/// An action of the radio for a session; actions are done in their order.
package enum MobileLinkOutput: Hashable, Sendable {
    /// Scan for advertisers of a service.
    case startScanning(BluetoothUUID)
    /// Stop scanning.
    case stopScanning
    /// Connect to an advertiser within a time limit.
    case connect(DeviceAddress, timeout: Duration)
    /// Exchange the ATT MTU, with this value as the request.
    case exchangeMTU(Int)
    /// Find the service and its characteristics.
    case discover(BluetoothUUID)
    /// Read the characteristic Ident.
    case readIdent
    /// Subscribe to the values of these characteristics.
    case subscribe([BluetoothUUID])
    /// Write a value without response; `written` or `writeFailed` answers.
    case write(MobileCharacteristic, [UInt8])
    /// End the link that was requested, or the attempt.
    case disconnect

    /// Publish the service beside those that are there, with this value of Ident, and advertise it.
    case serve(BluetoothUUID, MobileMode, ident: [UInt8]?)
    /// Advertise the service again, after a connection stopped it.
    case advertise(BluetoothUUID)
    /// Stop advertising the service.
    case stopAdvertising
    /// Notify a value; `notified` or `notifyFailed` answers.
    case notify(LinkID, MobileCharacteristic, [UInt8])
    /// End the link of a central.
    case disconnectCentral(LinkID)
    /// Take the service away; its advertising has ended, and its links are down.
    case stopServing(BluetoothUUID)
}

/// A fact about a link for its session.
enum MobileLinkEvent: Sendable {
    /// The other side was found, and a link to it is being set up.
    case connecting(MobileMode)
    /// State 01 was sent or came: the link carries messages.
    case ready(MobileMode, mtu: Int)
    /// Bytes of a message came: so many of it are here, of as many as its heads announce; nil where they do not.
    case progress(Int, of: Int?)
    /// A whole message came.
    case message([UInt8])
    /// The host took a value, and others wait behind it.
    case advanced
    /// The host took the last byte of the messages that were to be sent.
    case sent
    /// State 02 came.
    case ended
    /// The open link is down, with so many bytes of a message here.
    case lost(midMessage: Int?)
    /// A link that was not open failed, or the radio cannot serve a mode; others are still looked for.
    case attemptFailed(MobileSessionError)
    /// A value that came over the open link breaks the protocol.
    case broken(MobileSessionError)
    /// A deviation was taken.
    case deviation(MobileDeviation)
}
