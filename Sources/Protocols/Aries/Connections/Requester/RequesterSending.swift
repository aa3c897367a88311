import DIDComm
import Determinism

/// Starting, sending again, giving up.
extension HandshakeRequester {
    mutating func start(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        guard case .ready = phase else { return }
        giveUpAt = now + configuration.policy.giveUpAfter
        send(Sending(), at: now, into: &outputs)
    }

    /// After a restart what is owed is sent again, with the same `@id`.
    ///
    /// A request that was handed over is owed only when we have no address: its answer was to come on a connection that has
    /// ended.
    mutating func resume(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        giveUpAt = now + configuration.policy.giveUpAfter
        switch phase {
        case .ready: start(at: now, into: &outputs)
        case .requested(let sending):
            guard !sending.isHandedOver || configuration.address.endpoint.transport == .queue else {
                resendAt = repeatAt(sending, now)
                return
            }
            repeatRequest(sending, at: now, into: &outputs)
        case .resolving(let response, let sender): accept(response, by: sender, at: now, into: &outputs)
        case .completed(let connection, let response, false): confirm(response, on: connection, into: &outputs)
        case .completed, .abandoned: break
        }
    }

    /// Goes on because the user wants it: a request that is under way is sent again, and a wait that has ended begins anew.
    mutating func startAgain(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .ready: start(at: now, into: &outputs)
        case .requested(let sending):
            // What was sent a moment ago, as after a restart, is under way.
            let isRecent = sentAt.map { now < $0 + configuration.policy.retryAfter } ?? false
            guard !isSending, !sending.isHandedOver || !isRecent else { return }
            repeatRequest(sending, at: now, into: &outputs)
        case .abandoned(let error) where error.code == .timeout:
            giveUpAt = now + configuration.policy.giveUpAfter
            repeatRequest(Sending(), at: now, into: &outputs)
        case .resolving, .completed, .abandoned: break
        }
    }

    private mutating func repeatRequest(
        _ before: Sending, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        let next = Sending(
            repeats: before.repeats, isRepeated: true, failure: before.failure, refusal: before.refusal)
        send(next, at: now, into: &outputs)
    }

    /// Stores how often the request is sent, and sends it.
    private mutating func send(
        _ sending: Sending, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        phase = .requested(sending)
        outputs.append(.persist)
        let waits = configuration.policy.resendAfter
        resendAt = sending.resends < waits.count ? now + waits[sending.resends] : nil
        (sentAt, isSending, isUndeliverable) = (now, true, false)
        outputs.append(
            .send(
                OutgoingMessage(
                    request, from: configuration.address, by: configuration.address.key, to: configuration.inviter)))
    }

    mutating func timeReached(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        if case .completed(let connection, let response, false) = phase, let resendAt, now >= resendAt {
            self.resendAt = nil
            return confirm(response, on: connection, into: &outputs)
        }
        if let giveUpAt, now >= giveUpAt { return abandon(timeout, into: &outputs) }
        guard case .requested(let sending) = phase, let resendAt, now >= resendAt else { return }
        resend(after: sending, at: now, into: &outputs)
    }

    /// Why nothing came of it in time, with what is known.
    private var timeout: AriesError {
        guard case .requested(let sending) = phase else {
            return AriesError(.timeout, "The inviter did not answer in time.")
        }
        if let failure = sending.failure {
            return AriesError(
                .timeout, "The inviter could not be reached in time: \(failure.reason)", wireCode: failure.code)
        }
        if let refusal = sending.refusal {
            return AriesError(.timeout, "The inviter did not answer in time but for a refusal: \(refusal)")
        }
        return AriesError(.timeout, "The inviter did not answer in time.")
    }

    /// When a request that was handed over is sent again: not at all, unless a mediator of the inviter took it.
    private func repeatAt(_ sending: Sending, _ now: MonotonicInstant) -> MonotonicInstant? {
        let waits = configuration.policy.repeatAfter
        guard !configuration.inviter.routingKeys.isEmpty, sending.repeats < waits.count else { return nil }
        return now + waits[sending.repeats]
    }

    /// Sends the request once more, if that is left to do.
    private mutating func resend(
        after sending: Sending, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        if sending.isHandedOver {
            let next = Sending(repeats: sending.repeats + 1, isRepeated: true, refusal: sending.refusal)
            return send(next, at: now, into: &outputs)
        }
        guard sending.resends < configuration.policy.resendAfter.count else {
            resendAt = nil
            return
        }
        var next = sending
        next.resends += 1
        next.isRepeated = true
        send(next, at: now, into: &outputs)
    }

    mutating func sent(_ id: String, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .requested(var sending) where id == ids[0]:
            isSending = false
            (sending.isHandedOver, sending.failure) = (true, nil)
            phase = .requested(sending)
            resendAt = repeatAt(sending, now)
            outputs.append(.persist)
        case .completed(let connection, let response, false) where id == ids[1]:
            phase = .completed(connection, response: response, isConfirmed: true)
            resendAt = nil
            outputs.append(.persist)
        case .ready, .requested, .resolving, .completed, .abandoned: break
        }
    }

    mutating func sendFailed(
        _ id: String, _ failure: DeliveryFailure?, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        let retryAt = now + configuration.policy.retryAfter
        switch phase {
        case .requested(let sending) where id == ids[0]:
            isSending = false
            requestFailed(sending, failure, retryAt: retryAt, into: &outputs)
        case .completed(_, _, isConfirmed: false) where id == ids[1]:
            failedConfirmations += 1
            resendAt = failedConfirmations <= HandshakePolicy.maximumResends ? retryAt : nil
        case .ready, .requested, .resolving, .completed, .abandoned: break
        }
    }

    private mutating func requestFailed(
        _ sending: Sending, _ failure: DeliveryFailure?, retryAt: MonotonicInstant,
        into outputs: inout [HandshakeOutput]
    ) {
        var sending = sending
        if let failure { sending.failure = failure }
        if failure != nil {
            phase = .requested(sending)
            outputs.append(.persist)
        }
        let isOver = sending.resends >= configuration.policy.resendAfter.count
        guard isOver || failure?.isPermanent == true else {
            resendAt = min(resendAt ?? retryAt, retryAt)
            return
        }
        resendAt = nil
        guard let failure else { return }
        isUndeliverable = true
        outputs.append(.undeliverable(failure))
    }

    /// Sends what confirms the response, on the connection that it completed.
    mutating func confirm(_ response: Message, on connection: Connection, into outputs: inout [HandshakeOutput]) {
        let message =
            configuration.handshake.isCompatible(with: .connections10)
            ? ConnectionsProtocol.confirmation(id: ids[1], of: response)
            : DIDExchangeProtocol.complete(
                configuration.handshake, id: ids[1], threadID: threadID, parentID: configuration.invitation.id)
        do throws(AriesError) {
            outputs.append(.send(try connection.outgoing(message)))
        } catch {
            outputs.append(.ignored(error))
        }
    }

    /// Gives up, unless it is over already.
    mutating func abandon(_ error: AriesError, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .completed, .abandoned: return
        case .ready, .requested, .resolving: break
        }
        phase = .abandoned(error)
        (resendAt, giveUpAt, resolution) = (nil, nil, nil)
        outputs.append(.persist)
        outputs.append(.abandoned(error))
    }
}
