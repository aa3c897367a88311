import ByteCoding

/// The code in an ATT Error Response that gives the reason for refusing a request.
///
/// Every byte is a value; those with a meaning have a constant. Source: Core Specification 5.3, Vol 3 Part F §3.4.1.1
/// and Supplement, Part B.
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The error code as a byte on the wire.
    public let rawValue: UInt8

    /// Makes a code from the byte on the wire.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The handle, or a range of handles, is not valid on this server.
    public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
    /// The attribute cannot be read.
    public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
    /// The attribute cannot be written.
    public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
    /// The PDU that the server received is malformed.
    public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
    /// The attribute asks for authentication first.
    public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
    /// The server does not support the request.
    public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
    /// The offset is past the end of the value.
    public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
    /// The attribute asks for authorization first.
    public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
    /// The server's queue of prepared writes is full.
    public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
    /// No attribute was found in the range.
    public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
    /// The attribute cannot be read with Read Blob.
    public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
    /// The encryption key is too short.
    public static let encryptionKeyTooShort = ATTErrorCode(rawValue: 0x0C)
    /// The length of the value is wrong for the attribute.
    public static let invalidValueLength = ATTErrorCode(rawValue: 0x0D)
    /// The request failed for a reason that no other code names.
    public static let unlikely = ATTErrorCode(rawValue: 0x0E)
    /// The attribute asks for encryption first.
    public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
    /// The attribute type of the request is not a grouping attribute.
    public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
    /// The server does not have the resources for the request.
    public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
    /// The server's attributes changed, and the client must discover them again.
    public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
    /// The value of a write is not allowed.
    public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
    /// The server refuses the write for a reason of the application.
    public static let writeRequestRejected = ATTErrorCode(rawValue: 0xFC)
    /// The client characteristic configuration is not as the request needs it.
    public static let improperlyConfigured = ATTErrorCode(rawValue: 0xFD)
    /// The procedure cannot start because another one is in progress.
    public static let procedureInProgress = ATTErrorCode(rawValue: 0xFE)
    /// The value of a write is out of range.
    public static let outOfRange = ATTErrorCode(rawValue: 0xFF)

    private static let names: [UInt8: String] = [
        0x01: "Invalid Handle", 0x02: "Read Not Permitted", 0x03: "Write Not Permitted", 0x04: "Invalid PDU",
        0x05: "Insufficient Authentication", 0x06: "Request Not Supported", 0x07: "Invalid Offset",
        0x08: "Insufficient Authorization", 0x09: "Prepare Queue Full", 0x0A: "Attribute Not Found",
        0x0B: "Attribute Not Long", 0x0C: "Encryption Key Size Too Short", 0x0D: "Invalid Attribute Value Length",
        0x0E: "Unlikely Error", 0x0F: "Insufficient Encryption", 0x10: "Unsupported Group Type",
        0x11: "Insufficient Resources", 0x12: "Database Out Of Sync", 0x13: "Value Not Allowed",
        0xFC: "Write Request Rejected", 0xFD: "Client Characteristic Configuration Descriptor Improperly Configured",
        0xFE: "Procedure Already In Progress", 0xFF: "Out Of Range",
    ]

    /// The name of the error code in the specification; the byte when it has no name.
    public var description: String {
        let byte = "0x" + Hex.encode([rawValue])
        if let name = Self.names[rawValue] { return "\(name) (\(byte))" }
        return (0x80...0x9F).contains(rawValue) ? "Application Error (\(byte))" : "Error \(byte)"
    }
}
