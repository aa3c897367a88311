import ByteCoding

extension ATTPDU: CustomStringConvertible {
    /// The PDU in one line of text: its name, its handles, and values as their length and first 16 bytes in hex.
    public var description: String {
        let name = known?.name ?? "Unknown PDU 0x\(Hex.encode([opcode]))"
        let details = self.details
        return details.isEmpty ? name : name + " " + details
    }

    private var details: String {
        switch self {
        case .errorResponse(let opcode, let handle, let error):
            "\(error) to \(Self.name(of: opcode)) at \(Self.text(handle))"
        case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): "\(mtu)"
        case .findInformationRequest(let start, let end): Self.text(start, end)
        case .findInformationResponse(let entries):
            Self.list(entries) { "\(Self.text($0.handle)) \(Self.text($0.type))" }
        case .findByTypeValueRequest(let start, let end, let type, let value):
            "\(Self.text(start, end)) type \(Self.text(BluetoothUUID(type))) \(Self.text(value))"
        case .findByTypeValueResponse(let ranges): Self.list(ranges) { Self.text($0.start, $0.end) }
        case .readByTypeRequest(let start, let end, let type), .readByGroupTypeRequest(let start, let end, let type):
            "\(Self.text(start, end)) type \(Self.text(type))"
        case .readByTypeResponse(let entries):
            Self.list(entries) { "\(Self.text($0.handle)) \(Self.text($0.value))" }
        case .readByGroupTypeResponse(let groups):
            Self.list(groups) { "\(Self.text($0.start, $0.end)) \(Self.text($0.value))" }
        case .readRequest(let handle): Self.text(handle)
        case .readBlobRequest(let handle, let offset): "\(Self.text(handle)) from \(offset)"
        case .readMultipleRequest(let handles): Self.list(handles, Self.text)
        case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value),
            .unknown(_, let value):
            Self.text(value)
        case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
            .signedWriteCommand(let handle, let value, _), .handleValueNotification(let handle, let value),
            .handleValueIndication(let handle, let value):
            "\(Self.text(handle)) \(Self.text(value))"
        case .prepareWriteRequest(let handle, let offset, let value),
            .prepareWriteResponse(let handle, let offset, let value):
            "\(Self.text(handle)) from \(offset) \(Self.text(value))"
        case .executeWriteRequest(let commits): commits ? "commit" : "cancel"
        case .writeResponse, .executeWriteResponse, .handleValueConfirmation: ""
        }
    }

    private static func name(of opcode: UInt8) -> String {
        ATTOpcode(rawValue: opcode)?.name ?? "0x" + Hex.encode([opcode])
    }

    private static func text(_ handle: UInt16) -> String {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(handle)
        return "0x" + Hex.encode(bytes)
    }

    private static func text(_ start: UInt16, _ end: UInt16) -> String { text(start) + "–" + text(end) }

    private static func text(_ uuid: BluetoothUUID) -> String { uuid.short.map(text) ?? uuid.description }

    private static func text(_ value: [UInt8]) -> String {
        let count = value.count == 1 ? "1 byte" : "\(value.count) bytes"
        return value.isEmpty ? count : "\(count) \(Hex.encode(value.prefix(16)))\(value.count > 16 ? "…" : "")"
    }

    private static func list<Entry>(_ entries: [Entry], _ text: (Entry) -> String) -> String {
        let shown = entries.prefix(8).map(text).joined(separator: ", ")
        return entries.count > 8 ? "\(entries.count) entries: \(shown), …" : shown
    }
}
