// What each procedure asks, and what it makes of the answers.
extension GATTClient {
    func begin(_ procedure: Procedure, _ work: inout Work) -> Step {
        switch procedure {
        case .exchangeMTU(let wish):
            let wish = min(max(wish, ATTPDU.minimumMTU), ATTPDU.maximumMTU)
            work.phase = .exchangingMTU(wish: wish)
            return .request(.exchangeMTURequest(mtu: UInt16(wish)))
        case .discoverServices(let uuid):
            return findServices(uuid, from: 1, &work)
        case .discoverCharacteristics(let service):
            return findCharacteristics(of: service, from: service.startHandle, &work)
        case .read(let handle):
            work.phase = .reading(handle: handle)
            return .request(.readRequest(handle: handle))
        case .write(let value, let handle): return beginWrite(value, to: handle, &work)
        case .writeCommand: return .done(.done)
        case .subscribe(let characteristic, let isOn):
            guard let handle = characteristic.clientConfigurationHandle else { return .done(.done) }
            let bit: UInt8 = characteristic.properties.contains(.notify) ? 1 : 2
            return beginWrite([isOn ? bit : 0, 0], to: handle, &work)
        }
    }

    func next(after answer: ATTPDU, _ work: inout Work) -> Step {
        if case .errorResponse(_, _, let error) = answer { return next(after: error, answer, &work) }
        switch (work.phase, answer) {
        case (.exchangingMTU(let wish), .exchangeMTUResponse(let server)):
            return .done(.mtu(max(ATTPDU.minimumMTU, min(wish, Int(server)))))
        case (.findingServices(let uuid?, let next), .findByTypeValueResponse(let ranges)):
            return take(ranges.map { RemoteService(uuid: uuid, startHandle: $0.start, endHandle: $0.end) }, next, &work)
        case (.findingServices(nil, let next), .readByGroupTypeResponse(let groups)):
            return take(groups, next, &work)
        case (.findingCharacteristics(let service, let next), .readByTypeResponse(let entries)):
            return take(entries, of: service, next, &work)
        case (.findingDescriptors(let service, let index, let next, let end), .findInformationResponse(let entries)):
            return take(entries, of: service, index, next...end, &work)
        case (.reading(let handle), .readResponse(let part)), (.reading(let handle), .readBlobResponse(let part)):
            return take(part, of: handle, &work)
        case (.writing, .writeResponse), (.executing, .executeWriteResponse): return .done(.done)
        case (.preparing(let handle, let offset, let end), .prepareWriteResponse(let echoed, let at, let part)):
            guard echoed == handle, Int(at) == offset, part[...] == work.value[offset..<end] else {
                return abandon(&work, .badAnswer("the echo of a prepared part differs"))
            }
            return prepare(handle, from: end, &work)
        case (.abandoning(let error), .executeWriteResponse): return .failed(error)
        default: return .failed(.badAnswer("\(answer) does not fit"))
        }
    }

    /// What an Error Response means: the end of a list, the end of a value, or a failure.
    private func next(after error: ATTErrorCode, _ answer: ATTPDU, _ work: inout Work) -> Step {
        let failure = GATTError(.attError, "\(answer)", origin: .peer, wireCode: error.rawValue)
        switch (work.phase, error) {
        case (.findingServices, .attributeNotFound): return .done(.services(work.services))
        case (.findingCharacteristics(let service, _), .attributeNotFound):
            return findDescriptors(of: service, from: 0, &work)
        case (.findingDescriptors(let service, let index, _, _), .attributeNotFound):
            return findDescriptors(of: service, from: index + 1, &work)
        case (.reading, .attributeNotLong) where !work.value.isEmpty,
            (.reading, .invalidOffset) where !work.value.isEmpty:
            return .done(.value(work.value))
        case (.preparing, _): return abandon(&work, failure)
        case (.abandoning(let cause), _): return .failed(cause)
        default: return .failed(failure)
        }
    }
}

// MARK: - Reading and writing

extension GATTClient {
    private func take(_ part: [UInt8], of handle: UInt16, _ work: inout Work) -> Step {
        work.value += part
        guard work.value.count <= ATTPDU.maximumValueBytes else {
            return .failed(.badAnswer("a value longer than \(ATTPDU.maximumValueBytes) bytes"))
        }
        guard part.count >= mtu - 1, work.value.count < ATTPDU.maximumValueBytes else {
            return .done(.value(work.value))
        }
        return .request(.readBlobRequest(handle: handle, offset: UInt16(work.value.count)))
    }

    private func beginWrite(_ value: [UInt8], to handle: UInt16, _ work: inout Work) -> Step {
        guard value.count <= ATTPDU.maximumValueBytes else {
            return .failed(GATTError(.tooLarge, "an attribute value has at most \(ATTPDU.maximumValueBytes) bytes"))
        }
        work.phase = .writing
        guard value.count > mtu - 3 else { return .request(.writeRequest(handle: handle, value: value)) }
        work.value = value
        return prepare(handle, from: 0, &work)
    }

    private func prepare(_ handle: UInt16, from offset: Int, _ work: inout Work) -> Step {
        guard offset < work.value.count else {
            work.phase = .executing
            return .request(.executeWriteRequest(commits: true))
        }
        let end = min(offset + mtu - 5, work.value.count)
        work.phase = .preparing(handle: handle, offset: offset, end: end)
        let part = Array(work.value[offset..<end])
        return .request(.prepareWriteRequest(handle: handle, offset: UInt16(offset), value: part))
    }
}

// MARK: - Discovery

extension GATTClient {
    private func findServices(_ uuid: BluetoothUUID?, from next: UInt16, _ work: inout Work) -> Step {
        work.phase = .findingServices(uuid, next: next)
        guard let uuid else {
            return .request(.readByGroupTypeRequest(start: next, end: .max, type: .primaryService))
        }
        return .request(.findByTypeValueRequest(start: next, end: .max, type: 0x2800, value: uuid.littleEndian))
    }

    private func take(_ groups: [ATTPDU.Group], _ next: UInt16, _ work: inout Work) -> Step {
        var services: [RemoteService] = []
        for group in groups {
            guard group.value.count == 2 || group.value.count == 16,
                let uuid = BluetoothUUID(littleEndian: group.value)
            else { return .failed(.badAnswer("a service UUID of \(group.value.count) bytes")) }
            services.append(RemoteService(uuid: uuid, startHandle: group.start, endHandle: group.end))
        }
        return take(services, next, &work)
    }

    private func take(_ services: [RemoteService], _ next: UInt16, _ work: inout Work) -> Step {
        guard case .findingServices(let uuid, _) = work.phase else { return .failed(.badAnswer("services")) }
        var free = Int(next)
        for service in services {
            guard service.startHandle >= free, service.endHandle >= service.startHandle else {
                return .failed(.badAnswer("services out of order at \(service.startHandle)"))
            }
            free = Int(service.endHandle) + 1
        }
        work.services += services
        guard work.services.count <= configuration.maximumDiscovered else {
            return .failed(.badAnswer("more than \(configuration.maximumDiscovered) services"))
        }
        // One service by its UUID is what is sought; asking on until the server says "not found" costs a round trip.
        guard uuid == nil, let following = UInt16(exactly: free) else { return .done(.services(work.services)) }
        return findServices(uuid, from: following, &work)
    }

    private func findCharacteristics(of service: RemoteService, from next: UInt16, _ work: inout Work) -> Step {
        guard next >= 1, next <= service.endHandle else { return findDescriptors(of: service, from: 0, &work) }
        work.phase = .findingCharacteristics(service, next: next)
        let request = ATTPDU.readByTypeRequest(start: next, end: service.endHandle, type: .characteristicDeclaration)
        return .request(request)
    }

    private func take(
        _ entries: [ATTPDU.HandleValue], of service: RemoteService, _ next: UInt16, _ work: inout Work
    ) -> Step {
        var free = Int(next)
        for entry in entries {
            guard let characteristic = RemoteCharacteristic(declaration: entry.value) else {
                return .failed(.badAnswer("a characteristic declaration of \(entry.value.count) bytes"))
            }
            guard entry.handle >= free, characteristic.valueHandle > entry.handle,
                characteristic.valueHandle <= service.endHandle
            else { return .failed(.badAnswer("characteristics out of order at \(entry.handle)")) }
            free = Int(characteristic.valueHandle) + 1
            work.characteristics.append(characteristic)
            work.declarations.append(entry.handle)
        }
        guard work.characteristics.count <= configuration.maximumDiscovered else {
            return .failed(.badAnswer("more than \(configuration.maximumDiscovered) characteristics"))
        }
        guard let following = UInt16(exactly: free) else { return findDescriptors(of: service, from: 0, &work) }
        return findCharacteristics(of: service, from: following, &work)
    }

    /// Looks for the client configuration of the first characteristic from `index` on that can have one: it pushes
    /// values and there are handles between its value and what follows.
    private func findDescriptors(of service: RemoteService, from index: Int, _ work: inout Work) -> Step {
        for index in index..<max(index, work.characteristics.count) {
            let characteristic = work.characteristics[index]
            let following = index + 1 < work.declarations.count ? Int(work.declarations[index + 1]) : nil
            let end = following.map { $0 - 1 } ?? Int(service.endHandle)
            guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]),
                Int(characteristic.valueHandle) < end
            else { continue }
            return findDescriptors(
                of: service, index, from: characteristic.valueHandle + 1, to: UInt16(end), &work)
        }
        return .done(.characteristics(work.characteristics))
    }

    private func findDescriptors(
        of service: RemoteService, _ index: Int, from next: UInt16, to end: UInt16, _ work: inout Work
    ) -> Step {
        work.phase = .findingDescriptors(service, index: index, next: next, end: end)
        return .request(.findInformationRequest(start: next, end: end))
    }

    private func take(
        _ entries: [ATTPDU.Information], of service: RemoteService, _ index: Int, _ range: ClosedRange<UInt16>,
        _ work: inout Work
    ) -> Step {
        var free = Int(range.lowerBound)
        for entry in entries {
            guard entry.handle >= free, entry.handle <= range.upperBound else {
                return .failed(.badAnswer("descriptors out of order at \(entry.handle)"))
            }
            if entry.type == .clientConfiguration {
                work.characteristics[index].clientConfigurationHandle = entry.handle
                return findDescriptors(of: service, from: index + 1, &work)
            }
            free = Int(entry.handle) + 1
        }
        guard let following = UInt16(exactly: free), following <= range.upperBound else {
            return findDescriptors(of: service, from: index + 1, &work)
        }
        return findDescriptors(of: service, index, from: following, to: range.upperBound, &work)
    }
}

extension RemoteCharacteristic {
    /// Reads the value of a declaration: properties, value handle, UUID of 2 or 16 bytes.
    fileprivate init?(declaration value: [UInt8]) {
        guard value.count == 5 || value.count == 19, let uuid = BluetoothUUID(littleEndian: value[3...]) else {
            return nil
        }
        self.init(
            uuid: uuid, properties: CharacteristicProperties(rawValue: value[0]),
            valueHandle: UInt16(value[1]) | UInt16(value[2]) << 8)
    }
}
