/// Answers requests that find or read attributes, without changing anything.
struct ReadRequestHandler {
    let database: GATTDatabase
    /// The MTU of the link, which limits the length of an answer.
    let mtu: Int
    /// The client characteristic configurations that the client wrote, by attribute handle.
    let clientConfigurations: [UInt16: UInt16]

    /// Returns the answer to a request that finds or reads attributes; refuses other requests.
    func answer(_ request: ATTPDU) throws(ATTRefusal) -> ATTPDU {
        switch request {
        case .findInformationRequest(let start, let end): try findInformation(in: range(start, end))
        case .findByTypeValueRequest(let start, let end, let type, let value):
            try findServices(in: range(start, end), type: type, value: value)
        case .readByTypeRequest(let start, let end, let type): try read(type, in: range(start, end))
        case .readByGroupTypeRequest(let start, let end, let type): try readGroups(type, in: range(start, end))
        case .readBlobRequest(let handle, let offset): try readBlob(handle, from: Int(offset))
        case .readRequest(let handle):
            .readResponse(value: Array(try value(of: attribute(handle)).prefix(mtu - 1)))
        case .errorResponse, .exchangeMTURequest, .exchangeMTUResponse, .findInformationResponse,
            .findByTypeValueResponse, .readByTypeResponse, .readResponse, .readBlobResponse,
            .readMultipleRequest, .readMultipleResponse, .readByGroupTypeResponse, .writeRequest,
            .writeResponse, .writeCommand, .signedWriteCommand, .prepareWriteRequest, .prepareWriteResponse,
            .executeWriteRequest, .executeWriteResponse, .handleValueNotification, .handleValueIndication,
            .handleValueConfirmation, .unknown:
            throw ATTRefusal(error: .requestNotSupported, handle: 0)
        }
    }

    private func range(_ start: UInt16, _ end: UInt16) throws(ATTRefusal) -> ClosedRange<UInt16> {
        guard start >= 1, start <= end else { throw ATTRefusal(error: .invalidHandle, handle: start) }
        return start...end
    }

    func attribute(_ handle: UInt16) throws(ATTRefusal) -> GATTDatabase.Attribute {
        guard let attribute = database.attribute(handle) else {
            throw ATTRefusal(error: .invalidHandle, handle: handle)
        }
        return attribute
    }

    private func findInformation(in range: ClosedRange<UInt16>) throws(ATTRefusal) -> ATTPDU {
        let attributes = database.attributes(in: range)
        guard let first = attributes.first else {
            throw ATTRefusal(error: .attributeNotFound, handle: range.lowerBound)
        }
        let size = first.type.littleEndian.count
        let entries = attributes.prefix { $0.type.littleEndian.count == size }.prefix((mtu - 2) / (2 + size))
        return .findInformationResponse(entries.map { ATTPDU.InformationEntry(handle: $0.handle, type: $0.type) })
    }

    private func findServices(
        in range: ClosedRange<UInt16>, type: UInt16, value: [UInt8]
    ) throws(ATTRefusal) -> ATTPDU {
        let wanted = value.count == 4 ? nil : BluetoothUUID(littleEndian: value)
        var found: [ATTPDU.HandleRange] = []
        for attribute in database.attributes(in: range) where BluetoothUUID(type) == .primaryService {
            guard case .service(let uuid, let end) = attribute.content, uuid == wanted else { continue }
            if found.count < (mtu - 1) / 4 { found.append(.init(start: attribute.handle, end: end)) }
        }
        guard !found.isEmpty else { throw ATTRefusal(error: .attributeNotFound, handle: range.lowerBound) }
        return .findByTypeValueResponse(found)
    }

    private func readGroups(_ type: BluetoothUUID, in range: ClosedRange<UInt16>) throws(ATTRefusal) -> ATTPDU {
        guard type == .primaryService || type == .secondaryService else {
            throw ATTRefusal(error: .unsupportedGroupType, handle: range.lowerBound)
        }
        var groups: [ATTPDU.AttributeGroup] = []
        for attribute in database.attributes(in: range) where attribute.type == type {
            guard case .service(let uuid, let end) = attribute.content else { continue }
            let value = uuid.littleEndian
            let size = groups.first?.value.count ?? value.count
            guard value.count == size, groups.count < (mtu - 2) / (4 + size) else { break }
            groups.append(.init(start: attribute.handle, end: end, value: value))
        }
        guard !groups.isEmpty else { throw ATTRefusal(error: .attributeNotFound, handle: range.lowerBound) }
        return .readByGroupTypeResponse(groups)
    }

    /// Reads values of one length; throws if the first may not be read, and ends the list at a later one.
    private func read(_ type: BluetoothUUID, in range: ClosedRange<UInt16>) throws(ATTRefusal) -> ATTPDU {
        let longest = min(mtu - 4, 253)
        var entries: [ATTPDU.HandleValue] = []
        for attribute in database.attributes(in: range) where attribute.type == type {
            let value: [UInt8]
            do throws(ATTRefusal) {
                value = Array(try self.value(of: attribute).prefix(longest))
            } catch {
                if entries.isEmpty { throw error }
                break
            }
            let size = entries.first?.value.count ?? value.count
            guard value.count == size, entries.count < (mtu - 2) / (2 + size) else { break }
            entries.append(.init(handle: attribute.handle, value: value))
        }
        guard !entries.isEmpty else { throw ATTRefusal(error: .attributeNotFound, handle: range.lowerBound) }
        return .readByTypeResponse(entries)
    }

    private func readBlob(_ handle: UInt16, from offset: Int) throws(ATTRefusal) -> ATTPDU {
        let value = try value(of: attribute(handle))
        guard offset <= value.count else { throw ATTRefusal(error: .invalidOffset, handle: handle) }
        return .readBlobResponse(value: Array(value[offset...].prefix(mtu - 1)))
    }

    private func value(of attribute: GATTDatabase.Attribute) throws(ATTRefusal) -> [UInt8] {
        switch attribute.content {
        case .removed: throw ATTRefusal(error: .invalidHandle, handle: attribute.handle)
        case .service(let uuid, _): return uuid.littleEndian
        case .declaration(let index):
            let characteristic = database.characteristics[index]
            var value = [characteristic.properties.rawValue]
            value.append(UInt8(truncatingIfNeeded: characteristic.valueHandle))
            value.append(UInt8(truncatingIfNeeded: characteristic.valueHandle >> 8))
            return value + characteristic.uuid.littleEndian
        case .value(let index):
            guard database.characteristics[index].properties.contains(.read) else {
                throw ATTRefusal(error: .readNotPermitted, handle: attribute.handle)
            }
            return database.value(at: index)
        case .clientConfiguration:
            let bits = clientConfigurations[attribute.handle, default: 0]
            return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
        }
    }
}

/// The refusal of an ATT request: the error code and the handle of the Error Response.
struct ATTRefusal: Error {
    let error: ATTErrorCode
    let handle: UInt16
}
