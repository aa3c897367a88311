import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism
import WebTransport

/// Opens accounts for clients that follow an invitation, and advances their handshakes.
struct AccountRegistration: Sendable {
    let context: MediatorContext
    let store: any MediatorStore
    let keyCache: KeyCache
    let invited: AccountInvitations
    let pool: KeyPool
    let unused: UnusedAccountCleanup
    let removal: AccountRemoval
    let messageClock: MessageClock
    /// The limit on the accounts that each source may open.
    let registrationLimits: Lock<SourceRateLimiter>

    private var secret: MediatorSecret { context.secret }

    /// The outcome of a message to the key of a connection.
    enum RegistrationResult: Sendable {
        /// Send these back, or to the address of the other side.
        case answers([OutgoingMessage])
        /// The envelope is a message on a connection that is complete.
        case connected(AccountEntry, AccountRecord, Connection)
    }

    /// Handles a message to an invitation's key: opens an account for a request, or advances a handshake under way.
    ///
    /// - Throws: `aries.*` for what is no request that can be followed, and what the store throws.
    func takeInvited(
        _ received: ReceivedMessage, from source: SocketAddress?
    ) async throws -> [OutgoingMessage] {
        let sender = try received.exclusiveSender()
        let key = connectionKey(sender, received.message.threadID)
        if let known = try await keyCache.find(key.verkey), let account = known.account {
            return try await advance(account, by: received)
        }
        guard IssuedInvitation.isRequest(received.message) else {
            throw AriesError(.unexpected, "A message of another kind came to the key of an invitation.")
        }
        do {
            return try await open(received, key, from: source)
        } catch let error as CloudAgentError where error.code == .keyTaken {
            // Another instance processed the same request first, or the account that it opened is closed.
            guard let account = try await keyCache.find(key.verkey)?.account else {
                return refusal(received, Self.closed)
            }
            return try await advance(account, by: received)
        }
    }

    /// The key of the connection that a request begins: the same for the same request at every instance.
    private func connectionKey(_ sender: Verkey, _ thread: String) -> AgentKey {
        secret.key("connection", [sender.bytes, Array(thread.utf8)])
    }

    private func open(
        _ received: ReceivedMessage, _ key: AgentKey, from source: SocketAddress?
    ) async throws -> [OutgoingMessage] {
        do {
            do {
                return try await admit(received, key, from: source)
            } catch let error as CloudAgentError where error.code == .accountsFull {
                // With a list the operator decides which clients have an account.
                guard !invited.isInUse, await unused.makeRoom() else { throw error }
                return try await admit(received, key, from: source)
            }
        } catch let error as AriesError {
            return refusal(received, error)
        } catch let error as CloudAgentError where error.code == .accountsFull {
            return refusal(received, AriesError(.requestUnusable, "No more accounts are opened here."))
        }
    }

    private func admit(
        _ received: ReceivedMessage, _ key: AgentKey, from source: SocketAddress?
    ) async throws -> [OutgoingMessage] {
        guard context.configuration.admission == .open else {
            throw AriesError(.requestUnusable, "No accounts are opened here.")
        }
        let entry = invited.entry(of: received.recipient)
        if invited.isInUse, entry == nil {
            throw AriesError(.requestUnusable, "An account is opened here only with an invitation by name.")
        }
        let invitations = entry?.invitations ?? invited.general
        var issued = invitations.issued(for: received.message)
        _ = try issued.admit(received)
        guard admitsAccount(from: source) else {
            throw AriesError(.requestUnusable, "Too many accounts were asked for from there; ask again later.")
        }
        let name = entry?.listed.name
        // The stored key of a name that opens one account only.
        let used: MediatorKey? =
            if let name, entry?.listed.isForMany == false {
                MediatorKey(
                    secret.hash(name: name), .name, account: nil, body: secret.seal(Array(name.utf8), as: .name))
            } else {
                nil
            }
        if let used, try await store.read({ try $0.ownKeys.key(used.hash) }) != nil { throw Self.used }
        let address = AgentAddress(
            key: key.verkey, endpoint: context.endpoints.http, alternatives: [context.endpoints.socket])
        var random = SystemRandom()
        let configuration = HandshakeResponder.Configuration(
            connectionID: Hex.encode(Array(secret.hash(key.verkey).bytes.prefix(8))), issued: issued,
            address: address)
        var responder = try HandshakeResponder(
            configuration, answering: received, key: invitations.key, random: &random)
        let answers = try run(&responder, .start)
        let routing = pool.take()
        let body = AccountRecord(routing: routing.verkey, name: name, .shaking(responder))
        var keys = [
            KeyCache.stored(key, .connection, by: secret), KeyCache.stored(routing, .routing, by: secret),
        ]
        if let used { keys.append(used) }
        let (sealed, own, time) = (body.sealed(by: secret), keys, messageClock.stamp())
        _ = try await store.write(adding: sealed.count) { try $0.accounts.open(sealed, keys: own, at: time) }
        context.counters.add(to: \.opened)
        return answers
    }

    /// Returns true when a source may open one more account now.
    private func admitsAccount(from source: SocketAddress?) -> Bool {
        let now = context.clock.now()
        return registrationLimits.withLock { $0.admits(source?.address, at: now) }
    }

    private static var used: AriesError {
        AriesError(.invitationUsed, "The invitation is for a single use, and was used before.")
    }

    private static var closed: AriesError {
        AriesError(.requestUnusable, "The account that this request opened is closed; begin anew with the invitation.")
    }

    /// Gives an event to a handshake of an account; returns the messages to send.
    ///
    /// - Throws: why it was abandoned.
    private func run(_ responder: inout HandshakeResponder, _ first: HandshakeInput) throws(AriesError)
        -> [OutgoingMessage]
    {
        var answers: [OutgoingMessage] = []
        var inputs = [first]
        while let input = inputs.popLast() {
            for output in responder.handle(input, at: context.clock.now()) {
                switch output {
                case .send(let outgoing): answers.append(outgoing)
                case .resolve(let did): inputs.append(Self.resolved(did))
                case .abandoned(let error): throw error
                case .ignored: context.counters.add(to: \.ignored)
                case .persist, .completed, .undeliverable: break
                }
            }
        }
        return answers
    }

    private static func resolved(_ did: DID) -> HandshakeInput {
        do throws(DIDCommError) {
            guard let document = try StaticDIDResolver().document(of: did) else {
                throw StaticDIDResolver.unresolved(did)
            }
            return .resolved(document, for: did)
        } catch {
            return .unresolved(did, error)
        }
    }

    private func refusal(_ received: ReceivedMessage, _ error: AriesError) -> [OutgoingMessage] {
        context.counters.add(to: \.turnedAway)
        var random = SystemRandom()
        let invitations = invited.entry(of: received.recipient)?.invitations ?? invited.general
        let address = invitations.issued(for: received.message).address
        return HandshakeResponder.refusal(of: received, because: error, address: address, random: &random).map { [$0] }
            ?? []
    }

    /// Advances the handshake of an existing account by a message that came to the invitation's key.
    private func advance(_ account: Int64, by received: ReceivedMessage) async throws -> [OutgoingMessage] {
        switch try await take(received, of: account) {
        case .answers(let answers): return answers
        case .connected, nil: return []
        }
    }

    /// Handles a message to the key of an account's connection; nil when the account is gone.
    func take(_ received: ReceivedMessage, of account: Int64) async throws -> RegistrationResult? {
        guard let entry = try await store.read({ try $0.accounts.account(account) }) else {
            await removal.drop(account)
            return nil
        }
        var body = try AccountRecord(entry.body, by: secret)
        switch body.state {
        case .connected(let connection):
            return Self.isOfHandshake(received.message) ? .answers([]) : .connected(entry, body, connection)
        case .shaking(var responder):
            let answers = try run(&responder, .received(received))
            guard responder.stage == .completed, let connection = responder.connection else { return .answers(answers) }
            body.state = .connected(connection)
            let (sealed, now) = (body.sealed(by: secret), context.wallTime())
            try await store.write { try $0.accounts.update(account, body: sealed, isServed: nil, seen: now) }
            return Self.isOfHandshake(received.message) ? .answers(answers) : .connected(entry, body, connection)
        }
    }

    private static func isOfHandshake(_ message: Message) -> Bool {
        [MessageProtocol.connections10, .didExchange11].contains(where: message.type.protocol.isCompatible)
    }
}
