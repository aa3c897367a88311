/// A GATT procedure of the client that has sent a request: how each answer continues it, and its results so far.
struct GATTProcedure: Sendable {
    /// The next step of a procedure: another request, or its end.
    enum Step {
        case request(ATTPDU)
        case done(GATTClient.GATTProcedureResult)
        case failed(GATTError)
    }

    /// The request that the procedure has sent, which decides the meaning of the answer.
    private enum Phase: Hashable, Sendable {
        /// The client's MTU was sent; the server's MTU is awaited.
        case exchangingMTU(requested: Int)
        /// Services before handle `next` are found; `uuid` is the one sought, nil for all.
        case findingServices(BluetoothUUID?, next: UInt16)
        /// Characteristics of the service with declarations before `next` are found.
        case findingCharacteristics(RemoteService, next: UInt16)
        /// All characteristics are found; descriptors of the one at `index` are sought from `next` up to `end`.
        case findingDescriptors(RemoteService, index: Int, next: UInt16, end: UInt16)
        /// The value is being read; `value` holds the part received so far.
        case reading(handle: UInt16)
        /// A write of the whole value was sent.
        case writing
        /// The bytes from `offset` up to `end` were sent to be queued; their echo is awaited.
        case preparing(handle: UInt16, offset: Int, end: Int)
        /// The server was asked to write the queued parts.
        case executing
        /// The server was asked to discard the queued parts; the procedure fails with this error afterwards.
        case abandoning(GATTError)
    }

    let id: UInt64
    /// The MTU of the link.
    var mtu: Int
    /// The number of requests that the procedure has sent.
    var requests = 0
    /// True when the caller has cancelled the procedure.
    var isCancelled = false
    /// The opcode of the request whose answer is awaited.
    var opcode: UInt8 = 0
    private let maximumDiscovered: Int
    private var phase = Phase.writing
    private var services: [RemoteService] = []
    private var characteristics: [RemoteCharacteristic] = []
    /// The handle of each discovered characteristic's declaration.
    private var declarations: [UInt16] = []
    /// The value read so far, or the value to write.
    private var value: [UInt8] = []

    init(_ id: UInt64, mtu: Int, maximumDiscovered: Int) {
        self.id = id
        self.mtu = mtu
        self.maximumDiscovered = maximumDiscovered
    }

    mutating func begin(_ procedure: GATTClient.Procedure) -> Step {
        switch procedure {
        case .exchangeMTU(let requested):
            let requested = min(max(requested, ATTPDU.minimumMTU), ATTPDU.maximumMTU)
            phase = .exchangingMTU(requested: requested)
            return .request(.exchangeMTURequest(mtu: UInt16(requested)))
        case .discoverServices(let uuid):
            return findServices(uuid, from: 1)
        case .discoverCharacteristics(let service):
            return findCharacteristics(of: service, from: service.startHandle)
        case .read(let handle):
            phase = .reading(handle: handle)
            return .request(.readRequest(handle: handle))
        case .write(let value, let handle): return beginWrite(value, to: handle)
        case .writeCommand: return .done(.done)
        case .subscribe(let characteristic, let isOn):
            guard let handle = characteristic.clientConfigurationHandle else { return .done(.done) }
            let bit: UInt8 = characteristic.properties.contains(.notify) ? 1 : 2
            return beginWrite([isOn ? bit : 0, 0], to: handle)
        }
    }

    mutating func next(after answer: ATTPDU) -> Step {
        if case .errorResponse(_, _, let error) = answer { return next(after: error, answer) }
        switch (phase, answer) {
        case (.exchangingMTU(let requested), .exchangeMTUResponse(let server)):
            return .done(.mtu(max(ATTPDU.minimumMTU, min(requested, Int(server)))))
        case (.findingServices(let uuid?, let next), .findByTypeValueResponse(let ranges)):
            return take(ranges.map { RemoteService(uuid: uuid, startHandle: $0.start, endHandle: $0.end) }, next)
        case (.findingServices(nil, let next), .readByGroupTypeResponse(let groups)):
            return take(groups, next)
        case (.findingCharacteristics(let service, let next), .readByTypeResponse(let entries)):
            return take(entries, of: service, next)
        case (.findingDescriptors(let service, let index, let next, let end), .findInformationResponse(let entries)):
            return take(entries, of: service, index, next...end)
        case (.reading(let handle), .readResponse(let part)), (.reading(let handle), .readBlobResponse(let part)):
            return take(part, of: handle)
        case (.writing, .writeResponse), (.executing, .executeWriteResponse): return .done(.done)
        case (.preparing(let handle, let offset, let end), .prepareWriteResponse(let echoed, let at, let part)):
            guard echoed == handle, Int(at) == offset, part[...] == value[offset..<end] else {
                return abandon(.badAnswer("the echo of a prepared part differs"))
            }
            return prepare(handle, from: end)
        case (.abandoning(let error), .executeWriteResponse): return .failed(error)
        case (.exchangingMTU, _), (.findingServices, _), (.findingCharacteristics, _), (.findingDescriptors, _),
            (.reading, _), (.writing, _), (.preparing, _), (.executing, _), (.abandoning, _):
            return .failed(.badAnswer("\(answer) does not fit"))
        }
    }

    /// Handles an Error Response: the end of a list, the end of a value, or a failure.
    private mutating func next(after error: ATTErrorCode, _ answer: ATTPDU) -> Step {
        let failure = GATTError(.attError, "\(answer)", wireCode: error.rawValue)
        switch (phase, error) {
        case (.findingServices, .attributeNotFound): return .done(.services(services))
        case (.findingCharacteristics(let service, _), .attributeNotFound):
            return findDescriptors(of: service, from: 0)
        case (.findingDescriptors(let service, let index, _, _), .attributeNotFound):
            return findDescriptors(of: service, from: index + 1)
        case (.reading, .attributeNotLong) where !value.isEmpty,
            (.reading, .invalidOffset) where !value.isEmpty:
            return .done(.value(value))
        case (.preparing, _): return abandon(failure)
        case (.abandoning(let cause), _): return .failed(cause)
        case (.exchangingMTU, _), (.findingServices, _), (.findingCharacteristics, _), (.findingDescriptors, _),
            (.reading, _), (.writing, _), (.executing, _):
            return .failed(failure)
        }
    }

    /// Ends a cancelled procedure between two requests, after the server has discarded queued parts.
    mutating func stopEarly(_ step: Step) -> Step {
        switch phase {
        case .preparing, .executing: abandon(.badAnswer("cancelled"))
        case .abandoning: step
        case .exchangingMTU, .findingServices, .findingCharacteristics, .findingDescriptors, .reading, .writing:
            .done(.done)
        }
    }

    /// Makes the server discard queued parts, then ends the procedure with `error`.
    private mutating func abandon(_ error: GATTError) -> Step {
        phase = .abandoning(error)
        return .request(.executeWriteRequest(commits: false))
    }

    // MARK: - Reading and writing

    private mutating func take(_ part: [UInt8], of handle: UInt16) -> Step {
        value += part
        guard value.count <= ATTPDU.maximumValueBytes else {
            return .failed(.badAnswer("a value longer than \(ATTPDU.maximumValueBytes) bytes"))
        }
        guard part.count >= mtu - 1, value.count < ATTPDU.maximumValueBytes else {
            return .done(.value(value))
        }
        return .request(.readBlobRequest(handle: handle, offset: UInt16(value.count)))
    }

    private mutating func beginWrite(_ value: [UInt8], to handle: UInt16) -> Step {
        guard value.count <= ATTPDU.maximumValueBytes else {
            return .failed(GATTError(.tooLarge, "an attribute value has at most \(ATTPDU.maximumValueBytes) bytes"))
        }
        phase = .writing
        guard value.count > mtu - 3 else { return .request(.writeRequest(handle: handle, value: value)) }
        self.value = value
        return prepare(handle, from: 0)
    }

    private mutating func prepare(_ handle: UInt16, from offset: Int) -> Step {
        guard offset < value.count else {
            phase = .executing
            return .request(.executeWriteRequest(commits: true))
        }
        let end = min(offset + mtu - 5, value.count)
        phase = .preparing(handle: handle, offset: offset, end: end)
        let part = Array(value[offset..<end])
        return .request(.prepareWriteRequest(handle: handle, offset: UInt16(offset), value: part))
    }

    // MARK: - Discovery

    private mutating func findServices(_ uuid: BluetoothUUID?, from next: UInt16) -> Step {
        phase = .findingServices(uuid, next: next)
        guard let uuid else {
            return .request(.readByGroupTypeRequest(start: next, end: .max, type: .primaryService))
        }
        return .request(.findByTypeValueRequest(start: next, end: .max, type: 0x2800, value: uuid.littleEndian))
    }

    private mutating func take(_ groups: [ATTPDU.AttributeGroup], _ next: UInt16) -> Step {
        var services: [RemoteService] = []
        for group in groups {
            guard group.value.count == 2 || group.value.count == 16,
                let uuid = BluetoothUUID(littleEndian: group.value)
            else { return .failed(.badAnswer("a service UUID of \(group.value.count) bytes")) }
            services.append(RemoteService(uuid: uuid, startHandle: group.start, endHandle: group.end))
        }
        return take(services, next)
    }

    private mutating func take(_ services: [RemoteService], _ next: UInt16) -> Step {
        guard case .findingServices(let uuid, _) = phase else { return .failed(.badAnswer("services")) }
        var free = Int(next)
        for service in services {
            guard service.startHandle >= free, service.endHandle >= service.startHandle else {
                return .failed(.badAnswer("services out of order at \(service.startHandle)"))
            }
            free = Int(service.endHandle) + 1
        }
        self.services += services
        guard self.services.count <= maximumDiscovered else {
            return .failed(.badAnswer("more than \(maximumDiscovered) services"))
        }
        // One service by its UUID is what is sought; asking on until the server says "not found" costs a round trip.
        guard uuid == nil, let following = UInt16(exactly: free) else { return .done(.services(self.services)) }
        return findServices(uuid, from: following)
    }

    private mutating func findCharacteristics(of service: RemoteService, from next: UInt16) -> Step {
        guard next >= 1, next <= service.endHandle else { return findDescriptors(of: service, from: 0) }
        phase = .findingCharacteristics(service, next: next)
        let request = ATTPDU.readByTypeRequest(start: next, end: service.endHandle, type: .characteristicDeclaration)
        return .request(request)
    }

    private mutating func take(
        _ entries: [ATTPDU.HandleValue], of service: RemoteService, _ next: UInt16
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
            characteristics.append(characteristic)
            declarations.append(entry.handle)
        }
        guard characteristics.count <= maximumDiscovered else {
            return .failed(.badAnswer("more than \(maximumDiscovered) characteristics"))
        }
        guard let following = UInt16(exactly: free) else { return findDescriptors(of: service, from: 0) }
        return findCharacteristics(of: service, from: following)
    }

    /// Finds the client configuration of the next characteristic, from `index` on, that can have one.
    ///
    /// It pushes values, and there are handles between its value and what follows.
    private mutating func findDescriptors(of service: RemoteService, from index: Int) -> Step {
        for index in index..<max(index, characteristics.count) {
            let characteristic = characteristics[index]
            let following = index + 1 < declarations.count ? Int(declarations[index + 1]) : nil
            let end = following.map { $0 - 1 } ?? Int(service.endHandle)
            guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]),
                Int(characteristic.valueHandle) < end
            else { continue }
            return findDescriptors(
                of: service, index, from: characteristic.valueHandle + 1, to: UInt16(end))
        }
        return .done(.characteristics(characteristics))
    }

    private mutating func findDescriptors(
        of service: RemoteService, _ index: Int, from next: UInt16, to end: UInt16
    ) -> Step {
        phase = .findingDescriptors(service, index: index, next: next, end: end)
        return .request(.findInformationRequest(start: next, end: end))
    }

    private mutating func take(
        _ entries: [ATTPDU.InformationEntry], of service: RemoteService, _ index: Int, _ range: ClosedRange<UInt16>
    ) -> Step {
        var free = Int(range.lowerBound)
        for entry in entries {
            guard entry.handle >= free, entry.handle <= range.upperBound else {
                return .failed(.badAnswer("descriptors out of order at \(entry.handle)"))
            }
            if entry.type == .clientConfiguration {
                characteristics[index].clientConfigurationHandle = entry.handle
                return findDescriptors(of: service, from: index + 1)
            }
            free = Int(entry.handle) + 1
        }
        guard let following = UInt16(exactly: free), following <= range.upperBound else {
            return findDescriptors(of: service, from: index + 1)
        }
        return findDescriptors(of: service, index, from: following, to: range.upperBound)
    }
}
