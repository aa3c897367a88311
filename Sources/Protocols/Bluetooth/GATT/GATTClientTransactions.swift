import Determinism

// Requests, answers, and what the server sends unasked.
extension GATTClient {
    /// What a procedure does next.
    enum Step {
        case request(ATTPDU)
        case done(Outcome)
        case failed(GATTError)
    }

    /// Follows up on `work` after its latest answer, or after its start.
    mutating func advance(
        _ work: consuming Work, _ step: Step, at now: MonotonicInstant, into outputs: inout [Output]
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

    mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let opcode = bytes.first else { return drop("a PDU without an opcode", into: &outputs) }
        guard ATTOpcode.recipient(of: opcode) == .client else { return refuse(opcode, into: &outputs) }
        guard bytes.count <= mtu, let pdu = try? ATTPDU(bytes) else {
            return distrust(opcode, "a malformed PDU of \(bytes.count) bytes", into: &outputs)
        }
        switch pdu {
        case .handleValueNotification(let handle, let value):
            outputs.append(.value(value, handle: handle, isIndication: false))
        case .handleValueIndication(let handle, let value):
            outputs.append(.send(ATTPDU.handleValueConfirmation.bytes))
            outputs.append(.value(value, handle: handle, isIndication: true))
        case .unknown: drop("\(pdu)", into: &outputs)
        default: receiveAnswer(pdu, at: now, into: &outputs)
        }
    }

    private mutating func receiveAnswer(_ pdu: ATTPDU, at now: MonotonicInstant, into outputs: inout [Output]) {
        if let opcode = work?.opcode, !pdu.answers(opcode) {
            let reason = "\(pdu) in answer to the request 0x\(String(opcode, radix: 16))"
            return fail(GATTError(.badAnswer, reason, origin: .peer, scope: .connection), into: &outputs)
        }
        // Taken out, not copied: a copy would count the references to all that was gathered.
        guard var work = work.take() else { return drop("an answer to nothing: \(pdu)", into: &outputs) }
        nextDeadline = nil
        var step = next(after: pdu, &work)
        if case .request = step, work.requests >= configuration.maximumRequests {
            step = .failed(.badAnswer("no end after \(work.requests) requests"))
        } else if case .request = step, work.isCancelled {
            step = stopEarly(step, &work)
        }
        advance(work, step, at: now, into: &outputs)
        startNext(at: now, into: &outputs)
    }

    /// Ends a cancelled procedure between two of its requests; what the server has queued is discarded first.
    private func stopEarly(_ step: Step, _ work: inout Work) -> Step {
        switch work.phase {
        case .preparing, .executing: abandon(&work, .badAnswer("cancelled"))
        case .abandoning: step
        case .exchangingMTU, .findingServices, .findingCharacteristics, .findingDescriptors, .reading, .writing:
            .done(.done)
        }
    }

    /// Has the server discard what it queued, and then ends with `error`.
    func abandon(_ work: inout Work, _ error: GATTError) -> Step {
        work.phase = .abandoning(error)
        return .request(.executeWriteRequest(commits: false))
    }

    private func drop(_ reason: String, into outputs: inout [Output]) {
        outputs.append(.dropped(GATTError(.unexpectedPDU, reason, origin: .peer)))
    }

    /// A request that reached a device without a server is answered, so that the peer need not wait for its time-out.
    private func refuse(_ opcode: UInt8, into outputs: inout [Output]) {
        if ATTOpcode.isRequest(opcode) {
            let answer = ATTPDU.errorResponse(opcode: opcode, handle: 0, error: .requestNotSupported)
            outputs.append(.send(answer.bytes))
        }
        drop("opcode 0x\(String(opcode, radix: 16)) is for a server", into: &outputs)
    }

    /// A PDU that cannot be read: ignored when nothing waits for it, else the end of the link, because nobody can tell
    /// any more which answer belongs to which request.
    private mutating func distrust(_ opcode: UInt8, _ reason: String, into outputs: inout [Output]) {
        let isPush =
            opcode == ATTOpcode.handleValueNotification.rawValue || opcode == ATTOpcode.handleValueIndication.rawValue
        guard work != nil, !isPush, ATTOpcode(rawValue: opcode) != nil else { return drop(reason, into: &outputs) }
        fail(GATTError(.badAnswer, reason, origin: .peer, scope: .connection), into: &outputs)
    }
}

extension GATTError {
    static func badAnswer(_ reason: String) -> GATTError { GATTError(.badAnswer, reason, origin: .peer) }
}

extension ATTPDU {
    /// Whether this is a possible answer to the request that began with `opcode`: the odd one after it, or an error
    /// that names it.
    fileprivate func answers(_ opcode: UInt8) -> Bool {
        if case .errorResponse(let failed, _, _) = self { return failed == opcode }
        return self.opcode == opcode + 1
    }
}
