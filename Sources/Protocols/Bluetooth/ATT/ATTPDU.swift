/// One PDU of the attribute protocol (ATT) with its parameters as values.
///
/// `init(_:)` reads it, `bytes` writes it; for everything that `init(_:)` accepts the two are inverse. Numbers are
/// little endian on the wire. Source: Core Specification 5.3, Vol 3 Part F §3.4.
public enum ATTPDU: Hashable, Sendable {
    /// An entry of a Find Information Response: a handle and the type of its attribute.
    public struct InformationEntry: Hashable, Sendable {
        /// The handle of the attribute.
        public var handle: UInt16
        /// The type of the attribute.
        public var type: BluetoothUUID

        /// Makes an entry of a Find Information Response.
        public init(handle: UInt16, type: BluetoothUUID) {
            self.handle = handle
            self.type = type
        }
    }

    /// The handles of a group of attributes: from its declaration to its last attribute.
    public struct HandleRange: Hashable, Sendable {
        /// The handle of the group's declaration.
        public var start: UInt16
        /// The last handle of the group.
        public var end: UInt16

        /// Makes an entry of a Find By Type Value Response.
        public init(start: UInt16, end: UInt16) {
            self.start = start
            self.end = end
        }
    }

    /// An entry of a Read By Type Response: a handle and the value of its attribute.
    public struct HandleValue: Hashable, Sendable {
        /// The handle of the attribute.
        public var handle: UInt16
        /// The attribute's value, cut to what fits: 0 to 253 bytes.
        public var value: [UInt8]

        /// Makes an entry of a Read By Type Response.
        public init(handle: UInt16, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }

    /// An entry of a Read By Group Type Response: a group and the value of its declaration.
    public struct AttributeGroup: Hashable, Sendable {
        /// The handle of the group's declaration.
        public var start: UInt16
        /// The last handle of the group.
        public var end: UInt16
        /// The value of the group's declaration: 0 to 251 bytes.
        public var value: [UInt8]

        /// Makes an entry of a Read By Group Type Response.
        public init(start: UInt16, end: UInt16, value: [UInt8]) {
            self.start = start
            self.end = end
            self.value = value
        }
    }

    /// Error Response: the request with `opcode` failed at `handle` (0 where no handle is concerned).
    case errorResponse(opcode: UInt8, handle: UInt16, error: ATTErrorCode)
    /// Exchange MTU Request: the client's receive MTU.
    case exchangeMTURequest(mtu: UInt16)
    /// Exchange MTU Response: the server's receive MTU.
    case exchangeMTUResponse(mtu: UInt16)
    /// Find Information Request: asks for the handles and types of attributes in a range.
    case findInformationRequest(start: UInt16, end: UInt16)
    /// Find Information Response: handles and types, all in the 16-bit form or all in the 128-bit form.
    case findInformationResponse([InformationEntry])
    /// Find By Type Value Request: asks for groups of attributes; `type` is the 16-bit form of a UUID.
    case findByTypeValueRequest(start: UInt16, end: UInt16, type: UInt16, value: [UInt8])
    /// Find By Type Value Response: the ranges of handles of the groups found.
    case findByTypeValueResponse([HandleRange])
    /// Read By Type Request: asks for the values of attributes of `type` in a range.
    case readByTypeRequest(start: UInt16, end: UInt16, type: BluetoothUUID)
    /// Read By Type Response: handles and values, all values of one length.
    case readByTypeResponse([HandleValue])
    /// Read Request: asks for the value of an attribute.
    case readRequest(handle: UInt16)
    /// Read Response: the value of an attribute, or its first MTU − 1 bytes.
    case readResponse(value: [UInt8])
    /// Read Blob Request: asks for the value of an attribute from `offset`.
    case readBlobRequest(handle: UInt16, offset: UInt16)
    /// Read Blob Response: the rest of a value, or MTU − 1 bytes of it.
    case readBlobResponse(value: [UInt8])
    /// Read Multiple Request: asks for the values of two attributes or more.
    case readMultipleRequest(handles: [UInt16])
    /// Read Multiple Response: the values joined.
    case readMultipleResponse(values: [UInt8])
    /// Read By Group Type Request: asks for groups of `type` in a range.
    case readByGroupTypeRequest(start: UInt16, end: UInt16, type: BluetoothUUID)
    /// Read By Group Type Response: groups with declarations' values, all of one length.
    case readByGroupTypeResponse([AttributeGroup])
    /// Write Request: writes a value and asks for an answer.
    case writeRequest(handle: UInt16, value: [UInt8])
    /// Write Response: a value was written.
    case writeResponse
    /// Write Command: writes a value without an answer.
    case writeCommand(handle: UInt16, value: [UInt8])
    /// Signed Write Command: writes a value without an answer, with a signature of 12 bytes.
    case signedWriteCommand(handle: UInt16, value: [UInt8], signature: [UInt8])
    /// Prepare Write Request: queues a part of a value at an offset.
    case prepareWriteRequest(handle: UInt16, offset: UInt16, value: [UInt8])
    /// Prepare Write Response: echoes the queued part.
    case prepareWriteResponse(handle: UInt16, offset: UInt16, value: [UInt8])
    /// Execute Write Request: writes the queued parts when `commits`, else discards them.
    case executeWriteRequest(commits: Bool)
    /// Execute Write Response: the queued parts were written or discarded.
    case executeWriteResponse
    /// Handle Value Notification: pushes a value without confirmation.
    case handleValueNotification(handle: UInt16, value: [UInt8])
    /// Handle Value Indication: pushes a value that must be confirmed.
    case handleValueIndication(handle: UInt16, value: [UInt8])
    /// Handle Value Confirmation: confirms an indication.
    case handleValueConfirmation
    /// A PDU with an opcode that this module does not know.
    case unknown(opcode: UInt8, parameters: [UInt8])

    /// The MTU of a bearer before any exchange.
    public static let minimumMTU = 23

    /// The largest useful MTU: a Prepare Write with a whole attribute value needs 517.
    public static let maximumMTU = 517

    /// The longest value of an attribute, in bytes.
    public static let maximumValueBytes = 512

    /// The opcode byte of the PDU.
    public var opcode: UInt8 { known?.rawValue ?? unknownOpcode }

    private var unknownOpcode: UInt8 {
        if case .unknown(let opcode, _) = self { return opcode }
        return 0
    }

    /// The opcode of the PDU; nil when the PDU is `unknown`.
    var known: ATTOpcode? {
        switch self {
        case .errorResponse: .errorResponse
        case .exchangeMTURequest: .exchangeMTURequest
        case .exchangeMTUResponse: .exchangeMTUResponse
        case .findInformationRequest: .findInformationRequest
        case .findInformationResponse: .findInformationResponse
        case .findByTypeValueRequest: .findByTypeValueRequest
        case .findByTypeValueResponse: .findByTypeValueResponse
        case .readByTypeRequest: .readByTypeRequest
        case .readByTypeResponse: .readByTypeResponse
        case .readRequest: .readRequest
        case .readResponse: .readResponse
        case .readBlobRequest: .readBlobRequest
        case .readBlobResponse: .readBlobResponse
        case .readMultipleRequest: .readMultipleRequest
        case .readMultipleResponse: .readMultipleResponse
        case .readByGroupTypeRequest: .readByGroupTypeRequest
        case .readByGroupTypeResponse: .readByGroupTypeResponse
        case .writeRequest: .writeRequest
        case .writeResponse: .writeResponse
        case .writeCommand: .writeCommand
        case .signedWriteCommand: .signedWriteCommand
        case .prepareWriteRequest: .prepareWriteRequest
        case .prepareWriteResponse: .prepareWriteResponse
        case .executeWriteRequest: .executeWriteRequest
        case .executeWriteResponse: .executeWriteResponse
        case .handleValueNotification: .handleValueNotification
        case .handleValueIndication: .handleValueIndication
        case .handleValueConfirmation: .handleValueConfirmation
        case .unknown: nil
        }
    }
}
