import ByteCoding

extension ATTPDU {
    /// The PDU as it is on the wire.
    ///
    /// A list whose entries must be of one length is written up to the first entry of another length. The MTU is not
    /// looked at.
    public var bytes: [UInt8] {
        var bytes = [opcode]
        appendParameters(to: &bytes)
        return bytes
    }

    private func appendParameters(to bytes: inout [UInt8]) {
        switch self {
        case .errorResponse(let opcode, let handle, let error):
            bytes.append(opcode)
            bytes.appendLittleEndian(handle)
            bytes.append(error.rawValue)
        case .exchangeMTURequest(let word), .exchangeMTUResponse(let word), .readRequest(let word):
            bytes.appendLittleEndian(word)
        case .findInformationRequest(let first, let second), .readBlobRequest(let first, let second):
            bytes.appendWords(first, second)
        case .findInformationResponse(let entries): Self.append(entries, to: &bytes)
        case .findByTypeValueRequest(let start, let end, let type, let value):
            bytes.appendWords(start, end, type)
            bytes += value
        case .findByTypeValueResponse(let ranges):
            for range in ranges { bytes.appendWords(range.start, range.end) }
        case .readByTypeRequest(let start, let end, let type), .readByGroupTypeRequest(let start, let end, let type):
            bytes.appendWords(start, end)
            bytes += type.littleEndian
        case .readByTypeResponse(let entries): Self.append(entries, to: &bytes)
        case .readByGroupTypeResponse(let groups): Self.append(groups, to: &bytes)
        case .readMultipleRequest(let handles):
            for handle in handles { bytes.appendLittleEndian(handle) }
        case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value),
            .unknown(_, let value):
            bytes += value
        case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
            .handleValueNotification(let handle, let value), .handleValueIndication(let handle, let value):
            bytes.reserveCapacity(3 + value.count)
            bytes.appendLittleEndian(handle)
            bytes += value
        case .signedWriteCommand(let handle, let value, let signature):
            bytes.appendLittleEndian(handle)
            bytes += value + signature
        case .prepareWriteRequest(let handle, let offset, let value),
            .prepareWriteResponse(let handle, let offset, let value):
            bytes.appendWords(handle, offset)
            bytes += value
        case .executeWriteRequest(let commits): bytes.append(commits ? 1 : 0)
        case .writeResponse, .executeWriteResponse, .handleValueConfirmation: break
        }
    }

    private static func append(_ entries: [InformationEntry], to bytes: inout [UInt8]) {
        let isShort = entries.first?.type.short != nil
        bytes.append(isShort ? 1 : 2)
        for entry in entries.prefix(while: { ($0.type.short != nil) == isShort }) {
            bytes.appendLittleEndian(entry.handle)
            bytes += entry.type.littleEndian
        }
    }

    private static func append(_ entries: [HandleValue], to bytes: inout [UInt8]) {
        let count = entries.first?.value.count ?? 0
        bytes.append(UInt8(clamping: count + 2))
        for entry in entries.prefix(while: { $0.value.count == count }) {
            bytes.appendLittleEndian(entry.handle)
            bytes += entry.value
        }
    }

    private static func append(_ groups: [AttributeGroup], to bytes: inout [UInt8]) {
        let count = groups.first?.value.count ?? 0
        bytes.append(UInt8(clamping: count + 4))
        for group in groups.prefix(while: { $0.value.count == count }) {
            bytes.appendWords(group.start, group.end)
            bytes += group.value
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate mutating func appendWords(_ words: UInt16...) {
        for word in words { appendLittleEndian(word) }
    }
}
