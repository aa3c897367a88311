public import Aries
public import DIDComm
import Determinism
public import JSON
public import Vault

/// The calls about connections, messages and invitations.
extension Agent {
    /// Processes an envelope that a peer sent; returns when it is processed and its effects are stored.
    ///
    /// The peer learns no result: an attacker finds out neither which keys are ours nor what was wrong.
    /// - Parameter path: the connection on which it came, if answers may go back there.
    /// - Returns: whether the sender asked for answers on that connection, and one may follow soon.
    /// - Throws: `agent.busy`, `agent.stopped` and errors of the store: it was not taken, and has to be brought again.
    @discardableResult
    public func receive(_ envelope: [UInt8], path: (any ReturnRoute)? = nil) async throws -> Bool {
        try await perform { agent in try await agent.parts.receiver.take(envelope, path) }
    }

    /// Reads what another process on the same store has changed: handshakes and questions whose answers came to it, a
    /// mediator that it has begun to use or has left, and keys that it has used.
    ///
    /// To be called several times a second by every process that may share its store.
    /// - Throws: `agent.*`, and errors of the store.
    public func catchUp() async throws {
        try await perform { agent in try await agent.parts.catchUp(isFinishing: agent.isFinishing) }
    }

    /// A fresh identifier for a message.
    public func makeID() -> String { context.makeID() }

    // Connections.

    /// Accepts an invitation: begins a connection, or finds the existing one.
    ///
    /// Returns once the beginning is stored; the connection's `stages` and `completed()` report the rest. A known
    /// inviter is asked to use its connection again; without its agreement in time a new one is begun. The same
    /// invitation again continues the connection that was begun before, also after the wait had ended.
    /// - Throws: `aries.invitation.*` for what cannot be accepted, `didcomm.*` for an inviter that cannot be reached,
    ///   what the `didResolver` of the configuration throws for the document of its DID,
    ///   `agent.mediator.key-missing` when a mediator is in use and registers no key in time, `agent.busy`,
    ///   `agent.stopped`, and errors of the store.
    /// - Parameters:
    ///   - name: the user's name for the inviter, also where a connection that exists is used.
    ///   - giveUpAfter: how long the inviter may take; nil for as long as the invitation is valid, and at most for the
    ///     time in the configuration. It does not outlast a restart.
    ///   - reuseWait: how long to wait for the inviter's agreement at most; nil for the time in the configuration.
    ///   - form: the form of our DID; nil for that in the configuration.
    ///   - connectsAnew: makes a new connection also where one with the inviter exists.
    public func accept(
        _ invitation: Invitation, name: String? = nil, giveUpAfter: Duration? = nil, reuseWait: Duration? = nil,
        form: DIDForm? = nil, connectsAnew: Bool = false
    ) async throws -> AgentConnection {
        let inviter = try await context.lookup.inviter(of: invitation, by: self)
        let options = ConnectionHandshakes.HandshakeOptions(
            name: name, giveUpAfter: giveUpAfter, reuseWait: reuseWait, form: form, inviter: inviter,
            connectsAnew: connectsAnew)
        return try await withFreeKey { agent in try await agent.parts.acceptance.begin(invitation, options) }
            .connection(of: self)
    }

    /// The effect that accepting an invitation would have, given the existing connections; the call changes nothing.
    ///
    /// - Throws: as `accept`.
    public func plan(for invitation: Invitation) async throws -> InvitationAcceptancePlan {
        try await perform { agent in try await agent.parts.acceptance.plan(for: invitation) }
    }

    /// A page of connections, oldest first.
    public func connections(after cursor: RecordCursor? = nil, limit: Int = 100) async throws -> (
        connections: [ConnectionSummary], next: RecordCursor?
    ) {
        try await perform { agent in try await agent.parts.handshakes.page(after: cursor, limit: limit) }
    }

    /// A handle of the connection of that name, as `accept` returns one; nil without such a connection.
    ///
    /// It works at every stage, for both roles, and after a restart of the process: `completed()` waits for what is
    /// still to come.
    /// - Throws: `agent.record.malformed`, `agent.*`, and errors of the store.
    public func connection(_ id: String) async throws -> AgentConnection? {
        try await summary(of: id).map { AgentConnection(id: $0.id, outcome: .opened, agent: self) }
    }

    /// The fields of a connection for a list, as they are now; nil without one of that name.
    ///
    /// - Throws: `agent.record.malformed`, `agent.*`, and errors of the store.
    public func summary(of id: String) async throws -> ConnectionSummary? {
        try await perform { agent in try await agent.parts.handshakes.summary(id) }
    }

    /// Renames a connection; nil removes the name.
    ///
    /// - Throws: `agent.connection.unknown`, `agent.*`, and errors of the store.
    public func rename(_ id: String, to name: String?) async throws {
        try await perform { agent in try await agent.parts.handshakes.rename(id, to: name) }
    }

    /// Deletes a connection with its keys and all that waits on it, without a message to the other side.
    ///
    /// - Throws: `agent.connection.unknown`, `agent.*`, and errors of the store.
    public func remove(_ id: String) async throws {
        try await perform { agent in try await agent.parts.removal.remove(id) }
    }

    /// Sends the end of the connection to the other side, for at most `limit`, and deletes it in any case.
    ///
    /// - Returns: whether the other side took the message; false as well for a connection that was never complete.
    /// - Throws: as `remove`, and `CancellationError`, after which the connection is still there.
    public func hangUp(_ id: String, within limit: Duration) async throws -> Bool {
        try await AgentConnection(id: id, outcome: .opened, agent: self).hangUp(within: limit)
    }

    // Messages.

    /// Sends a message on a complete connection; returns once it is stored, and it is sent even after a restart.
    ///
    /// - Throws: `agent.connection.unknown`, `agent.connection.incomplete`, `agent.connection.ended`, `agent.*`, and
    ///   errors of the store.
    public func send(_ message: Message, on connection: String) async throws {
        try await perform { agent in try await agent.parts.messages.send(message, on: connection) }
    }

    /// A page of the messages of a connection, both sides', oldest first.
    public func messages(
        on connection: String, after cursor: RecordCursor? = nil, limit: Int = 100
    ) async throws -> (messages: [ConnectionMessage], next: RecordCursor?) {
        try await perform { agent in
            try await agent.parts.messages.page(on: connection, after: cursor, limit: limit)
        }
    }

    /// A message of the other side by its `@id`; nil when it is not stored.
    public func receivedMessage(_ id: String, on connection: String) async throws -> Message? {
        try await perform { agent in try await agent.parts.messages.received(id, on: connection) }
    }

    /// Returns the reason why the transport did not take the last message on a connection.
    ///
    /// Nil when the transport took it, or none was sent since the start.
    public func deliveryFailure(on connection: String) -> (any Error)? { parts.delivery.failure(on: connection) }

    /// The failure of the last delivery, as `deliveryFailure`, but only for the codes of address rules and host
    /// look-ups.
    public func undelivered(on connection: String, _ reason: String? = nil) -> any Error {
        parts.delivery.refusal(on: connection)
            ?? AgentError(.deliveryFailed, reason ?? "The other side could not be reached.")
    }

    // Invitations, requests and signatures.

    /// Makes an invitation, whose key is stored before this returns.
    ///
    /// - Throws: as `InvitationDraft.invitation`, `agent.mediator.key-missing` as `accept`, `agent.*`, and errors of
    ///   the store.
    public func invite(
        _ draft: InvitationDraft, isMultiUse: Bool = false, key: InvitationKeyChoice = .fresh
    ) async throws -> Invitation {
        try await withFreeKey { agent in
            try await agent.parts.invitations.make(draft, isMultiUse: isMultiUse, key: key)
        }
    }

    /// The document that a public DID of ours has to have for an invitation by that DID: key, address, mediators.
    ///
    /// - Throws: `agent.invitation.unknown`, `agent.*`, and errors of the store.
    public func document(of did: DID, for invitation: Invitation) async throws -> JSONObject {
        try await perform { agent in try await agent.parts.invitations.address(in: invitation.id).document(of: did) }
    }

    /// A page of our invitations, oldest first.
    ///
    /// - Throws: `agent.*`, and errors of the store.
    public func invitations(after cursor: RecordCursor? = nil, limit: Int = 100) async throws -> (
        invitations: [InvitationSummary], next: RecordCursor?
    ) {
        try await perform { agent in try await agent.parts.invitations.page(after: cursor, limit: limit) }
    }

    /// Withdraws an invitation: from now on requests for it are refused, and connections that came from it stay.
    ///
    /// - Throws: `agent.invitation.unknown`, `agent.*`, and errors of the store.
    public func withdraw(_ id: String) async throws -> InvitationSummary {
        try await perform { agent in try await agent.parts.invitations.withdraw(id) }
    }

    /// The requests that are neither answered nor declined, of one connection or of all; at most 1,000.
    public func requests(on connection: String? = nil) async throws -> [AttachedRequest] {
        try await perform { agent in try await agent.parts.requests.all(on: connection) }
    }

    /// Answers a request on its connection, and deletes it.
    ///
    /// - Parameter answer: belongs to the thread of the request.
    /// - Throws: `agent.request.unknown`, also for one without a connection; and as `send` does.
    public func answer(_ request: AttachedRequest, with answer: Message) async throws {
        try await perform { agent in try await agent.parts.requests.answer(request, with: answer) }
    }

    /// Keeps a connectionless request, outside of any invitation, and reports it as `requested`.
    ///
    /// - Throws: errors of the store.
    public func keep(_ request: Message) async throws -> AttachedRequest {
        try await perform { agent in try await agent.parts.requests.keep(request) }
    }

    /// Declines a request with a report to its sender, and deletes it.
    ///
    /// On a connection the report is sent even after a restart; without one it is sent once, with a key that is used
    /// for nothing else. The result is reported as `sent` or `undelivered` of the connection, or of the request's
    /// `@id`.
    /// - Returns: the `@id` of the message to the sender.
    /// - Throws: as `answer`.
    @discardableResult
    public func decline(_ request: AttachedRequest) async throws -> String {
        try await perform { agent in try await agent.parts.requests.decline(request) }
    }

    /// Signs data with our key of a connection: Ed25519 over a line that names the purpose, and the data.
    ///
    /// - Returns: 64 bytes.
    /// - Throws: `agent.connection.*`, `agent.key.missing`, `agent.*`, and errors of the store.
    public func sign(_ data: [UInt8], on id: String) async throws -> [UInt8] {
        try await perform { agent in try await agent.parts.signing.sign(data, on: id) }
    }

    /// Returns true when the other side of a connection has signed `data`.
    ///
    /// - Throws: `agent.connection.*`, `agent.*`, and errors of the store.
    public func verify(_ signature: [UInt8], of data: [UInt8], on id: String) async throws -> Bool {
        try await perform { agent in try await agent.parts.signing.verify(signature, of: data, on: id) }
    }
}
