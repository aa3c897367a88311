/// The opcode of an ATT PDU, which is its first byte.
///
/// Source: Core Specification 5.3, Vol 3 Part F §3.4.8.
public enum ATTOpcode: UInt8, Hashable, Sendable, CaseIterable {
    /// Error Response: the answer to a request that failed.
    case errorResponse = 0x01
    /// Exchange MTU Request: the client sends its receive MTU and asks for the server's.
    case exchangeMTURequest = 0x02
    /// Exchange MTU Response: the server sends its receive MTU.
    case exchangeMTUResponse = 0x03
    /// Find Information Request: asks for the handles and types of attributes in a range.
    case findInformationRequest = 0x04
    /// Find Information Response: pairs of handle and type.
    case findInformationResponse = 0x05
    /// Find By Type Value Request: asks for groups whose declaration has a type and a value.
    case findByTypeValueRequest = 0x06
    /// Find By Type Value Response: ranges of handles.
    case findByTypeValueResponse = 0x07
    /// Read By Type Request: asks for the values of all attributes of one type in a range.
    case readByTypeRequest = 0x08
    /// Read By Type Response: pairs of handle and value.
    case readByTypeResponse = 0x09
    /// Read Request: asks for an attribute's value from its start.
    case readRequest = 0x0A
    /// Read Response: an attribute's value from its start, cut at MTU − 1 bytes.
    case readResponse = 0x0B
    /// Read Blob Request: asks for an attribute's value from an offset.
    case readBlobRequest = 0x0C
    /// Read Blob Response: an attribute's value from an offset, cut at MTU − 1 bytes.
    case readBlobResponse = 0x0D
    /// Read Multiple Request: asks for the values of several attributes.
    case readMultipleRequest = 0x0E
    /// Read Multiple Response: the values joined.
    case readMultipleResponse = 0x0F
    /// Read By Group Type Request: asks for groups of one type in a range.
    case readByGroupTypeRequest = 0x10
    /// Read By Group Type Response: groups and the values of their declarations.
    case readByGroupTypeResponse = 0x11
    /// Write Request: writes a value and asks for an answer.
    case writeRequest = 0x12
    /// Write Response: a value was written.
    case writeResponse = 0x13
    /// Prepare Write Request: queues a part of a value.
    case prepareWriteRequest = 0x16
    /// Prepare Write Response: echoes the part that was queued.
    case prepareWriteResponse = 0x17
    /// Execute Write Request: writes or discards the queued parts.
    case executeWriteRequest = 0x18
    /// Execute Write Response: the queued parts were written or discarded.
    case executeWriteResponse = 0x19
    /// Handle Value Notification: the server pushes a value.
    case handleValueNotification = 0x1B
    /// Handle Value Indication: the server pushes a value and asks for a confirmation.
    case handleValueIndication = 0x1D
    /// Handle Value Confirmation: the client has received an indication.
    case handleValueConfirmation = 0x1E
    /// Write Command: writes a value without an answer.
    case writeCommand = 0x52
    /// Signed Write Command: writes a signed value without an answer.
    case signedWriteCommand = 0xD2

    /// The role of the device that handles an ATT PDU: client or server.
    public enum Recipient: Hashable, Sendable {
        /// The server, which holds the attributes.
        case server
        /// The client, which reads and writes the attributes of the server.
        case client
    }

    /// Returns the role that handles a PDU with the opcode `byte`, known or not.
    ///
    /// The server handles commands and even opcodes, the client odd ones.
    ///
    /// A device with both roles on one link passes each PDU to its `GATTServer` or its `GATTClient` by this.
    public static func recipient(of byte: UInt8) -> Recipient {
        isCommand(byte) || byte & 1 == 0 ? .server : .client
    }

    /// Returns true for the first byte of a command PDU, which is never answered.
    public static func isCommand(_ byte: UInt8) -> Bool { byte & 0x40 != 0 }

    /// Returns true for the first byte of a PDU that a server must answer, with an Error Response if need be.
    public static func isRequest(_ byte: UInt8) -> Bool {
        recipient(of: byte) == .server && !isCommand(byte) && byte != Self.handleValueConfirmation.rawValue
    }

    /// The name of the opcode in the specification.
    public var name: String {
        switch self {
        case .errorResponse: "Error Response"
        case .exchangeMTURequest: "Exchange MTU Request"
        case .exchangeMTUResponse: "Exchange MTU Response"
        case .findInformationRequest: "Find Information Request"
        case .findInformationResponse: "Find Information Response"
        case .findByTypeValueRequest: "Find By Type Value Request"
        case .findByTypeValueResponse: "Find By Type Value Response"
        case .readByTypeRequest: "Read By Type Request"
        case .readByTypeResponse: "Read By Type Response"
        case .readRequest: "Read Request"
        case .readResponse: "Read Response"
        case .readBlobRequest: "Read Blob Request"
        case .readBlobResponse: "Read Blob Response"
        case .readMultipleRequest: "Read Multiple Request"
        case .readMultipleResponse: "Read Multiple Response"
        case .readByGroupTypeRequest: "Read By Group Type Request"
        case .readByGroupTypeResponse: "Read By Group Type Response"
        case .writeRequest: "Write Request"
        case .writeResponse: "Write Response"
        case .prepareWriteRequest: "Prepare Write Request"
        case .prepareWriteResponse: "Prepare Write Response"
        case .executeWriteRequest: "Execute Write Request"
        case .executeWriteResponse: "Execute Write Response"
        case .handleValueNotification: "Handle Value Notification"
        case .handleValueIndication: "Handle Value Indication"
        case .handleValueConfirmation: "Handle Value Confirmation"
        case .writeCommand: "Write Command"
        case .signedWriteCommand: "Signed Write Command"
        }
    }
}
