import Determinism

// What a client sends, and the answers.
extension GATTServer {
    /// Why a request is refused: the byte of the Error Response and the handle it names.
    struct Refusal: Error {
        let error: ATTErrorCode
        let handle: UInt16
    }

    mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        guard bytes.count <= mtu else {
            refuse(bytes, .invalidPDU, "a PDU of \(bytes.count) bytes exceeds the MTU", into: &outputs)
            return
        }
        do throws(BluetoothFormatError) {
            try answer(ATTPDU(bytes), at: now, into: &outputs)
        } catch {
            refuse(bytes, .invalidPDU, error.reason, into: &outputs)
        }
    }

    /// Answers a request with an error; ignores anything else.
    private func refuse(_ bytes: [UInt8], _ error: ATTErrorCode, _ reason: String, into outputs: inout [Output]) {
        guard let opcode = bytes.first, ATTOpcode.isRequest(opcode) else {
            outputs.append(.dropped(GATTError(.unexpectedPDU, reason, origin: .peer)))
            return
        }
        outputs.append(.send(ATTPDU.errorResponse(opcode: opcode, handle: 0, error: error).bytes))
    }

    private mutating func answer(_ pdu: ATTPDU, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch pdu {
        case .exchangeMTURequest(let clientMTU): exchangeMTU(clientMTU, pdu.opcode, into: &outputs)
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest,
            .readRequest, .readBlobRequest:
            reply(to: pdu, into: &outputs) { server throws(Refusal) in try server.lookUp(pdu) }
        case .writeRequest(let handle, let value):
            write(value, to: handle, pdu, into: &outputs)
        case .writeCommand(let handle, let value): take(value, for: handle, into: &outputs)
        case .prepareWriteRequest(let handle, let offset, let value):
            reply(to: pdu, into: &outputs) { server throws(Refusal) in
                try server.prepare(value, at: offset, of: handle)
                return .prepareWriteResponse(handle: handle, offset: offset, value: value)
            }
        case .executeWriteRequest(let commits): execute(commits: commits, pdu.opcode, into: &outputs)
        case .handleValueConfirmation: confirm(at: now, into: &outputs)
        case .readMultipleRequest, .unknown, .signedWriteCommand:
            refuse([pdu.opcode], .requestNotSupported, "\(pdu) is not supported", into: &outputs)
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse, .handleValueNotification,
            .handleValueIndication:
            refuse([pdu.opcode], .requestNotSupported, "\(pdu) is no client's to send", into: &outputs)
        }
    }

    /// Sends what `body` returns, or the Error Response for what it throws.
    private mutating func reply(
        to request: ATTPDU, into outputs: inout [Output], _ body: (inout GATTServer) throws(Refusal) -> ATTPDU
    ) {
        let answer: ATTPDU
        do throws(Refusal) {
            answer = try body(&self)
        } catch {
            answer = .errorResponse(opcode: request.opcode, handle: error.handle, error: error.error)
        }
        outputs.append(.send(answer.bytes))
    }

    /// Answers each exchange with the server's MTU, and lets the last one count.
    ///
    /// The specification allows a client one exchange. Deployed wallets ask for 512, then 185, then 100, and write by
    /// the last answer, so following them down is what keeps both ends agreed; nothing of ours is in flight then that
    /// the smaller MTU could cut.
    private mutating func exchangeMTU(_ clientMTU: UInt16, _ opcode: UInt8, into outputs: inout [Output]) {
        guard configuration.answersMTUExchange else {
            refuse([opcode], .requestNotSupported, "no MTU exchange", into: &outputs)
            return
        }
        outputs.append(.send(ATTPDU.exchangeMTUResponse(mtu: UInt16(configuration.maximumMTU)).bytes))
        adopt(min(Int(clientMTU), configuration.maximumMTU), into: &outputs)
    }

    private func lookUp(_ request: ATTPDU) throws(Refusal) -> ATTPDU {
        switch request {
        case .findInformationRequest(let start, let end): try findInformation(in: range(start, end))
        case .findByTypeValueRequest(let start, let end, let type, let value):
            try findServices(in: range(start, end), type: type, value: value)
        case .readByTypeRequest(let start, let end, let type): try read(type, in: range(start, end))
        case .readByGroupTypeRequest(let start, let end, let type): try readGroups(type, in: range(start, end))
        case .readBlobRequest(let handle, let offset): try readBlob(handle, from: Int(offset))
        case .readRequest(let handle):
            .readResponse(value: Array(try value(of: attribute(handle)).prefix(mtu - 1)))
        default: throw Refusal(error: .requestNotSupported, handle: 0)
        }
    }

    private func range(_ start: UInt16, _ end: UInt16) throws(Refusal) -> ClosedRange<UInt16> {
        guard start >= 1, start <= end else { throw Refusal(error: .invalidHandle, handle: start) }
        return start...end
    }

    func attribute(_ handle: UInt16) throws(Refusal) -> GATTDatabase.Attribute {
        guard let attribute = database.attribute(handle) else { throw Refusal(error: .invalidHandle, handle: handle) }
        return attribute
    }

    private func findInformation(in range: ClosedRange<UInt16>) throws(Refusal) -> ATTPDU {
        let attributes = database.attributes(in: range)
        guard let first = attributes.first else {
            throw Refusal(error: .attributeNotFound, handle: range.lowerBound)
        }
        let size = first.type.littleEndian.count
        let entries = attributes.prefix { $0.type.littleEndian.count == size }.prefix((mtu - 2) / (2 + size))
        return .findInformationResponse(entries.map { ATTPDU.Information(handle: $0.handle, type: $0.type) })
    }

    private func findServices(
        in range: ClosedRange<UInt16>, type: UInt16, value: [UInt8]
    ) throws(Refusal) -> ATTPDU {
        let wanted = value.count == 4 ? nil : BluetoothUUID(littleEndian: value)
        var found: [ATTPDU.HandleRange] = []
        for attribute in database.attributes(in: range) where BluetoothUUID(type) == .primaryService {
            guard case .service(let uuid, let end) = attribute.content, uuid == wanted else { continue }
            if found.count < (mtu - 1) / 4 { found.append(.init(start: attribute.handle, end: end)) }
        }
        guard !found.isEmpty else { throw Refusal(error: .attributeNotFound, handle: range.lowerBound) }
        return .findByTypeValueResponse(found)
    }

    private func readGroups(_ type: BluetoothUUID, in range: ClosedRange<UInt16>) throws(Refusal) -> ATTPDU {
        guard type == .primaryService || type == .secondaryService else {
            throw Refusal(error: .unsupportedGroupType, handle: range.lowerBound)
        }
        var groups: [ATTPDU.Group] = []
        for attribute in database.attributes(in: range) where attribute.type == type {
            guard case .service(let uuid, let end) = attribute.content else { continue }
            let value = uuid.littleEndian
            let size = groups.first?.value.count ?? value.count
            guard value.count == size, groups.count < (mtu - 2) / (4 + size) else { break }
            groups.append(.init(start: attribute.handle, end: end, value: value))
        }
        guard !groups.isEmpty else { throw Refusal(error: .attributeNotFound, handle: range.lowerBound) }
        return .readByGroupTypeResponse(groups)
    }

    /// Values of one length; the first that may not be read is an error, a later one ends the list.
    private func read(_ type: BluetoothUUID, in range: ClosedRange<UInt16>) throws(Refusal) -> ATTPDU {
        let longest = min(mtu - 4, 253)
        var entries: [ATTPDU.HandleValue] = []
        for attribute in database.attributes(in: range) where attribute.type == type {
            let value: [UInt8]
            do throws(Refusal) {
                value = Array(try self.value(of: attribute).prefix(longest))
            } catch {
                if entries.isEmpty { throw error }
                break
            }
            let size = entries.first?.value.count ?? value.count
            guard value.count == size, entries.count < (mtu - 2) / (2 + size) else { break }
            entries.append(.init(handle: attribute.handle, value: value))
        }
        guard !entries.isEmpty else { throw Refusal(error: .attributeNotFound, handle: range.lowerBound) }
        return .readByTypeResponse(entries)
    }

    private func readBlob(_ handle: UInt16, from offset: Int) throws(Refusal) -> ATTPDU {
        let value = try value(of: attribute(handle))
        guard offset <= value.count else { throw Refusal(error: .invalidOffset, handle: handle) }
        return .readBlobResponse(value: Array(value[offset...].prefix(mtu - 1)))
    }

    private func value(of attribute: GATTDatabase.Attribute) throws(Refusal) -> [UInt8] {
        switch attribute.content {
        case .service(let uuid, _): return uuid.littleEndian
        case .declaration(let index):
            let characteristic = database.characteristics[index]
            var value = [characteristic.properties.rawValue]
            value.append(UInt8(truncatingIfNeeded: characteristic.valueHandle))
            value.append(UInt8(truncatingIfNeeded: characteristic.valueHandle >> 8))
            return value + characteristic.uuid.littleEndian
        case .value(let index):
            guard database.characteristics[index].properties.contains(.read) else {
                throw Refusal(error: .readNotPermitted, handle: attribute.handle)
            }
            return database.value(at: index)
        case .clientConfiguration:
            let bits = clientConfigurations[attribute.handle, default: 0]
            return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
        }
    }
}
