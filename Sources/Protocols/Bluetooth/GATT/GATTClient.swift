public import Determinism

/// The GATT client of one link: runs procedures on a server and passes on the values that it pushes.
///
/// One request is sent at a time.
///
/// Whatever the server answers, a procedure ends with exactly one `completed` or `failed`, unless it was cancelled; its
/// requests and its results are bounded. Requests that a server sends are refused, since a client has no attributes.
///
/// Source: Core Specification 5.3, Vol 3 Part F §3.3 and §3.4, Part G §4.
public struct GATTClient: StateMachine, Sendable {
    /// The settings that the owner chose for this GATT client.
    public let configuration: Configuration

    /// The MTU of the link: 23 until an exchange.
    public private(set) var mtu = ATTPDU.minimumMTU

    /// The time at which the outstanding request times out; nil while none is outstanding.
    public private(set) var nextDeadline: MonotonicInstant?

    /// True until the link ends or fails.
    public private(set) var isOpen = true

    /// The GATT procedure under way.
    private var work: GATTProcedure?
    private var waiting: [(id: UInt64, procedure: Procedure)] = []

    /// Makes the client end of a link that has just come up.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// The number of procedures that wait or are under way.
    public var pendingCount: Int { waiting.count + (work == nil ? 0 : 1) }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .perform(let id, let procedure): perform(procedure, id, at: now, into: &outputs)
        case .cancel(let id):
            waiting.removeAll { $0.id == id }
            if work?.id == id { work?.isCancelled = true }
        case .received(let bytes):
            if isOpen { receive(bytes, at: now, into: &outputs) }
        case .mtuAgreed(let mtu): adopt(mtu, into: &outputs)
        case .deadline:
            guard let deadline = nextDeadline, deadline <= now else { return }
            let reason = "no answer to the request 0x\(String(work?.opcode ?? 0, radix: 16))"
            fail(GATTError(.transactionTimeout, reason), into: &outputs)
        case .linkDown:
            close(GATTError(.linkLost, "the link is down"), into: &outputs)
        }
    }

    private mutating func perform(
        _ procedure: Procedure, _ id: UInt64, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard isOpen else {
            let error = GATTError(.linkLost, "the link is down")
            return outputs.append(.failed(id: id, error))
        }
        if case .writeCommand(let value, let handle) = procedure {
            guard value.count <= min(mtu - 3, ATTPDU.maximumValueBytes) else {
                let reason = "\(value.count) bytes do not fit an MTU of \(mtu), or are more than 512"
                return outputs.append(.failed(id: id, GATTError(.tooLarge, reason)))
            }
            outputs.append(.send(ATTPDU.writeCommand(handle: handle, value: value).bytes))
            return outputs.append(.completed(id: id, .done))
        }
        guard work == nil || waiting.count < configuration.maximumQueuedProcedures else {
            let error = GATTError(.queueFull, "\(waiting.count) procedures wait already")
            return outputs.append(.failed(id: id, error))
        }
        guard work == nil, waiting.isEmpty else { return waiting.append((id, procedure)) }
        start(procedure, id, at: now, into: &outputs)
        startNext(at: now, into: &outputs)
    }

    private mutating func start(
        _ procedure: Procedure, _ id: UInt64, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        var work = GATTProcedure(id, mtu: mtu, maximumDiscovered: configuration.maximumDiscovered)
        let step = work.begin(procedure)
        advance(work, step, at: now, into: &outputs)
    }

    /// Starts queued procedures until one has sent a request.
    private mutating func startNext(at now: MonotonicInstant, into outputs: inout [Output]) {
        while work == nil, isOpen, !waiting.isEmpty {
            let (id, procedure) = waiting.removeFirst()
            start(procedure, id, at: now, into: &outputs)
        }
    }

    private mutating func adopt(_ agreed: Int, into outputs: inout [Output]) {
        let effective = min(max(agreed, ATTPDU.minimumMTU), ATTPDU.maximumMTU)
        guard isOpen, effective != mtu else { return }
        mtu = effective
        outputs.append(.mtuChanged(effective))
    }

    /// Ends all procedures with an error, and asks for the link to be closed.
    private mutating func fail(_ error: GATTError, into outputs: inout [Output]) {
        close(error, into: &outputs)
        outputs.append(.linkFailed(error))
    }

    private mutating func close(_ error: GATTError, into outputs: inout [Output]) {
        if let work, !work.isCancelled { outputs.append(.failed(id: work.id, error)) }
        for (id, _) in waiting { outputs.append(.failed(id: id, error)) }
        work = nil
        waiting = []
        nextDeadline = nil
        isOpen = false
    }

    // MARK: - Requests, answers, and what the server sends unasked

    /// Continues `work` after its latest answer, or after its start.
    private mutating func advance(
        _ work: consuming GATTProcedure, _ step: GATTProcedure.Step, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        switch step {
        case .request(let pdu):
            work.requests += 1
            work.opcode = pdu.opcode
            self.work = work
            nextDeadline = now + configuration.transactionTimeout
            outputs.append(.send(pdu.bytes))
        case .done(let outcome):
            if case .mtu(let agreed) = outcome { adopt(agreed, into: &outputs) }
            if !work.isCancelled { outputs.append(.completed(id: work.id, outcome)) }
        case .failed(let error):
            if !work.isCancelled { outputs.append(.failed(id: work.id, error)) }
        }
    }

    private mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let opcode = bytes.first else { return drop("a PDU without an opcode", into: &outputs) }
        guard ATTOpcode.recipient(of: opcode) == .client else { return refuse(opcode, into: &outputs) }
        guard bytes.count <= mtu, let pdu = try? ATTPDU(bytes) else {
            return distrust(opcode, "a malformed PDU of \(bytes.count) bytes", into: &outputs)
        }
        switch pdu {
        // Of up to MTU − 3 bytes, which may be two more than an attribute has: its sender would not learn of a loss.
        case .handleValueNotification(let handle, let value):
            outputs.append(.value(value, handle: handle, isIndication: false))
        case .handleValueIndication(let handle, let value):
            outputs.append(.send(ATTPDU.handleValueConfirmation.bytes))
            guard value.count <= ATTPDU.maximumValueBytes else {
                return drop("an indication of \(value.count) bytes", into: &outputs)
            }
            outputs.append(.value(value, handle: handle, isIndication: true))
        case .unknown: drop("\(pdu)", into: &outputs)
        case .errorResponse, .exchangeMTURequest, .exchangeMTUResponse, .findInformationRequest,
            .findInformationResponse, .findByTypeValueRequest, .findByTypeValueResponse, .readByTypeRequest,
            .readByTypeResponse, .readRequest, .readResponse, .readBlobRequest, .readBlobResponse,
            .readMultipleRequest, .readMultipleResponse, .readByGroupTypeRequest, .readByGroupTypeResponse,
            .writeRequest, .writeResponse, .writeCommand, .signedWriteCommand, .prepareWriteRequest,
            .prepareWriteResponse, .executeWriteRequest, .executeWriteResponse, .handleValueConfirmation:
            receiveAnswer(pdu, at: now, into: &outputs)
        }
    }

    private mutating func receiveAnswer(_ pdu: ATTPDU, at now: MonotonicInstant, into outputs: inout [Output]) {
        if let opcode = work?.opcode, !pdu.answers(opcode) {
            let reason = "\(pdu) in answer to the request 0x\(String(opcode, radix: 16))"
            return fail(GATTError(.badAnswer, reason), into: &outputs)
        }
        // Taken out, not copied: a copy would count the references to all that was gathered.
        guard var work = work.take() else { return drop("an answer to nothing: \(pdu)", into: &outputs) }
        nextDeadline = nil
        work.mtu = mtu
        var step = work.next(after: pdu)
        if case .request = step, work.requests >= configuration.maximumRequests {
            step = .failed(.badAnswer("no end after \(work.requests) requests"))
        } else if case .request = step, work.isCancelled {
            step = work.stopEarly(step)
        }
        advance(work, step, at: now, into: &outputs)
        startNext(at: now, into: &outputs)
    }

    private func drop(_ reason: String, into outputs: inout [Output]) {
        outputs.append(.dropped(GATTError(.unexpectedPDU, reason)))
    }

    /// Answers a request that reached a device without a GATT server, so that the peer does not wait for its time-out.
    private func refuse(_ opcode: UInt8, into outputs: inout [Output]) {
        if ATTOpcode.isRequest(opcode) {
            let answer = ATTPDU.errorResponse(opcode: opcode, handle: 0, error: .requestNotSupported)
            outputs.append(.send(answer.bytes))
        }
        drop("opcode 0x\(String(opcode, radix: 16)) is for a server", into: &outputs)
    }

    /// Handles an unreadable PDU: ignores it, or ends the link when it may be the answer to a request.
    ///
    /// The link ends because it is no longer known which answer belongs to which request.
    private mutating func distrust(_ opcode: UInt8, _ reason: String, into outputs: inout [Output]) {
        let isPush =
            opcode == ATTOpcode.handleValueNotification.rawValue || opcode == ATTOpcode.handleValueIndication.rawValue
        guard work != nil, !isPush, ATTOpcode(rawValue: opcode) != nil else { return drop(reason, into: &outputs) }
        fail(GATTError(.badAnswer, reason), into: &outputs)
    }
}

extension GATTError {
    static func badAnswer(_ reason: String) -> GATTError { GATTError(.badAnswer, reason) }
}

extension ATTPDU {
    /// Returns true when this PDU can be the answer to the request with `opcode`.
    ///
    /// The answer has the next opcode, or is an Error Response that names the request's.
    fileprivate func answers(_ opcode: UInt8) -> Bool {
        if case .errorResponse(let failed, _, _) = self { return failed == opcode }
        return self.opcode == opcode + 1
    }
}
