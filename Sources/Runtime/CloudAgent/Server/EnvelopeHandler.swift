import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism

/// Decrypts envelopes and dispatches them: forwards go into the store, requests to the registration, messages of
/// clients to their sessions.
struct EnvelopeHandler: Sendable {
    /// The answer to the sender of an envelope.
    enum EnvelopeResponse: Hashable, Sendable {
        /// The envelope was accepted; a forward for a known recipient is stored.
        case taken
        /// The envelope was not accepted, and may be sent again.
        case later
        /// The envelope cannot be decrypted with a key of the mediator.
        case refused
    }

    let context: MediatorContext
    let storage: MonitoredStore
    let keyCache: KeyCache
    let registration: AccountRegistration
    let outbound: OutboundDelivery
    let messageClock: MessageClock

    /// Handles an envelope; returns when all its effects are done, or on a WebSocket when the next one may be read.
    func take(_ envelope: [UInt8], on client: MediatorClientConnection) async -> EnvelopeResponse {
        let verdict: EnvelopeResponse
        let arrival = context.clock.now()
        defer { context.counters.addHandling(context.clock.now() - arrival) }
        do {
            verdict = try await dispatch(envelope, client)
        } catch let error as CloudAgentError {
            storage.health.failed(error)
            verdict = .later
        } catch {
            // The sender does not learn the fault.
            context.counters.add(to: \.ignored)
            verdict = .taken
        }
        switch verdict {
        case .taken:
            context.counters.add(to: \.taken)
            context.counters.add(envelope.count, to: \.takenBytes)
        case .later: context.counters.add(to: \.deferred)
        case .refused: context.counters.add(to: \.refused)
        }
        return verdict
    }

    private func dispatch(_ envelope: [UInt8], _ client: MediatorClientConnection) async throws -> EnvelopeResponse {
        guard let (opened, key) = try await keyCache.open(envelope) else { return .refused }
        switch (key.kind, key.account) {
        case (.routing, _): return try await forward(opened)
        case (.invitation, _):
            let received = try received(opened)
            let answers = try await registration.takeInvited(received, from: client.source)
            await send(answers, to: received, client)
        case (.connection, let account?):
            let received = try received(opened)
            try await take(received, of: account, client)
        case (.connection, nil), (.name, _): return .refused
        }
        return .taken
    }

    private func received(_ opened: OpenedEnvelope) throws(DIDCommError) -> ReceivedMessage {
        let message = try Message(parsing: opened.plaintext)
        let sender: ReceivedMessage.Sender =
            switch opened {
            case .authenticated(let message): .authenticated(message.sender, isExclusive: message.isSenderExclusive)
            case .anonymous: .unknown
            }
        return ReceivedMessage(message, sender: sender, recipient: opened.recipient, arrival: context.wallTime())
    }

    // Forwards.

    private func forward(_ opened: OpenedEnvelope) async throws(CloudAgentError) -> EnvelopeResponse {
        var intake = ForwardHandler()
        var outputs = intake.handle(.opened(opened))
        while let output = outputs.first {
            switch output {
            case .answer(.taken): return .taken
            case .answer(.later): return .later
            case .answer(.refused): return .refused
            case .store(let item): outputs = intake.handle(.stored(await store(item)))
            case .unwrap(let layer): outputs = intake.handle(try await look(into: layer))
            }
        }
        return .refused
    }

    private func look(into layer: [UInt8]) async throws(CloudAgentError) -> ForwardHandler.Input {
        guard let (opened, key) = try await keyCache.open(layer), key.kind == .routing else { return .notOpened }
        return .opened(opened)
    }

    private func store(_ item: ForwardHandler.ForwardedEnvelope) async -> ForwardHandler.ForwardStoreResult {
        var random = SystemRandom()
        let tag = UInt32(bigEndianBytes: random.bytes(count: 4))
        let mail = NewMail(
            routing: context.secret.hash(item.routingKey), recipient: context.secret.hash(item.recipient),
            arrival: messageClock.stamp(), tag: tag, envelope: item.envelope)
        do throws(CloudAgentError) {
            return try await storage.store.accept(mail)
        } catch {
            storage.health.failed(error)
            return .failed
        }
    }

    // Clients.

    private func take(_ received: ReceivedMessage, of account: Int64, _ client: MediatorClientConnection) async throws {
        if let channel = await client.channel(of: account) { return await channel.receive(received) }
        switch try await registration.take(received, of: account) {
        case .answers(let answers): await send(answers, to: received, client)
        case .connected(let entry, let body, let connection):
            // Only the account's own client opens a session.
            try connection.check(received)
            guard let channel = await client.open(entry, body, connection) else { return }
            await channel.receive(received)
        case nil: break
        }
    }

    private func send(_ answers: [OutgoingMessage], to received: ReceivedMessage, _ client: MediatorClientConnection)
        async
    {
        var codec = EnvelopeCodec(limits: MediatorContext.outgoingLimits)
        var random = SystemRandom()
        var hasAnswered = false
        for answer in answers {
            let endpoint = answer.service.endpoint
            let way = ReplyRoute.deciding(
                for: received.message, on: client.reply.channel, answered: hasAnswered, endpoint: endpoint.transport)
            let key = try? await keyCache.find(answer.sender)?.key
            // No closure captures the codec here: one after a suspension crashed under the thread sanitizer.
            guard way != .nowhere, let key, let envelope = answer.packed(with: key, by: &codec, &random) else {
                continue
            }
            if way == .back {
                hasAnswered = true
                _ = await client.reply.send(envelope)
            } else {
                let (outbound, counters) = (outbound, context.counters)
                Task {
                    if await !outbound.send(envelope, to: endpoint) { counters.add(to: \.undelivered) }
                }
            }
        }
    }
}
