import DIDComm
import Determinism

/// Starting, sending again, giving up.
extension HandshakeRequester {
    mutating func start(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        guard case .ready = phase else { return }
        giveUpAt = now + configuration.policy.giveUpAfter
        phase = .requested(resends: 0)
        outputs.append(.persist)
        sendRequest(resends: 0, at: now, into: &outputs)
    }

    /// After a restart nothing is known of what was sent, so what is owed is sent again, with the same `@id`.
    mutating func resume(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        giveUpAt = now + configuration.policy.giveUpAfter
        switch phase {
        case .ready: start(at: now, into: &outputs)
        case .requested(let resends): sendRequest(resends: resends, at: now, into: &outputs)
        case .resolving(let response, let sender): accept(response, by: sender, at: now, into: &outputs)
        case .completed(let connection, let response, false): confirm(response, on: connection, into: &outputs)
        case .completed, .abandoned: break
        }
    }

    private mutating func sendRequest(resends: Int, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        let waits = configuration.policy.resendAfter
        resendAt = resends < waits.count ? now + waits[resends] : nil
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
        if let giveUpAt, now >= giveUpAt {
            return abandon(AriesError(.timeout, "The inviter did not answer in time."), into: &outputs)
        }
        guard case .requested(let resends) = phase, let resendAt, now >= resendAt else { return }
        resend(after: resends, at: now, into: &outputs)
    }

    /// Sends the request once more, if that is left to do.
    private mutating func resend(
        after resends: Int, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        guard resends < configuration.policy.resendAfter.count else {
            resendAt = nil
            return
        }
        phase = .requested(resends: resends + 1)
        outputs.append(.persist)
        sendRequest(resends: resends + 1, at: now, into: &outputs)
    }

    mutating func sent(_ id: String, into outputs: inout [HandshakeOutput]) {
        guard id == ids[1], case .completed(let connection, let response, false) = phase else { return }
        phase = .completed(connection, response: response, isConfirmed: true)
        resendAt = nil
        outputs.append(.persist)
    }

    mutating func sendFailed(_ id: String, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        let retryAt = now + configuration.policy.retryAfter
        switch phase {
        case .requested(let resends) where id == ids[0]:
            guard resends < configuration.policy.resendAfter.count else { return }
            resendAt = min(resendAt ?? retryAt, retryAt)
        case .completed(_, _, isConfirmed: false) where id == ids[1]:
            failedConfirmations += 1
            resendAt = failedConfirmations <= HandshakePolicy.maximumResends ? retryAt : nil
        case .ready, .requested, .resolving, .completed, .abandoned: break
        }
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
