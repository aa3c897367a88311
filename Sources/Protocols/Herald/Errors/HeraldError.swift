@_exported public import CodedErrors

/// Why a message was refused, a payload could not be made or something was not delivered.
///
/// Equality is by code. `wireCode` is the ATT error byte that the deployed iOS library answers for the cause.
public typealias HeraldError = CodedFailure<HeraldErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum HeraldErrorCode: String, CaseIterable, Sendable {
    case frameUnknownAction = "herald.frame.unknown-action"
    case frameWrongLength = "herald.frame.wrong-length"
    case frameTooLong = "herald.frame.too-long"
    case frameImplausibleRSSI = "herald.frame.implausible-rssi"
    case frameIncomplete = "herald.frame.incomplete"
    case signalRateLimited = "herald.signal.rate-limited"
    case signalUnheard = "herald.signal.unheard"
    case payloadMalformed = "herald.payload.malformed"
    case payloadTooLong = "herald.payload.too-long"
    case payloadStale = "herald.payload.stale"
    case extendedDataMalformed = "herald.extended-data.malformed"
    case extendedDataWrongLength = "herald.extended-data.wrong-length"
    case chainSecretTooShort = "herald.chain.secret-too-short"
    case chainNotBegun = "herald.chain.not-begun"
    case chainExpired = "herald.chain.expired"
    case configurationInvalid = "herald.configuration.invalid"
    case advertisementTooLong = "herald.advertisement.too-long"
    /// The radio scans and connects, but cannot advertise.
    case advertisingUnsupported = "herald.advertising.unsupported"
    case sendUnknownTarget = "herald.send.unknown-target"
    case sendUnsupported = "herald.send.unsupported"
    case sendTooLarge = "herald.send.too-large"
    case sendQueueFull = "herald.send.queue-full"
    case sendTimeout = "herald.send.timeout"
    case sendRefused = "herald.send.refused"
    case linkConnectFailed = "herald.link.connect-failed"
    case linkTimeout = "herald.link.timeout"
    case linkServiceNotFound = "herald.link.service-not-found"
    case linkReadFailed = "herald.link.read-failed"
    case linkWriteFailed = "herald.link.write-failed"
    case identityContested = "herald.identity.contested"
    case identityDuplicated = "herald.identity.duplicated"
    case tableFull = "herald.table.full"
    case storeNotReadable = "herald.store.not-readable"
    case storeNotWritable = "herald.store.not-writable"
    case radioUnavailable = "herald.radio.unavailable"
    case radioSilent = "herald.radio.silent"
}

extension HeraldError {
    /// The ATT error byte that the deployed iOS library answers for this cause; nil where it answers none.
    public var wireCode: UInt8? { code.wireCode }
}

extension HeraldErrorCode {
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
