import ByteCoding

extension ATTPDU {
    /// Reads one PDU, which must fill `bytes` exactly.
    ///
    /// An unknown opcode is not an error. Ranges are not judged: a start of 0 or past the end is for the server to
    /// refuse.
    ///
    /// - Throws: `emptyPDU`, `wrongPDULength`, `wrongPDUField`.
    public init(_ bytes: [UInt8]) throws(BluetoothFormatError) {
        var reader = ByteReader(bytes)
        guard let opcode = reader.byte() else {
            throw BluetoothFormatError(.emptyPDU, "an ATT PDU has at least an opcode")
        }
        guard let known = ATTOpcode(rawValue: opcode) else {
            self = .unknown(opcode: opcode, parameters: Array(reader.rest()))
            return
        }
        guard let pdu = try Self.read(known, from: &reader), reader.isAtEnd else {
            throw BluetoothFormatError(.wrongPDULength, "\(known.name) of \(bytes.count) bytes")
        }
        self = pdu
    }

    /// Reads the parameters of a PDU; nil when they are too short.
    ///
    /// The caller refuses bytes that are left over.
    private static func read(
        _ opcode: ATTOpcode, from reader: inout ByteReader
    ) throws(BluetoothFormatError) -> ATTPDU? {
        switch opcode {
        case .errorResponse: readError(&reader)
        case .exchangeMTURequest: reader.word().map { .exchangeMTURequest(mtu: $0) }
        case .exchangeMTUResponse: reader.word().map { .exchangeMTUResponse(mtu: $0) }
        case .findInformationRequest: reader.range().map { .findInformationRequest(start: $0.start, end: $0.end) }
        case .findInformationResponse: try readInformation(&reader)
        case .findByTypeValueRequest: readFindByTypeValue(&reader)
        case .findByTypeValueResponse: readRanges(&reader)
        case .readByTypeRequest:
            reader.typedRange().map { .readByTypeRequest(start: $0.start, end: $0.end, type: $1) }
        case .readByTypeResponse: readByTypeEntries(&reader)
        case .readRequest: reader.word().map { .readRequest(handle: $0) }
        case .readResponse: .readResponse(value: reader.value())
        case .readBlobRequest: reader.range().map { .readBlobRequest(handle: $0.start, offset: $0.end) }
        case .readBlobResponse: .readBlobResponse(value: reader.value())
        case .readMultipleRequest: readHandles(&reader)
        case .readMultipleResponse: .readMultipleResponse(values: reader.value())
        case .readByGroupTypeRequest:
            reader.typedRange().map { .readByGroupTypeRequest(start: $0.start, end: $0.end, type: $1) }
        case .readByGroupTypeResponse: readGroups(&reader)
        case .writeRequest: reader.word().map { .writeRequest(handle: $0, value: reader.value()) }
        case .writeResponse: .writeResponse
        case .writeCommand: reader.word().map { .writeCommand(handle: $0, value: reader.value()) }
        case .signedWriteCommand: readSigned(&reader)
        case .prepareWriteRequest:
            reader.range().map { .prepareWriteRequest(handle: $0.start, offset: $0.end, value: reader.value()) }
        case .prepareWriteResponse:
            reader.range().map { .prepareWriteResponse(handle: $0.start, offset: $0.end, value: reader.value()) }
        case .executeWriteRequest: try readExecute(&reader)
        case .executeWriteResponse: .executeWriteResponse
        case .handleValueNotification:
            reader.word().map { .handleValueNotification(handle: $0, value: reader.value()) }
        case .handleValueIndication: reader.word().map { .handleValueIndication(handle: $0, value: reader.value()) }
        case .handleValueConfirmation: .handleValueConfirmation
        }
    }

    private static func readError(_ reader: inout ByteReader) -> ATTPDU? {
        guard let opcode = reader.byte(), let handle = reader.word(), let error = reader.byte() else { return nil }
        return .errorResponse(opcode: opcode, handle: handle, error: ATTErrorCode(rawValue: error))
    }

    private static func readInformation(_ reader: inout ByteReader) throws(BluetoothFormatError) -> ATTPDU? {
        guard let format = reader.byte() else { return nil }
        guard format == 1 || format == 2 else {
            throw BluetoothFormatError(.wrongPDUField, "Find Information Response of format \(format)")
        }
        var entries: [InformationEntry] = []
        repeat {
            guard let handle = reader.word(), let wire = reader.bytes(format == 1 ? 2 : 16),
                let type = BluetoothUUID(littleEndian: wire)
            else { return nil }
            entries.append(InformationEntry(handle: handle, type: type))
        } while !reader.isAtEnd
        return .findInformationResponse(entries)
    }

    private static func readFindByTypeValue(_ reader: inout ByteReader) -> ATTPDU? {
        guard let range = reader.range(), let type = reader.word() else { return nil }
        return .findByTypeValueRequest(start: range.start, end: range.end, type: type, value: reader.value())
    }

    private static func readRanges(_ reader: inout ByteReader) -> ATTPDU? {
        var ranges: [HandleRange] = []
        repeat {
            guard let range = reader.range() else { return nil }
            ranges.append(range)
        } while !reader.isAtEnd
        return .findByTypeValueResponse(ranges)
    }

    private static func readByTypeEntries(_ reader: inout ByteReader) -> ATTPDU? {
        guard let size = reader.byte() else { return nil }
        var entries: [HandleValue] = []
        repeat {
            guard let handle = reader.word(), let value = reader.bytes(Int(size) - 2) else { return nil }
            entries.append(HandleValue(handle: handle, value: Array(value)))
        } while !reader.isAtEnd
        return .readByTypeResponse(entries)
    }

    private static func readGroups(_ reader: inout ByteReader) -> ATTPDU? {
        guard let size = reader.byte() else { return nil }
        var groups: [AttributeGroup] = []
        repeat {
            guard let range = reader.range(), let value = reader.bytes(Int(size) - 4) else { return nil }
            groups.append(AttributeGroup(start: range.start, end: range.end, value: Array(value)))
        } while !reader.isAtEnd
        return .readByGroupTypeResponse(groups)
    }

    private static func readHandles(_ reader: inout ByteReader) -> ATTPDU? {
        var handles: [UInt16] = []
        while let handle = reader.word() { handles.append(handle) }
        return handles.count < 2 ? nil : .readMultipleRequest(handles: handles)
    }

    private static func readSigned(_ reader: inout ByteReader) -> ATTPDU? {
        guard let handle = reader.word(), let value = reader.bytes(reader.remainingCount - 12) else { return nil }
        return .signedWriteCommand(handle: handle, value: Array(value), signature: reader.value())
    }

    private static func readExecute(_ reader: inout ByteReader) throws(BluetoothFormatError) -> ATTPDU? {
        guard let flags = reader.byte() else { return nil }
        guard flags <= 1 else {
            throw BluetoothFormatError(.wrongPDUField, "Execute Write Request with flags \(flags)")
        }
        return .executeWriteRequest(commits: flags == 1)
    }
}

extension ByteReader {
    fileprivate mutating func word() -> UInt16? { littleEndian(UInt16.self) }

    fileprivate mutating func value() -> [UInt8] { Array(rest()) }

    /// Reads two 16-bit words: a range of handles, or a handle and an offset.
    fileprivate mutating func range() -> ATTPDU.HandleRange? {
        guard let start = word(), let end = word() else { return nil }
        return ATTPDU.HandleRange(start: start, end: end)
    }

    /// Reads a range of handles and a type of 2 or 16 bytes.
    fileprivate mutating func typedRange() -> (ATTPDU.HandleRange, BluetoothUUID)? {
        guard let range = range(), remainingCount == 2 || remainingCount == 16,
            let type = BluetoothUUID(littleEndian: rest())
        else { return nil }
        return (range, type)
    }
}
