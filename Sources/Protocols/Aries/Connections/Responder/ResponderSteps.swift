import DIDComm
import Determinism

/// Resolving, responding, being confirmed, giving up.
extension HandshakeResponder {
    mutating func begin(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .ready:
            giveUpAt = now + configuration.policy.giveUpAfter
            isResolving = true
            outputs.append(.persist)
            proceed(at: now, into: &outputs)
        case .responded(let connection, let resends):
            giveUpAt = now + configuration.policy.giveUpAfter
            respond(on: connection, resends: resends, at: now, into: &outputs)
        case .completed, .abandoned: break
        }
    }

    mutating func proceed(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        guard case .ready = phase, isResolving else { return }
        do throws(DIDCommError) {
            switch try resolution.progress() {
            case .needs(let did): outputs.append(.resolve(did))
            case .resolved(let document):
                isResolving = false
                accept(document, at: now, into: &outputs)
            }
        } catch {
            let reason = "The document of the one who asked cannot be used: \(error)."
            abandon(AriesError(.requestUnusable, reason, wireCode: error.code.rawValue), into: &outputs)
        }
    }

    mutating func resolved(
        _ document: DIDDocument, _ did: DID, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        guard isResolving else { return }
        do throws(DIDCommError) {
            try resolution.provide(document, for: did)
        } catch {
            resolution.fail(did, error)
        }
        proceed(at: now, into: &outputs)
    }

    /// The keys of the sender and of the document's signatures have to be in it.
    private mutating func accept(
        _ document: PeerDocument, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        guard document.owns(sender), party.signers.map({ $0.contains(where: document.owns) }) ?? true else {
            return abandon(.wrongSender(request), into: &outputs)
        }
        let connection = Connection(
            id: configuration.connectionID, role: .inviter, handshake: response.type.protocol, threadID: threadID,
            invitationID: configuration.invitation.id, label: party.label, ourDID: ourDID, ours: configuration.address,
            theirs: document)
        do throws(DIDCommError) { _ = try document.service() } catch {
            return abandon(AriesError(.unreachable, "The one who asked cannot be answered: \(error)."), into: &outputs)
        }
        phase = .responded(connection, resends: 0)
        outputs.append(.persist)
        respond(on: connection, resends: 0, at: now, into: &outputs)
    }

    private mutating func respond(
        on connection: Connection, resends: Int, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        let waits = configuration.policy.resendAfter
        resendAt = resends < waits.count ? now + waits[resends] : nil
        sendResponse(on: connection, into: &outputs)
    }

    /// The response goes out under the key of the invitation, which is all that the other side knows of us.
    private func sendResponse(on connection: Connection, into outputs: inout [HandshakeOutput]) {
        guard let service = try? connection.theirs.service() else { return }
        outputs.append(
            .send(
                OutgoingMessage(response, from: configuration.address, by: configuration.invitationKey, to: service)))
    }

    mutating func timeReached(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        if let giveUpAt, now >= giveUpAt {
            return abandon(AriesError(.timeout, "The one who asked did not confirm in time."), into: &outputs)
        }
        guard case .responded(let connection, let resends) = phase, let resendAt, now >= resendAt else { return }
        phase = .responded(connection, resends: resends + 1)
        outputs.append(.persist)
        respond(on: connection, resends: resends + 1, at: now, into: &outputs)
    }

    mutating func sendFailed(_ id: String, at now: MonotonicInstant) {
        guard case .responded(_, let resends) = phase, id == response.id,
            resends < configuration.policy.resendAfter.count
        else { return }
        let retryAt = now + configuration.policy.retryAfter
        resendAt = min(resendAt ?? retryAt, retryAt)
    }

    mutating func receive(
        _ received: ReceivedMessage, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        do throws(AriesError) {
            switch phase {
            case .responded(let connection, _): try receive(received, on: connection, into: &outputs)
            case .completed(let connection): try repeatResponse(to: received, on: connection, into: &outputs)
            case .abandoned(let error, let connection) where error.code == .timeout:
                try takeUp(received, connection, error, at: now, into: &outputs)
            case .ready, .abandoned: throw .unexpected(received.message)
            }
        } catch {
            outputs.append(.ignored(error))
        }
    }

    private mutating func receive(
        _ received: ReceivedMessage, on connection: Connection, into outputs: inout [HandshakeOutput]
    ) throws(AriesError) {
        if received.message.type == request.type {
            return try repeatResponse(to: received, on: connection, into: &outputs)
        }
        try check(received, on: connection)
        if let report = ProblemReport(received.message), report.threadID == threadID, !report.isWarning {
            return abandon(.rejected(report), into: &outputs)
        }
        let isComplete = received.message.type.isSame(as: MessageType(.didExchange11, "complete"))
        guard isComplete || received.recipient == configuration.address.key else {
            throw .unexpected(received.message)
        }
        if isComplete { try received.checkThread(threadID) }
        phase = .completed(connection)
        (resendAt, giveUpAt) = (nil, nil)
        outputs.append(.persist)
        outputs.append(.completed(connection))
    }

    /// Goes on after no confirmation came in time, when the other side asks again or confirms; else nothing changes.
    private mutating func takeUp(
        _ received: ReceivedMessage, _ connection: Connection?, _ end: AriesError, at now: MonotonicInstant,
        into outputs: inout [HandshakeOutput]
    ) throws(AriesError) {
        if received.message.type == request.type {
            try checkRepeated(received)
            phase = .ready
            return begin(at: now, into: &outputs)
        }
        guard let connection else { throw .unexpected(received.message) }
        phase = .responded(connection, resends: configuration.policy.resendAfter.count)
        do throws(AriesError) {
            try receive(received, on: connection, into: &outputs)
        } catch {
            phase = .abandoned(end, connection)
            throw error
        }
    }

    /// A key of the other side, alone, to our new key, or to the key of the invitation.
    private func check(_ received: ReceivedMessage, on connection: Connection) throws(AriesError) {
        guard connection.theirs.owns(try received.exclusiveSender()) else { throw .wrongSender(received.message) }
        try received.checkRecipient(configuration.address.key, configuration.invitationKey)
    }

    /// The same request again means that our response was lost.
    private func repeatResponse(
        to received: ReceivedMessage, on connection: Connection, into outputs: inout [HandshakeOutput]
    ) throws(AriesError) {
        try checkRepeated(received)
        sendResponse(on: connection, into: &outputs)
    }

    private func checkRepeated(_ received: ReceivedMessage) throws(AriesError) {
        guard received.message.type == request.type else { throw .unexpected(received.message) }
        guard try received.exclusiveSender() == sender else { throw .wrongSender(received.message) }
        try received.checkRecipient(configuration.invitationKey)
        try received.checkThread(threadID)
    }

    mutating func abandon(_ error: AriesError, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .completed, .abandoned: return
        case .ready: phase = .abandoned(error, nil)
        case .responded(let connection, _): phase = .abandoned(error, connection)
        }
        (resendAt, giveUpAt, isResolving) = (nil, nil, false)
        outputs.append(.persist)
        outputs.append(.abandoned(error))
    }
}
