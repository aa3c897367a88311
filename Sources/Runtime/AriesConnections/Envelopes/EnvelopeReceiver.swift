import Aries
import DIDComm
import Determinism
import Vault

/// Decrypts envelopes and dispatches the messages in them.
final class EnvelopeReceiver {
    private let context: AgentContext
    private let opener: EnvelopeOpener
    private let handlers: MessageHandlers
    private let exchange: MessagingServices
    private let mediator: MediatorDriver

    init(
        _ context: AgentContext, opener: EnvelopeOpener, handlers: MessageHandlers, exchange: MessagingServices,
        mediator: MediatorDriver
    ) {
        self.context = context
        self.opener = opener
        self.handlers = handlers
        self.exchange = exchange
        self.mediator = mediator
    }

    /// Takes an envelope; an unusable one is ignored.
    ///
    /// - Returns: whether answers go back on `path` soon.
    func take(_ envelope: [UInt8], _ path: (any ReturnRoute)?) async throws -> Bool {
        do {
            return try await process(envelope, path).takesAnswers
        } catch let error as DIDCommError {
            exchange.observers.passedOver(error, on: nil)
        } catch let error as AriesError {
            exchange.observers.passedOver(error, on: nil)
        }
        return false
    }

    /// Decrypts an envelope and processes the message in it.
    ///
    /// - Returns: whether answers go back on `path`, and the owner of the key that opened it.
    func process(
        _ envelope: [UInt8], _ path: (any ReturnRoute)?
    ) async throws -> (takesAnswers: Bool, owner: KeyRecord.Owner) {
        let (received, owner) = try await opener.open(envelope)
        let path = received.message.returnRoute == "all" ? path : nil
        switch owner {
        case .connection(let id):
            let takesAnswers = try await handlers.handshakes.retryingConflicts(on: id) {
                try await take(received, on: id, path, envelope)
            }
            return (takesAnswers, owner)
        case .invitation(let id):
            let takesAnswers = try await handlers.handshakes.retryingConflicts(on: nil) {
                try await take(received, forInvitation: id, path)
            }
            return (takesAnswers, owner)
        case .inviter:
            let takesAnswers = try await handlers.handshakes.retryingConflicts(on: nil) {
                guard let key = received.recipient,
                    let record = try await handlers.invitations.target(of: received.message, for: key)
                else { throw AriesError(.invitationUnknown, "A request names no invitation from here with its key.") }
                return try await take(received, forInvitation: record.id, path)
            }
            return (takesAnswers, owner)
        case .spare: throw AriesError(.unexpected, "A message came to a key that was never published.")
        }
    }

    // Messages to the key of a connection.

    private func take(
        _ received: ReceivedMessage, on id: String, _ path: (any ReturnRoute)?, _ envelope: [UInt8]
    ) async throws -> Bool {
        guard let record = try await handlers.handshakes.record(id) else { return false }
        guard let connection = record.connection else { return try await advance(record, by: received, path) }
        if mediator.connection == record.id, let use = mediator.current, use.concerns(received.message) {
            try await mediator.feed(.received(received))
            if let thread = use.foreignPickup(received.message) {
                try await mediator.answers.noteTaken(thread, on: record.id)
            }
            return false
        }
        if try await keepForAnother(received, envelope, on: connection) { return false }
        guard !isOfHandshake(received.message) else {
            try await handlers.handshakes.step(id, .received(received))
            return false
        }
        if received.message.type.protocol.isCompatible(with: .outOfBand11) {
            let record = try await handlers.messages.followNewKey(of: received, on: record)
            return try await handlers.reuse.take(received, on: record, path) && path != nil
        }
        return try await handlers.messages.take(received, on: record, path)
    }

    /// Keeps a message of mediation that this process does not wait for, if another one on the store may.
    ///
    /// - Returns: false for a message of another protocol.
    /// - Throws: `aries.message.unexpected` for one that no process can have asked for.
    private func keepForAnother(
        _ received: ReceivedMessage, _ envelope: [UInt8], on connection: Connection
    ) async throws -> Bool {
        let message = received.message
        let isOfMediation = message.isOfMediation
        guard isOfMediation || ProblemReport(message) != nil else { return false }
        try connection.check(received)
        guard try await mediator.answers.mayAnswerAnother(message, on: connection.id) else {
            guard isOfMediation else { return false }
            throw AriesError(.unexpected, "A message of \(message.type) came, and nothing here asked for it.")
        }
        try await mediator.answers.keep(envelope, on: connection.id)
        return true
    }

    /// Gives a message on a connection that is not complete to its handshake first.
    private func advance(
        _ record: ConnectionRecord, by received: ReceivedMessage, _ path: (any ReturnRoute)?
    ) async throws -> Bool {
        try await handlers.handshakes.step(record.id, .received(received))
        guard let record = try await handlers.handshakes.record(record.id), record.connection != nil else {
            return false
        }
        // The confirming message may be one to be answered, such as a ping.
        guard !isOfHandshake(received.message) else { return false }
        return try await handlers.messages.take(received, on: record, path)
    }

    private func isOfHandshake(_ message: Message) -> Bool {
        [MessageProtocol.connections10, .didExchange11].contains(where: message.type.protocol.isCompatible)
    }

    // Messages to the key of an invitation.

    private func take(
        _ received: ReceivedMessage, forInvitation id: String, _ path: (any ReturnRoute)?
    ) async throws -> Bool {
        if let known = try await handlers.handshakes.connection(ofThread: received.message.threadID, invitation: id) {
            exchange.delivery.setReturnPath(path, on: known)
            try await handlers.handshakes.step(known, .received(received))
            return path != nil
        }
        guard IssuedInvitation.isRequest(received.message) else {
            throw AriesError(.unexpected, "A message of \(received.message.type) came to the key of an invitation.")
        }
        guard let stored = try await context.store.record(id, in: AgentCategories.invitations) else { return false }
        return try await answer(received, InvitationRecord(stored), path)
    }

    private func answer(
        _ received: ReceivedMessage, _ invitation: InvitationRecord, _ path: (any ReturnRoute)?
    ) async throws -> Bool {
        var invitation = invitation
        do {
            try handlers.handshakes.checkRoom()
            _ = try invitation.issued.admit(received)
            try await handlers.handshakes.respond(to: received, invitation, path)
        } catch let error as AriesError {
            exchange.observers.passedOver(error, on: nil)
            var random = context.random
            let refusal = HandshakeResponder.refusal(
                of: received, because: error, address: invitation.issued.address, random: &random)
            guard let refusal else { return false }
            // There is no connection, so that the refusal has a queue of its own.
            let queue = "refusal " + context.makeID()
            exchange.delivery.setReturnPath(path, on: queue)
            exchange.delivery.append(.once(refusal), to: queue)
        }
        return path != nil
    }
}
