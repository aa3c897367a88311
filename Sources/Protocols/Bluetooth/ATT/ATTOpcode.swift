/// The first byte of an ATT PDU.
///
/// Source: Core Specification 5.3, Vol 3 Part F §3.4.8.
public enum ATTOpcode: UInt8, Hashable, Sendable, CaseIterable {
    /// The answer to a request that failed.
    case errorResponse = 0x01
    /// The client tells its receive MTU and asks for the server's.
    case exchangeMTURequest = 0x02
    /// The server tells its receive MTU.
    case exchangeMTUResponse = 0x03
    /// Asks for handles and types in a range.
    case findInformationRequest = 0x04
    /// The answer to `findInformationRequest`: pairs of handle and type.
    case findInformationResponse = 0x05
    /// Asks for groups whose declaration has a type and a value.
    case findByTypeValueRequest = 0x06
    /// The answer to `findByTypeValueRequest`: ranges of handles.
    case findByTypeValueResponse = 0x07
    /// Asks for the values of all attributes of one type in a range.
    case readByTypeRequest = 0x08
    /// The answer to `readByTypeRequest`: pairs of handle and value.
    case readByTypeResponse = 0x09
    /// Asks for a value from its start.
    case readRequest = 0x0A
    /// A value from its start, cut at MTU − 1.
    case readResponse = 0x0B
    /// Asks for a value from an offset.
    case readBlobRequest = 0x0C
    /// A value from an offset, cut at MTU − 1.
    case readBlobResponse = 0x0D
    /// Asks for several values.
    case readMultipleRequest = 0x0E
    /// The answer to `readMultipleRequest`: the values joined.
    case readMultipleResponse = 0x0F
    /// Asks for groups of one type in a range.
    case readByGroupTypeRequest = 0x10
    /// Groups and the values of their declarations.
    case readByGroupTypeResponse = 0x11
    /// Writes a value and asks for an answer.
    case writeRequest = 0x12
    /// A write was done.
    case writeResponse = 0x13
    /// Queues a part of a value.
    case prepareWriteRequest = 0x16
    /// Echoes the part that was queued.
    case prepareWriteResponse = 0x17
    /// Writes or discards what is queued.
    case executeWriteRequest = 0x18
    /// The queue was written or discarded.
    case executeWriteResponse = 0x19
    /// The server pushes a value.
    case handleValueNotification = 0x1B
    /// The server pushes a value and asks for a confirmation.
    case handleValueIndication = 0x1D
    /// The client has received an indication.
    case handleValueConfirmation = 0x1E
    /// Writes a value without an answer.
    case writeCommand = 0x52
    /// Writes a signed value without an answer.
    case signedWriteCommand = 0xD2

    /// The end of an ATT bearer that handles a PDU: client or server.
    public enum Recipient: Hashable, Sendable {
        /// The end of the bearer that holds the attributes.
        case server
        /// The end of the bearer that asks for the attributes.
        case client
    }

    /// The end that handles a PDU that begins with the opcode `byte`, known or not: the server handles commands and
    /// even opcodes, the client odd ones.
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

    /// The name in the specification.
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
