// Writes: with response, without, and prepared.
extension GATTServer {
    /// An attribute that may be written, as far as its handle decides.
    private enum Target {
        case value(GATTDatabase.Characteristic)
        case clientConfiguration(of: GATTDatabase.Characteristic)
    }

    mutating func write(_ value: [UInt8], to handle: UInt16, _ request: ATTPDU, into outputs: inout [Output]) {
        do throws(Refusal) {
            let effect = try effect(of: value, on: handle, needs: .write)
            outputs.append(.send(ATTPDU.writeResponse.bytes))
            apply(effect, of: value, on: handle, into: &outputs)
        } catch {
            let answer = ATTPDU.errorResponse(opcode: request.opcode, handle: handle, error: error.error)
            outputs.append(.send(answer.bytes))
        }
    }

    /// A write command: what a request would be refused for is ignored, and so is a command to a descriptor.
    mutating func take(_ value: [UInt8], for handle: UInt16, into outputs: inout [Output]) {
        guard case .value(let index)? = database.attribute(handle)?.content else {
            return drop(handle, .invalidHandle, into: &outputs)
        }
        let characteristic = database.characteristics[index]
        guard characteristic.properties.contains(.writeWithoutResponse) else {
            return drop(handle, .writeNotPermitted, into: &outputs)
        }
        guard value.count <= ATTPDU.maximumValueBytes else {
            return drop(handle, .invalidValueLength, into: &outputs)
        }
        lastWritten = handle
        outputs.append(.written(characteristic: characteristic.uuid, value: value, isCommand: true))
    }

    private func drop(_ handle: UInt16, _ error: ATTErrorCode, into outputs: inout [Output]) {
        let reason = "write command to handle \(handle): \(error)"
        outputs.append(.dropped(GATTError(.attError, reason, origin: .peer, wireCode: error.rawValue)))
    }

    mutating func prepare(_ value: [UInt8], at offset: UInt16, of handle: UInt16) throws(Refusal) {
        _ = try target(handle, needs: .write)
        let bytes = prepared.reduce(value.count) { $0 + $1.value.count }
        guard prepared.count < configuration.maximumPreparedParts, bytes <= configuration.maximumPreparedBytes else {
            throw Refusal(error: .prepareQueueFull, handle: handle)
        }
        prepared.append(PreparedPart(handle: handle, offset: Int(offset), value: value))
    }

    /// Writes all that is queued, or nothing: every assembled value is checked before the first is handed out.
    mutating func execute(commits: Bool, _ opcode: UInt8, into outputs: inout [Output]) {
        let parts = prepared
        prepared = []
        do throws(Refusal) {
            var effects: [(handle: UInt16, value: [UInt8], effect: Target)] = []
            for (handle, value) in commits ? try Self.assemble(parts) : [] {
                effects.append((handle, value, try effect(of: value, on: handle, needs: .write)))
            }
            outputs.append(.send(ATTPDU.executeWriteResponse.bytes))
            for entry in effects { apply(entry.effect, of: entry.value, on: entry.handle, into: &outputs) }
        } catch {
            let answer = ATTPDU.errorResponse(opcode: opcode, handle: error.handle, error: error.error)
            outputs.append(.send(answer.bytes))
        }
    }

    /// Joins the parts of each attribute, in the order of its first part.
    ///
    /// A value grows from nothing, because written values are handed out and not stored: a part may overlap what came
    /// before it and may not leave a gap.
    private static func assemble(_ parts: [PreparedPart]) throws(Refusal) -> [(handle: UInt16, value: [UInt8])] {
        var values: [(handle: UInt16, value: [UInt8])] = []
        for part in parts {
            let index = values.firstIndex { $0.handle == part.handle } ?? values.count
            if index == values.count { values.append((part.handle, [])) }
            let count = values[index].value.count
            guard part.offset <= count else { throw Refusal(error: .invalidOffset, handle: part.handle) }
            let end = part.offset + part.value.count
            guard end <= ATTPDU.maximumValueBytes else {
                throw Refusal(error: .invalidValueLength, handle: part.handle)
            }
            values[index].value.replaceSubrange(part.offset..<min(end, count), with: part.value)
        }
        return values
    }

    private func target(_ handle: UInt16, needs property: CharacteristicProperties) throws(Refusal) -> Target {
        switch try attribute(handle).content {
        case .service, .declaration: throw Refusal(error: .writeNotPermitted, handle: handle)
        case .clientConfiguration(let index): return .clientConfiguration(of: database.characteristics[index])
        case .value(let index):
            let characteristic = database.characteristics[index]
            guard characteristic.properties.contains(property) else {
                throw Refusal(error: .writeNotPermitted, handle: handle)
            }
            return .value(characteristic)
        }
    }

    /// What a write would change, if it is allowed with this value.
    private func effect(
        of value: [UInt8], on handle: UInt16, needs property: CharacteristicProperties
    ) throws(Refusal) -> Target {
        let target = try target(handle, needs: property)
        switch target {
        case .value:
            guard value.count <= ATTPDU.maximumValueBytes else {
                throw Refusal(error: .invalidValueLength, handle: handle)
            }
        case .clientConfiguration(let characteristic):
            guard value.count == 2 else { throw Refusal(error: .invalidValueLength, handle: handle) }
            let allowed: UInt8 =
                (characteristic.properties.contains(.notify) ? 1 : 0)
                | (characteristic.properties.contains(.indicate) ? 2 : 0)
            guard value[0] & ~allowed == 0, value[1] == 0 else {
                throw Refusal(error: .valueNotAllowed, handle: handle)
            }
        }
        return target
    }

    private mutating func apply(
        _ effect: Target, of value: [UInt8], on handle: UInt16, into outputs: inout [Output]
    ) {
        switch effect {
        case .value(let characteristic):
            lastWritten = handle
            outputs.append(.written(characteristic: characteristic.uuid, value: value, isCommand: false))
        case .clientConfiguration(let characteristic):
            let bits = value.reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            guard clientConfigurations[handle, default: 0] != bits else { return }
            clientConfigurations[handle] = bits
            outputs.append(.subscribed(characteristic: characteristic.uuid, isSubscribed: bits != 0))
        }
    }
}
