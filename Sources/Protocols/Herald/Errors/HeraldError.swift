public import CodedErrors

/// Why a message was refused, a payload could not be made or something was not delivered.
///
/// Equality is by code. `wireCode` is the ATT error byte that the deployed iOS library answers for the cause.
public struct HeraldError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// A signal frame begins with an action that no version defines.
        case frameUnknownAction = "herald.frame.unknown-action"
        /// A signal frame is shorter or longer than its action and its length field say.
        case frameWrongLength = "herald.frame.wrong-length"
        /// A signal frame holds or announces more bytes than an attribute may have.
        case frameTooLong = "herald.frame.too-long"
        /// A signal frame tells a signal strength that no radio measures.
        case frameImplausibleRSSI = "herald.frame.implausible-rssi"
        /// The pieces of a signal frame stopped coming.
        case frameIncomplete = "herald.frame.incomplete"
        /// A device wrote more than it may in the time.
        case signalRateLimited = "herald.signal.rate-limited"
        /// A device whose advertisement was not received wrote to this device.
        case signalUnheard = "herald.signal.unheard"
        /// A payload is empty, or shorter than its format.
        case payloadMalformed = "herald.payload.malformed"
        /// A payload has more than 510 bytes.
        case payloadTooLong = "herald.payload.too-long"
        /// A payload is outside its period of validity.
        case payloadStale = "herald.payload.stale"
        /// Extended data end in the middle of an entry.
        case extendedDataMalformed = "herald.extended-data.malformed"
        /// An entry of extended data is empty or longer than its length byte can express.
        case extendedDataWrongLength = "herald.extended-data.wrong-length"
        /// The secret of the identifiers' key chain is shorter than 2,048 bits.
        case chainSecretTooShort = "herald.chain.secret-too-short"
        /// The time lies before the first day of the identifiers' key chain.
        case chainNotBegun = "herald.chain.not-begun"
        /// The time lies after the last day of the identifiers' key chain.
        case chainExpired = "herald.chain.expired"
        /// A setting of the sensor is outside what the specification or the radio allows.
        case configurationInvalid = "herald.configuration.invalid"
        /// The advertising data do not fit into an advertisement and its scan response.
        case advertisementTooLong = "herald.advertisement.too-long"
        /// This device cannot advertise; it writes to others instead. The radio scans and connects, but cannot
        /// advertise.
        case advertisingUnsupported = "herald.advertising.unsupported"
        /// The device that a message is for is not near, or was never near.
        case sendUnknownTarget = "herald.send.unknown-target"
        /// The device accepts no messages.
        case sendUnsupported = "herald.send.unsupported"
        /// The message is longer than one exchange carries.
        case sendTooLarge = "herald.send.too-large"
        /// Too many messages wait for a device.
        case sendQueueFull = "herald.send.queue-full"
        /// The device was not reached in the time that a message may take.
        case sendTimeout = "herald.send.timeout"
        /// The device refused the message.
        case sendRefused = "herald.send.refused"
        /// The device was heard but could not be connected to.
        case linkConnectFailed = "herald.link.connect-failed"
        /// The link to the device stood still, or lasted longer than its work needs.
        case linkTimeout = "herald.link.timeout"
        /// The device does not offer the Herald service.
        case linkServiceNotFound = "herald.link.service-not-found"
        /// The payload of the device could not be read.
        case linkReadFailed = "herald.link.read-failed"
        /// The device refused what was written to it.
        case linkWriteFailed = "herald.link.write-failed"
        /// Two devices use one pseudo device address at the same time.
        case identityContested = "herald.identity.contested"
        /// The same payload comes from two devices at the same time.
        case identityDuplicated = "herald.identity.duplicated"
        /// More devices are near than the table holds.
        case tableFull = "herald.table.full"
        /// The file of the sensor's state cannot be read.
        case storeNotReadable = "herald.store.not-readable"
        /// The file of the sensor's state cannot be written.
        case storeNotWritable = "herald.store.not-writable"
        /// The radio is off, gone or not permitted.
        case radioUnavailable = "herald.radio.unavailable"
        /// No Bluetooth device of any kind has been heard for two minutes, although the radio is on.
        case radioSilent = "herald.radio.silent"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for people; not for comparison.
    ///
    /// Holds no key and no payload.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension HeraldError {
    /// The ATT error byte that the deployed iOS library answers for this cause; nil where it answers none.
    public var wireCode: UInt8? { code.wireCode }
}

extension HeraldError.Code {
    /// The ATT error byte in hexadecimal digits, like `0x0D`.
    public var specifiedCode: String? { wireCode == nil ? nil : "0x0D" }

    /// The ATT error byte that the deployed iOS library answers for this cause; nil where it answers none.
    public var wireCode: UInt8? {
        switch self {
        case .frameUnknownAction, .frameWrongLength, .frameTooLong, .frameImplausibleRSSI: 0x0D
        case .frameIncomplete, .signalRateLimited, .signalUnheard, .payloadMalformed, .payloadTooLong, .payloadStale,
            .extendedDataMalformed, .extendedDataWrongLength, .chainSecretTooShort, .chainNotBegun, .chainExpired,
            .configurationInvalid, .advertisementTooLong, .advertisingUnsupported, .sendUnknownTarget,
            .sendUnsupported, .sendTooLarge, .sendQueueFull, .sendTimeout, .sendRefused, .linkConnectFailed,
            .linkTimeout, .linkServiceNotFound, .linkReadFailed, .linkWriteFailed, .identityContested,
            .identityDuplicated, .tableFull, .storeNotReadable, .storeNotWritable, .radioUnavailable, .radioSilent:
            nil
        }
    }
}
