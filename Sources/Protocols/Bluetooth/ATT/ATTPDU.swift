/// One PDU of the attribute protocol, as values.
///
/// `init(_:)` reads it, `bytes` writes it; for everything that `init(_:)` accepts the two are inverse. Numbers are
/// little endian on the wire. Source: Core Specification 5.3, Vol 3 Part F §3.4.
public enum ATTPDU: Hashable, Sendable {
    /// A handle with the type of its attribute.
    public struct Information: Hashable, Sendable {
        /// The handle.
        public var handle: UInt16
        /// The type of the attribute.
        public var type: BluetoothUUID

        /// Makes an entry of a Find Information Response.
        public init(handle: UInt16, type: BluetoothUUID) {
            self.handle = handle
            self.type = type
        }
    }

    /// The handles of a group: from its declaration to its last attribute.
    public struct HandleRange: Hashable, Sendable {
        /// The handle of the declaration.
        public var start: UInt16
        /// The last handle of the group.
        public var end: UInt16

        /// Makes an entry of a Find By Type Value Response.
        public init(start: UInt16, end: UInt16) {
            self.start = start
            self.end = end
        }
    }

    /// A handle with the value of its attribute.
    public struct HandleValue: Hashable, Sendable {
        /// The handle.
        public var handle: UInt16
        /// The value, cut to what fits: 0 to 253 bytes.
        public var value: [UInt8]

        /// Makes an entry of a Read By Type Response.
        public init(handle: UInt16, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }

    /// A group with the value of its declaration.
    public struct Group: Hashable, Sendable {
        /// The handle of the declaration.
        public var start: UInt16
        /// The last handle of the group.
        public var end: UInt16
        /// The value of the declaration: 0 to 251 bytes.
        public var value: [UInt8]

        /// Makes an entry of a Read By Group Type Response.
        public init(start: UInt16, end: UInt16, value: [UInt8]) {
            self.start = start
            self.end = end
            self.value = value
        }
    }

    /// The request that began with `opcode` failed at `handle` (0 where no handle is concerned).
    case errorResponse(opcode: UInt8, handle: UInt16, error: ATTErrorCode)
    /// The client's receive MTU.
    case exchangeMTURequest(mtu: UInt16)
    /// The server's receive MTU.
    case exchangeMTUResponse(mtu: UInt16)
    /// Asks for handles and types.
    case findInformationRequest(start: UInt16, end: UInt16)
    /// Handles and types, all types in the 16-bit form or all in the 128-bit form.
    case findInformationResponse([Information])
    /// Asks for groups; `type` is the 16-bit form of a UUID.
    case findByTypeValueRequest(start: UInt16, end: UInt16, type: UInt16, value: [UInt8])
    /// Find By Type Value Response: the ranges of handles of the groups found.
    case findByTypeValueResponse([HandleRange])
    /// Asks for the values of attributes of `type`.
    case readByTypeRequest(start: UInt16, end: UInt16, type: BluetoothUUID)
    /// Values, all of one length.
    case readByTypeResponse([HandleValue])
    /// Asks for a value.
    case readRequest(handle: UInt16)
    /// A value or its first MTU − 1 bytes.
    case readResponse(value: [UInt8])
    /// Asks for a value from `offset`.
    case readBlobRequest(handle: UInt16, offset: UInt16)
    /// Read Blob Response: the rest of a value, or MTU − 1 bytes of it.
    case readBlobResponse(value: [UInt8])
    /// Asks for several values; two handles or more.
    case readMultipleRequest(handles: [UInt16])
    /// Read Multiple Response: the values joined.
    case readMultipleResponse(values: [UInt8])
    /// Asks for groups of `type`.
    case readByGroupTypeRequest(start: UInt16, end: UInt16, type: BluetoothUUID)
    /// Groups, all values of one length.
    case readByGroupTypeResponse([Group])
    /// Writes with an answer.
    case writeRequest(handle: UInt16, value: [UInt8])
    /// A write was done.
    case writeResponse
    /// Writes without an answer.
    case writeCommand(handle: UInt16, value: [UInt8])
    /// Writes without an answer, with a signature of 12 bytes.
    case signedWriteCommand(handle: UInt16, value: [UInt8], signature: [UInt8])
    /// Prepare Write Request: queues a part of a value at an offset.
    case prepareWriteRequest(handle: UInt16, offset: UInt16, value: [UInt8])
    /// Prepare Write Response: echoes the queued part.
    case prepareWriteResponse(handle: UInt16, offset: UInt16, value: [UInt8])
    /// Writes what is queued when `commits`, else discards it.
    case executeWriteRequest(commits: Bool)
    /// The queue is empty.
    case executeWriteResponse
    /// Handle Value Notification: pushes a value without confirmation.
    case handleValueNotification(handle: UInt16, value: [UInt8])
    /// Pushes a value that must be confirmed.
    case handleValueIndication(handle: UInt16, value: [UInt8])
    /// Handle Value Confirmation: confirms an indication.
    case handleValueConfirmation
    /// A PDU with an opcode that this module does not know.
    case unknown(opcode: UInt8, parameters: [UInt8])

    /// The MTU of a bearer before any exchange.
    public static let minimumMTU = 23

    /// The largest MTU that carries more: one whole attribute value in a Prepare Write needs 517.
    public static let maximumMTU = 517

    /// The longest value of an attribute, in bytes.
    public static let maximumValueBytes = 512

    /// The first byte on the wire.
    public var opcode: UInt8 { known?.rawValue ?? unknownOpcode }

    private var unknownOpcode: UInt8 {
        if case .unknown(let opcode, _) = self { return opcode }
        return 0
    }

    /// The opcode, nil when the PDU is `unknown`.
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
