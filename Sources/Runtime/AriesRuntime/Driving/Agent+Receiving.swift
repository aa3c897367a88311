import Aries
import DIDComm
import Determinism
import Vault

/// Receiving.
extension Agent {
    /// Takes an envelope that somebody brought; returns when it was dealt with, and what follows from it is stored.
    ///
    /// Nothing tells the one who brought it what became of it: an outsider learns neither which keys are ours nor what
    /// was wrong.
    /// - Parameter path: the connection on which it came, if answers may go back there.
    /// - Returns: whether the sender asked for answers on that connection, and one may follow soon.
    /// - Throws: `agent.busy`, `agent.stopped` and errors of the store: it was not taken, and has to be brought again.
    @discardableResult
    public func receive(_ envelope: [UInt8], path: (any ReturnPath)? = nil) async throws -> Bool {
        try await perform { agent in try await agent.take(envelope, path) }
    }

    /// Takes an envelope that came back for something sent on a connection.
    func received(_ envelope: [UInt8], from connection: String) {
        enqueueArrived { agent in
            if agent.mediator?.connection == connection { return try await agent.takeArrived(envelope) }
            _ = try await agent.take(envelope, nil)
        }
    }

    private func take(_ envelope: [UInt8], _ path: (any ReturnPath)?) async throws -> Bool {
        do {
            return try await process(envelope, path).takesAnswers
        } catch let error as DIDCommError {
            tellPassedOver(error, on: nil)
        } catch let error as AriesError {
            tellPassedOver(error, on: nil)
        }
        return false
    }

    /// Opens an envelope and deals with the message in it.
    ///
    /// - Returns: whether answers go back on `path`, and whose key opened it.
    func process(
        _ envelope: [UInt8], _ path: (any ReturnPath)?
    ) async throws -> (takesAnswers: Bool, owner: KeyRecord.Owner) {
        let (received, owner) = try await open(envelope)
        let path = received.message.returnRoute == "all" ? path : nil
        switch owner {
        case .connection(let id):
            return (try await settlingConflicts(on: id) { try await $0.take(received, on: id, path) }, owner)
        case .invitation(let id):
            return (
                try await settlingConflicts(on: nil) { try await $0.take(received, forInvitation: id, path) }, owner
            )
        case .spare: throw AriesError(.unexpected, "A message came to a key that nobody was told.")
        }
    }

    /// Opens an envelope with whichever key of ours it is for.
    private func open(_ envelope: [UInt8]) async throws -> (ReceivedMessage, KeyRecord.Owner) {
        let opened: OpenedEnvelope
        do {
            opened = try unpack(envelope, with: nil)
        } catch let missing as UnknownKeys {
            var found: KeyRecord?
            for verkey in missing.verkeys where found == nil { found = try await keyRecord(verkey) }
            guard let found else {
                throw DIDCommError(.envelopeNotForUs, "none of the recipients of an envelope is a key of ours")
            }
            opened = try unpack(envelope, with: found.key)
        }
        var owned = try await keyRecord(opened.recipient)
        if owned?.owner == .spare {
            // Another process may have used it meanwhile.
            keys.forget(opened.recipient)
            owned = try await keyRecord(opened.recipient)
        }
        guard let record = owned else {
            throw DIDCommError(.envelopeNotForUs, "the key that opened an envelope is not ours any more")
        }
        let message = try Message(parsing: opened.plaintext)
        let sender: ReceivedMessage.Sender =
            switch opened {
            case .authenticated(let message):
                .authenticated(message.sender, isExclusive: message.isSenderExclusive)
            case .anonymous: .unknown
            }
        let received = ReceivedMessage(message, sender: sender, recipient: opened.recipient, arrival: wallTime())
        return (received, record.owner)
    }

    private struct UnknownKeys: Error {
        let verkeys: [Verkey]
    }

    /// - Parameter key: the one key to try; nil for all that are at hand.
    private func unpack(_ envelope: [UInt8], with key: AgentKey?) throws -> OpenedEnvelope {
        let candidates = Candidates(ring: keys, key: key)
        let result = candidates.unpack(envelope, by: &opener)
        switch result {
        case .success(let opened): return opened
        case .failure(let error):
            if key == nil, error.code == .envelopeNotForUs { throw UnknownKeys(verkeys: candidates.missing) }
            throw error
        }
    }
}

/// The keys that an envelope is tried with, and those that it asked for in vain.
private final class Candidates {
    private let ring: KeyRing
    private let key: AgentKey?
    private(set) var missing: [Verkey] = []

    init(ring: KeyRing, key: AgentKey?) {
        self.ring = ring
        self.key = key
    }

    func unpack(_ envelope: [UInt8], by codec: inout EnvelopeCodec) -> Result<OpenedEnvelope, DIDCommError> {
        do throws(DIDCommError) {
            return .success(try codec.unpack(envelope, ownKey: find))
        } catch {
            return .failure(error)
        }
    }

    private func find(_ verkey: Verkey) -> AgentKey? {
        if let key, key.verkey == verkey { return key }
        if let known = ring.peek(verkey) { return known.key }
        missing.append(verkey)
        return nil
    }
}

/// Messages to the key of a connection.
extension Agent {
    private func take(_ received: ReceivedMessage, on id: String, _ path: (any ReturnPath)?) async throws -> Bool {
        guard let record = try await connectionRecord(id) else { return false }
        guard record.connection != nil else { return try await advance(record, by: received, path) }
        if try await takeFromMediator(received, on: record) { return false }
        guard !isOfHandshake(received.message) else {
            try await step(id, .received(received))
            return false
        }
        if try await takeReuse(received, on: record, path) { return path != nil }
        return try await hear(received, on: record, path)
    }

    /// A message while the connection is being made: the handshake judges it first.
    private func advance(
        _ record: ConnectionRecord, by received: ReceivedMessage, _ path: (any ReturnPath)?
    ) async throws -> Bool {
        try await step(record.id, .received(received))
        guard let record = try await connectionRecord(record.id), record.connection != nil else { return false }
        // What confirmed the connection may be a message to be answered, such as a ping.
        guard !isOfHandshake(received.message) else { return false }
        return try await hear(received, on: record, path)
    }

    private func isOfHandshake(_ message: Message) -> Bool {
        [MessageProtocol.connections10, .didExchange11].contains(where: message.type.protocol.isCompatible)
    }
}

/// Messages to the key of an invitation.
extension Agent {
    private func take(
        _ received: ReceivedMessage, forInvitation id: String, _ path: (any ReturnPath)?
    ) async throws -> Bool {
        if let known = try await connection(ofThread: received.message.threadID, invitation: id) {
            if let path { paths[known] = path }
            try await step(known, .received(received))
            return path != nil
        }
        guard IssuedInvitation.isRequest(received.message) else {
            throw AriesError(.unexpected, "A message of \(received.message.type) came to the key of an invitation.")
        }
        guard let stored = try await store.record(id, in: AgentCategories.invitations) else { return false }
        return try await answer(received, InvitationRecord(stored), path)
    }

    /// The connection that a request to the invitation began.
    private func connection(ofThread thread: String, invitation: String) async throws -> String? {
        let found = try await store.records(
            in: AgentCategories.connections, tags: [ConnectionRecord.thread(thread)], limit: 16)
        for stored in found.records {
            let record = try await read(stored)
            if record.role == .inviter, record.invitation.id == invitation { return record.id }
        }
        return nil
    }

    private func answer(
        _ received: ReceivedMessage, _ invitation: InvitationRecord, _ path: (any ReturnPath)?
    ) async throws -> Bool {
        var invitation = invitation
        do {
            guard runs.count < configuration.maximumHandshakes else { throw tooManyHandshakes }
            _ = try invitation.issued.admit(received)
            try await respond(to: received, invitation, path)
        } catch let error as AriesError {
            tellPassedOver(error, on: nil)
            let refusal = HandshakeResponder.refusal(
                of: received, because: error, address: invitation.issued.address, random: &random)
            guard let refusal else { return false }
            let lane = "refusal " + Message.makeID(from: &random)
            if let path { paths[lane] = path }
            lanes.append(.once(refusal), to: lane)
            drive(lane)
        }
        return path != nil
    }

    private func respond(
        to received: ReceivedMessage, _ invitation: InvitationRecord, _ path: (any ReturnPath)?
    ) async throws {
        guard let invitationKey = try await keyRecord(invitation.issued.address.key)?.key else {
            throw AgentError(.keyMissing, "The key of an invitation is not in the store.")
        }
        let id = Message.makeID(from: &random)
        let (key, address) = try newKey(for: .connection(id))
        let configuration = HandshakeResponder.Configuration(
            connectionID: id, issued: invitation.issued, address: address,
            policy: policy(of: .inviter, begun: wallTime(), expires: nil))
        let responder = try HandshakeResponder(
            configuration, answering: received, key: invitationKey, random: &random)
        let record = ConnectionRecord(
            id: id, role: .inviter, invitation: invitation.issued.invitation, created: wallTime(), name: nil,
            handshake: .responder(responder))
        if let path { paths[id] = path }
        try await add(record, key, .start, using: invitation)
    }
}
