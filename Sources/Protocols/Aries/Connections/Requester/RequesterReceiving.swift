public import DIDComm
import Determinism

/// Judging what comes in.
extension HandshakeRequester {
    private var inviterKey: Verkey { configuration.inviter.recipientKeys[0] }

    mutating func receive(_ received: ReceivedMessage, at now: MonotonicInstant, into outputs: inout [HandshakeOutput])
    {
        switch phase {
        case .requested:
            do throws(HandshakeFault) {
                try receiveAnswer(received, at: now, into: &outputs)
            } catch {
                follow(error, into: &outputs)
            }
        case .completed(let connection, let response, _):
            repeatConfirmation(of: received, response, connection, into: &outputs)
        case .ready, .resolving, .abandoned: outputs.append(.ignored(.unexpected(received.message)))
        }
    }

    /// A report of a problem by the key of the invitation, or a response by that key or one that it vouches for.
    private mutating func receiveAnswer(
        _ received: ReceivedMessage, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) throws(HandshakeFault) {
        let sender = try HandshakeFault.guarding { () throws(AriesError) in try checkedSender(of: received) }
        if sender == inviterKey, let report = ProblemReport(received.message) {
            return problem(report, at: now, into: &outputs)
        }
        guard received.message.type.isSame(as: MessageType(configuration.handshake, "response")) else {
            throw .outsider(sender == inviterKey ? .unexpected(received.message) : .wrongSender(received.message))
        }
        let party: HandshakeParty
        do throws(HandshakeFault) {
            party = try read(received)
        } catch {
            throw sender == inviterKey ? error : .outsider(error.error)
        }
        guard sender == inviterKey || party.isProven else { throw .outsider(.wrongSender(received.message)) }
        resolution = party.resolution
        if case .requested(let sending) = phase { sendingBefore = sending }
        phase = .resolving(response: received.message, sender: sender)
        proceed(at: now, into: &outputs)
    }

    /// One sender alone, to our key, in our thread.
    private func checkedSender(of received: ReceivedMessage) throws(AriesError) -> Verkey {
        let sender = try received.exclusiveSender()
        try received.checkRecipient(configuration.address.key)
        try received.checkThread(threadID)
        return sender
    }

    private func read(_ received: ReceivedMessage) throws(HandshakeFault) -> HandshakeParty {
        configuration.handshake.isCompatible(with: .connections10)
            ? try ConnectionsProtocol.readResponse(received, signedBy: inviterKey)
            : try DIDExchangeProtocol.readResponse(
                received.message, signedBy: inviterKey, invitation: configuration.invitation)
    }

    private mutating func problem(
        _ report: ProblemReport, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        let error = AriesError.rejected(report)
        if report.isWarning { return outputs.append(.ignored(error)) }
        if report.code == "request_not_accepted", case .requested(var sending) = phase, sending.isRepeated {
            // It may be of the inviter that has taken the first one.
            sending.refusal = report.explanation ?? report.code
            phase = .requested(sending)
            outputs.append(.persist)
            return outputs.append(.ignored(error))
        }
        if report.code == "request_processing_error", case .requested(let sending) = phase,
            sending.resends < configuration.policy.resendAfter.count
        {
            outputs.append(.ignored(error))
            let retryAt = now + configuration.policy.retryAfter
            resendAt = min(resendAt ?? retryAt, retryAt)
            return
        }
        abandon(error, into: &outputs)
    }

    /// Passes over what an outsider may have done; what the inviter did ends the handshake, and it is told.
    private mutating func follow(_ fault: HandshakeFault, into outputs: inout [HandshakeOutput]) {
        guard fault.isAuthentic else { return outputs.append(.ignored(fault.error)) }
        abandon(fault.error, into: &outputs)
        let report = ProblemReport(
            code: "response_processing_error", explanation: fault.error.reason, threadID: threadID)
        let message = report.message(MessageType(configuration.handshake, "problem_report"), id: ids[2])
        outputs.append(
            .send(
                OutgoingMessage(
                    message, from: configuration.address, by: configuration.address.key, to: configuration.inviter)))
    }

    // Resolving and completing.

    /// Takes up a response that was checked before a restart.
    mutating func accept(
        _ response: Message, by sender: Verkey, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        phase = .requested(Sending(isRepeated: true, isHandedOver: true))
        let received = ReceivedMessage(
            response, sender: .authenticated(sender, isExclusive: true), recipient: configuration.address.key,
            arrival: WallTime(millisecondsSinceEpoch: 0))
        receive(received, at: now, into: &outputs)
    }

    private mutating func proceed(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        guard case .resolving(let response, let sender) = phase, let resolution else { return }
        do throws(DIDCommError) {
            switch try resolution.progress() {
            case .needs(let did):
                resendAt = nil
                outputs.append(.persist)
                outputs.append(.resolve(did))
            case .resolved(let document):
                guard sender == inviterKey || document.owns(sender) else {
                    return wait(.wrongSender(response), at: now, into: &outputs)
                }
                _ = try document.service()
                complete(response, document, into: &outputs)
            }
        } catch {
            let reason = "The inviter's document cannot be used: \(error)."
            let fault = AriesError(.responseUnusable, reason, wireCode: error.code.rawValue)
            guard sender == inviterKey else { return wait(fault, at: now, into: &outputs) }
            follow(.authentic(fault), into: &outputs)
        }
    }

    /// Passes over a response whose sender turned out to be nobody, and goes on waiting.
    private mutating func wait(
        _ error: AriesError, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        phase = .requested(sendingBefore)
        resolution = nil
        outputs.append(.persist)
        outputs.append(.ignored(error))
    }

    private mutating func complete(
        _ response: Message, _ document: PeerDocument, into outputs: inout [HandshakeOutput]
    ) {
        let connection = Connection(
            id: configuration.connectionID, role: .invitee, handshake: configuration.handshake, threadID: threadID,
            invitationID: configuration.invitation.id, label: configuration.invitation.label, ourDID: did,
            ours: configuration.address, theirs: document)
        phase = .completed(connection, response: response, isConfirmed: false)
        (resolution, resendAt, giveUpAt) = (nil, nil, nil)
        outputs.append(.persist)
        confirm(response, on: connection, into: &outputs)
        outputs.append(.completed(connection))
    }

    mutating func resolved(
        _ document: DIDDocument, _ did: DID, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        guard case .resolving = phase else { return }
        do throws(DIDCommError) {
            try resolution?.provide(document, for: did)
        } catch {
            resolution?.fail(did, error)
        }
        proceed(at: now, into: &outputs)
    }

    mutating func unresolved(
        _ did: DID, _ error: DIDCommError, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        guard case .resolving = phase else { return }
        resolution?.fail(did, error)
        proceed(at: now, into: &outputs)
    }

    /// The same response again means that our confirmation was lost; nothing else changes, whatever is in it.
    private mutating func repeatConfirmation(
        of received: ReceivedMessage, _ response: Message, _ connection: Connection,
        into outputs: inout [HandshakeOutput]
    ) {
        do throws(AriesError) {
            let sender = try checkedSender(of: received)
            guard sender == inviterKey || connection.theirs.owns(sender) else { throw .wrongSender(received.message) }
            guard received.message.type == response.type else { throw .unexpected(received.message) }
            confirm(response, on: connection, into: &outputs)
        } catch {
            outputs.append(.ignored(error))
        }
    }
}

extension AriesError {
    static func unexpected(_ message: Message) -> AriesError {
        AriesError(.unexpected, "A message of \(message.type) came out of turn.")
    }

    static func wrongSender(_ message: Message) -> AriesError {
        AriesError(.wrongSender, "A message of \(message.type) came from a key of somebody else.")
    }

    /// What a report of the other side means for whoever waits; its code is the wire code, untrusted text.
    public static func rejected(_ report: ProblemReport) -> AriesError {
        let text = report.explanation.map { ": \($0)" } ?? "."
        return AriesError(.rejected, "The other side answered with a problem\(text)", wireCode: report.code)
    }
}
