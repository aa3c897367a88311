import ByteCoding
public import Determinism

/// The server end of one link: answers the requests of one client and pushes values to it.
///
/// A peripheral with several links holds one value for each and gives all of them the same `database`. Requests are
/// answered in the call that brings them, so a second request can never wait. Only a read that the owner answers
/// waits; what the client requests meanwhile, against the rules of ATT, is dropped. Values that the client writes are
/// handed out whole and not stored; what reads return is decided by `database`, or by the owner.
///
/// Source: Core Specification 5.3, Vol 3 Part F §3.3 and §3.4, Part G §4.
public struct GATTServer: StateMachine, Sendable {
    private struct WaitingRead: Sendable {
        let opcode: UInt8
        let handle: UInt16
        let offset: Int
    }

    private struct Indication: Sendable {
        let id: UInt64
        let handle: UInt16
        let value: [UInt8]
    }

    /// The settings that the owner chose for this GATT server.
    public let configuration: Configuration

    /// The attributes that the server publishes.
    public private(set) var database: GATTDatabase

    /// The MTU of the link: 23 until an exchange.
    public private(set) var mtu = ATTPDU.minimumMTU

    /// The time at which the outstanding indication times out; nil while none is outstanding.
    public private(set) var nextDeadline: MonotonicInstant?

    /// True until the link ends or fails.
    public private(set) var isOpen = true

    /// The client characteristic configurations by handle; only descriptors that were written have an entry.
    private var clientConfigurations: [UInt16: UInt16] = [:]
    private var prepared = PreparedWrites()
    /// The read that the application has to answer; nil for none.
    private var waitingRead: WaitingRead?
    /// The handle of the value that the client wrote last; nil before it wrote one.
    private var lastWritten: UInt16?
    /// The indications to send; the first one awaits its confirmation while `nextDeadline` is set.
    private var indications: [Indication] = []

    /// Makes the server end of a link that has just come up.
    public init(database: GATTDatabase, configuration: Configuration = Configuration()) {
        self.database = database
        self.configuration = configuration
    }

    /// Replaces the database, to which services were added or from which they were removed.
    ///
    /// The client's configurations of removed characteristics are forgotten.
    public mutating func setDatabase(_ database: GATTDatabase) {
        self.database = database
        for handle in clientConfigurations.keys {
            guard case .clientConfiguration = database.attribute(handle)?.content else {
                clientConfigurations[handle] = nil
                continue
            }
        }
        if let handle = lastWritten, database.attribute(handle) == nil { lastWritten = nil }
    }

    /// Sets the value that reads of a characteristic return.
    ///
    /// - Throws: as `GATTDatabase.setValue(_:of:)`.
    public mutating func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) throws(GATTError) {
        try database.setValue(value, of: characteristic)
    }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .received(let bytes):
            if isOpen { receive(bytes, at: now, into: &outputs) }
        case .notify(let id, let characteristic, let value, let confirmed):
            push(id, characteristic, value, confirmed: confirmed, at: now, into: &outputs)
        case .answerRead(let value): answerRead(value, into: &outputs)
        case .mtuAgreed(let mtu): adopt(mtu, into: &outputs)
        case .deadline:
            guard isOpen, let deadline = nextDeadline, deadline <= now else { return }
            let error = GATTError(.transactionTimeout, "an indication was not confirmed")
            close(error, into: &outputs)
            outputs.append(.linkFailed(error))
        case .linkDown:
            close(GATTError(.linkLost, "the link is down"), into: &outputs)
        }
    }

    /// Returns true when the client has enabled notifications or indications of a characteristic.
    public func isSubscribed(to characteristic: BluetoothUUID) -> Bool {
        guard let handle = database.valueHandle(of: characteristic),
            case .clientConfiguration = database.attribute(handle + 1)?.content
        else { return false }
        return clientConfigurations[handle + 1, default: 0] != 0
    }

    private mutating func adopt(_ agreed: Int, into outputs: inout [Output]) {
        let effective = min(max(agreed, ATTPDU.minimumMTU), ATTPDU.maximumMTU)
        guard isOpen, effective != mtu else { return }
        mtu = effective
        outputs.append(.mtuChanged(effective))
    }

    private mutating func close(_ error: GATTError, into outputs: inout [Output]) {
        isOpen = false
        nextDeadline = nil
        prepared = PreparedWrites()
        waitingRead = nil
        for indication in indications { outputs.append(.notifyFailed(id: indication.id, error)) }
        indications = []
    }

    // MARK: - Pushing values

    private mutating func push(
        _ id: UInt64, _ characteristic: BluetoothUUID, _ value: [UInt8], confirmed: Bool, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        if let error = obstacle(to: characteristic, value, confirmed: confirmed) {
            outputs.append(.notifyFailed(id: id, error))
        } else if let handle = database.valueHandle(of: characteristic, besides: lastWritten) {
            if confirmed {
                indications.append(Indication(id: id, handle: handle, value: value))
                sendIndication(at: now, into: &outputs)
            } else {
                outputs.append(.send(ATTPDU.handleValueNotification(handle: handle, value: value).bytes))
                outputs.append(.notified(id: id))
            }
        }
    }

    private func obstacle(to characteristic: BluetoothUUID, _ value: [UInt8], confirmed: Bool) -> GATTError? {
        if !isOpen { return GATTError(.linkLost, "the link is down") }
        if database.valueHandle(of: characteristic) == nil {
            return GATTError(.notFound, "no characteristic \(characteristic)")
        }
        if value.count > min(mtu - 3, ATTPDU.maximumValueBytes) { return tooLong(value) }
        let waiting = indications.count - (nextDeadline == nil ? 0 : 1)
        if confirmed, nextDeadline != nil, waiting >= configuration.maximumQueuedIndications {
            return GATTError(.queueFull, "\(waiting) indications wait already")
        }
        return nil
    }

    private func tooLong(_ value: [UInt8]) -> GATTError {
        GATTError(
            .tooLarge,
            value.count > mtu - 3
                ? "\(value.count) bytes do not fit an MTU of \(mtu)"
                : "an attribute value has at most \(ATTPDU.maximumValueBytes) bytes")
    }

    /// Sends the first queued indication unless one awaits its confirmation; the MTU may have shrunk meanwhile.
    private mutating func sendIndication(at now: MonotonicInstant, into outputs: inout [Output]) {
        while nextDeadline == nil, let indication = indications.first {
            if indication.value.count > mtu - 3 {
                outputs.append(.notifyFailed(id: indication.id, tooLong(indication.value)))
                indications.removeFirst()
                continue
            }
            let pdu = ATTPDU.handleValueIndication(handle: indication.handle, value: indication.value)
            outputs.append(.send(pdu.bytes))
            nextDeadline = now + configuration.transactionTimeout
        }
    }

    private mutating func confirm(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard nextDeadline != nil, let indication = indications.first else {
            outputs.append(.dropped(GATTError(.unexpectedPDU, "a confirmation of nothing")))
            return
        }
        nextDeadline = nil
        indications.removeFirst()
        outputs.append(.notified(id: indication.id))
        sendIndication(at: now, into: &outputs)
    }

    // MARK: - What a client sends, and the answers

    private var reader: ReadRequestHandler {
        ReadRequestHandler(database: database, mtu: mtu, clientConfigurations: clientConfigurations)
    }

    private mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        guard waitingRead == nil || bytes.first.map(ATTOpcode.isRequest) != true else {
            return outputs.append(.dropped(GATTError(.unexpectedPDU, "a request before the answer to a read")))
        }
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
            outputs.append(.dropped(GATTError(.unexpectedPDU, reason)))
            return
        }
        outputs.append(.send(ATTPDU.errorResponse(opcode: opcode, handle: 0, error: error).bytes))
    }

    private mutating func answer(_ pdu: ATTPDU, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch pdu {
        case .exchangeMTURequest(let clientMTU): exchangeMTU(clientMTU, pdu.opcode, into: &outputs)
        case .readRequest(let handle) where passesReadsOn(handle): passOn(pdu, handle, offset: 0, into: &outputs)
        case .readBlobRequest(let handle, let offset) where passesReadsOn(handle):
            passOn(pdu, handle, offset: Int(offset), into: &outputs)
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest,
            .readRequest, .readBlobRequest:
            reply(to: pdu, into: &outputs) { server throws(ATTRefusal) in try server.reader.answer(pdu) }
        case .writeRequest(let handle, let value):
            write(value, to: handle, pdu, into: &outputs)
        case .writeCommand(let handle, let value): take(value, for: handle, into: &outputs)
        case .prepareWriteRequest(let handle, let offset, let value):
            reply(to: pdu, into: &outputs) { server throws(ATTRefusal) in
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
            refuse([pdu.opcode], .requestNotSupported, "\(pdu) is not a client's to send", into: &outputs)
        }
    }

    private func passesReadsOn(_ handle: UInt16) -> Bool {
        guard case .value(let index)? = database.attribute(handle)?.content else { return false }
        return database.characteristics[index].passesReadsOn
    }

    private mutating func passOn(
        _ request: ATTPDU, _ handle: UInt16, offset: Int, into outputs: inout [Output]
    ) {
        guard case .value(let index)? = database.attribute(handle)?.content else { return }
        waitingRead = WaitingRead(opcode: request.opcode, handle: handle, offset: offset)
        outputs.append(.readPassedOn(characteristic: database.characteristics[index].uuid, offset: offset))
    }

    private mutating func answerRead(_ value: [UInt8]?, into outputs: inout [Output]) {
        guard isOpen, let read = waitingRead else { return }
        waitingRead = nil
        let isBlob = read.opcode == ATTOpcode.readBlobRequest.rawValue
        guard let value, value.count <= ATTPDU.maximumValueBytes, read.offset <= value.count else {
            let error: ATTErrorCode = value == nil ? .readNotPermitted : .invalidOffset
            let answer = ATTPDU.errorResponse(opcode: read.opcode, handle: read.handle, error: error)
            return outputs.append(.send(answer.bytes))
        }
        let part = Array(value[read.offset...].prefix(mtu - 1))
        let answer = isBlob ? ATTPDU.readBlobResponse(value: part) : ATTPDU.readResponse(value: part)
        outputs.append(.send(answer.bytes))
    }

    /// Sends the response that `body` returns, or the Error Response for the refusal that it throws.
    private mutating func reply(
        to request: ATTPDU, into outputs: inout [Output], _ body: (inout GATTServer) throws(ATTRefusal) -> ATTPDU
    ) {
        let answer: ATTPDU
        do throws(ATTRefusal) {
            answer = try body(&self)
        } catch {
            answer = .errorResponse(opcode: request.opcode, handle: error.handle, error: error.error)
        }
        outputs.append(.send(answer.bytes))
    }

    /// Answers each MTU exchange with the server's MTU, and uses the client's latest one.
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

    // MARK: - Writes: with response, without, and prepared

    /// An attribute that a client may write, judged by its handle.
    private enum WriteTarget {
        case value(GATTDatabase.Characteristic)
        case clientConfiguration(of: GATTDatabase.Characteristic)
    }

    private mutating func write(_ value: [UInt8], to handle: UInt16, _ request: ATTPDU, into outputs: inout [Output]) {
        do throws(ATTRefusal) {
            let effect = try effect(of: value, on: handle, needs: .write)
            outputs.append(.send(ATTPDU.writeResponse.bytes))
            apply(effect, of: value, on: handle, into: &outputs)
        } catch {
            let answer = ATTPDU.errorResponse(opcode: request.opcode, handle: handle, error: error.error)
            outputs.append(.send(answer.bytes))
        }
    }

    /// Handles a write command; ignores one to a descriptor, or one that may not be written.
    ///
    /// Phones that fill an MTU of 517 send 514 bytes, two more than an attribute has (Bluetooth Core, Vol 3, Part F,
    /// 3.2.9). They are passed on: a command has no answer by which its sender would learn that it was lost.
    private mutating func take(_ value: [UInt8], for handle: UInt16, into outputs: inout [Output]) {
        guard case .value(let index)? = database.attribute(handle)?.content else {
            return drop(handle, .invalidHandle, into: &outputs)
        }
        let characteristic = database.characteristics[index]
        guard characteristic.properties.contains(.writeWithoutResponse) else {
            return drop(handle, .writeNotPermitted, into: &outputs)
        }
        lastWritten = handle
        outputs.append(.written(characteristic: characteristic.uuid, value: value, isCommand: true))
    }

    private func drop(_ handle: UInt16, _ error: ATTErrorCode, into outputs: inout [Output]) {
        let reason = "write command to handle \(handle): \(error)"
        outputs.append(.dropped(GATTError(.attError, reason, wireCode: error.rawValue)))
    }

    private mutating func prepare(_ value: [UInt8], at offset: UInt16, of handle: UInt16) throws(ATTRefusal) {
        _ = try target(handle, needs: .write)
        guard
            prepared.add(
                value, at: Int(offset), of: handle, maximumParts: configuration.maximumPreparedParts,
                maximumBytes: configuration.maximumPreparedBytes)
        else { throw ATTRefusal(error: .prepareQueueFull, handle: handle) }
    }

    /// Executes queued writes all or none: every assembled value is checked before the first is passed on.
    private mutating func execute(commits: Bool, _ opcode: UInt8, into outputs: inout [Output]) {
        let parts = prepared
        prepared = PreparedWrites()
        do throws(ATTRefusal) {
            var effects: [(handle: UInt16, value: [UInt8], effect: WriteTarget)] = []
            for (handle, value) in commits ? try parts.assembled() : [] {
                effects.append((handle, value, try effect(of: value, on: handle, needs: .write)))
            }
            outputs.append(.send(ATTPDU.executeWriteResponse.bytes))
            for entry in effects { apply(entry.effect, of: entry.value, on: entry.handle, into: &outputs) }
        } catch {
            let answer = ATTPDU.errorResponse(opcode: opcode, handle: error.handle, error: error.error)
            outputs.append(.send(answer.bytes))
        }
    }

    private func target(_ handle: UInt16, needs property: CharacteristicProperties) throws(ATTRefusal) -> WriteTarget {
        switch try reader.attribute(handle).content {
        case .service, .declaration, .removed: throw ATTRefusal(error: .writeNotPermitted, handle: handle)
        case .clientConfiguration(let index): return .clientConfiguration(of: database.characteristics[index])
        case .value(let index):
            let characteristic = database.characteristics[index]
            guard characteristic.properties.contains(property) else {
                throw ATTRefusal(error: .writeNotPermitted, handle: handle)
            }
            return .value(characteristic)
        }
    }

    /// Checks a write by the client, and returns the change that it makes.
    private func effect(
        of value: [UInt8], on handle: UInt16, needs property: CharacteristicProperties
    ) throws(ATTRefusal) -> WriteTarget {
        let target = try target(handle, needs: property)
        switch target {
        case .value:
            guard value.count <= ATTPDU.maximumValueBytes else {
                throw ATTRefusal(error: .invalidValueLength, handle: handle)
            }
        case .clientConfiguration(let characteristic):
            guard value.count == 2 else { throw ATTRefusal(error: .invalidValueLength, handle: handle) }
            let allowed: UInt8 =
                (characteristic.properties.contains(.notify) ? 1 : 0)
                | (characteristic.properties.contains(.indicate) ? 2 : 0)
            guard Self.configuration(value) & ~UInt16(allowed) == 0 else {
                throw ATTRefusal(error: .valueNotAllowed, handle: handle)
            }
        }
        return target
    }

    /// The client configuration that two bytes stand for, least significant byte first.
    ///
    /// `00 01` counts as `01 00`: ISO/IEC 18013-5 prints the value to set in that order, and a bit that it would set
    /// does not exist.
    private static func configuration(_ value: [UInt8]) -> UInt16 {
        value == [0, 1] ? 1 : UInt16(littleEndianBytes: value)
    }

    private mutating func apply(
        _ effect: WriteTarget, of value: [UInt8], on handle: UInt16, into outputs: inout [Output]
    ) {
        switch effect {
        case .value(let characteristic):
            lastWritten = handle
            outputs.append(.written(characteristic: characteristic.uuid, value: value, isCommand: false))
        case .clientConfiguration(let characteristic):
            let bits = Self.configuration(value)
            guard clientConfigurations[handle, default: 0] != bits else { return }
            clientConfigurations[handle] = bits
            outputs.append(.subscribed(characteristic: characteristic.uuid, isSubscribed: bits != 0))
        }
    }
}
