public import Aries
public import DIDComm
import Determinism
import JSON
public import Vault

/// What callers can ask for.
extension Agent {
    /// Accepts an invitation: begins a connection, or finds the one that is there.
    ///
    /// Returns once the beginning is stored; the connection's `stages` and `completed()` tell the rest. When a connection
    /// with the inviter exists, it is waited for the inviter's agreement to use it again, at most for the time that the
    /// configuration says, and then connected anew. The same invitation again goes on with the connection that was begun
    /// before: its request is sent once more, also after the wait for the inviter had ended.
    /// - Throws: `aries.invitation.*` for what cannot be accepted, `didcomm.*` for an inviter who cannot be reached,
    ///   `agent.mediator.key-missing` when a mediator is in use and registers no key in time, `agent.busy`,
    ///   `agent.stopped`, and errors of the store.
    /// - Parameters:
    ///   - name: what the user calls the inviter.
    ///   - giveUpAfter: how long the inviter may take; nil for as long as the invitation counts, and at most for what the
    ///     configuration says. It does not outlast a restart.
    ///   - reuseWait: how long it is waited for the inviter's agreement at most; nil for what the configuration says.
    ///   - form: in which form we say who we are; nil for what the configuration says.
    public func accept(
        _ invitation: Invitation, name: String? = nil, giveUpAfter: Duration? = nil, reuseWait: Duration? = nil,
        form: DIDForm? = nil
    ) async throws -> AgentConnection {
        let wish = Wish(name: name, giveUpAfter: giveUpAfter, reuseWait: reuseWait, form: form)
        let beginning = try await withFreeKey {
            try await self.perform { agent in
                try await agent.settlingConflicts(on: nil) { try await $0.begin(invitation, wish) }
            }
        }
        switch beginning {
        case .done(let connection): return connection
        case .asking(let id, let outcomes):
            for await outcome in outcomes {
                switch outcome {
                case .reused: return AgentConnection(id: id, outcome: .reused, agent: self)
                case .connectedAnew(let connection, let error):
                    return AgentConnection(id: connection.id, outcome: .begun, notReused: error, agent: self)
                case .failed(let error): throw error
                }
            }
            throw AgentError(.stopped, "The agent was stopped while the inviter was asked.")
        }
    }

    /// What accepting an invitation would lead to, given the connections that there are; nothing is begun.
    ///
    /// - Throws: as `accept`.
    public func plan(for invitation: Invitation) async throws -> AcceptancePlan {
        try await perform { agent in try await agent.makePlan(for: invitation) }
    }

    /// What whoever accepts an invitation wants besides.
    struct Wish: Sendable {
        var name: String?
        var giveUpAfter: Duration?
        var reuseWait: Duration?
        var form: DIDForm?
    }

    /// What accepting an invitation came to at once.
    private enum Beginning: Sendable {
        case done(AgentConnection)
        /// The inviter is asked whether this connection is used again.
        case asking(String, AsyncStream<ReuseRun.Outcome>)
    }

    /// Makes an invitation, whose key is stored before this returns.
    ///
    /// - Throws: as `InvitationDraft.invitation`, `agent.mediator.key-missing` as `accept`, `agent.*`, and errors of the
    ///   store.
    public func invite(_ draft: InvitationDraft, isMultiUse: Bool = false) async throws -> Invitation {
        try await withFreeKey {
            try await self.perform { agent in
                try await agent.settlingConflicts(on: nil) { try await $0.make(draft, isMultiUse: isMultiUse) }
            }
        }
    }

    /// Sends a message on a complete connection; returns once it is stored, and it is sent even after a restart.
    ///
    /// - Throws: `agent.connection.unknown`, `agent.connection.incomplete`, `agent.connection.ended`, `agent.*`, and
    ///   errors of the store.
    public func send(_ message: Message, on connection: String) async throws {
        try await perform { agent in try await agent.store(message, on: connection) }
    }

    /// A page of the messages of a connection, both sides', oldest first.
    public func messages(
        on connection: String, after cursor: RecordCursor? = nil, limit: Int = 100
    ) async throws -> (messages: [ConnectionMessage], next: RecordCursor?) {
        try await perform { agent in
            let page = try await agent.store.records(
                in: AgentCategories.messages, tags: [RecordTag("connection", connection)], after: cursor, limit: limit)
            return (try page.records.map { try ConnectionMessage($0) }, page.next)
        }
    }

    /// A message of the other side by its `@id`; nil when it is not kept.
    public func receivedMessage(_ id: String, on connection: String) async throws -> Message? {
        try await perform { agent in
            let name = ConnectionMessage.name(of: id, .received, on: connection)
            guard name.utf8.count <= RecordLimits.idBytes else { return nil }
            return try await agent.store.record(name, in: AgentCategories.messages).map {
                try ConnectionMessage($0).message
            }
        }
    }

    /// A fresh identifier for a message.
    public func makeID() -> String { Message.makeID(from: &random) }

    /// Renames a connection; nil takes the name away.
    ///
    /// - Throws: `agent.connection.unknown`, `agent.*`, and errors of the store.
    public func rename(_ id: String, to name: String?) async throws {
        try await perform { agent in
            try await agent.settlingConflicts(on: id) { agent in
                guard var record = try await agent.connectionRecord(id) else { throw Self.unknown }
                record.name = name
                let copy = record
                record.storeVersion = try await agent.store.write { store in try copy.save(in: store) }
                if agent.runs[id] != nil { agent.runs[id] = record }
            }
        }
    }

    /// A page of connections, oldest first.
    public func connections(after cursor: RecordCursor? = nil, limit: Int = 100) async throws -> (
        connections: [ConnectionSummary], next: RecordCursor?
    ) {
        try await perform { agent in
            let page = try await agent.store.records(
                in: AgentCategories.connections, after: cursor, limit: limit)
            return (try page.records.map { try ConnectionSummary($0) }, page.next)
        }
    }

    /// A connection; nil when there is none of that name.
    public func connection(_ id: String) async throws -> ConnectionSummary? {
        try await perform { agent in
            if let record = agent.runs[id] { return ConnectionSummary(record) }
            return try await agent.store.record(id, in: AgentCategories.connections).map { try ConnectionSummary($0) }
        }
    }

    func stages(of id: String) async -> AsyncStream<HandshakeStage> {
        do {
            return try await perform { agent in
                let handshake = try await agent.connectionRecord(id)?.handshake
                let stages = agent.watchers.stages(of: id, from: handshake?.stage ?? .abandoned)
                if handshake?.isUndeliverable == true { agent.watchers.finish(id) }
                return stages
            }
        } catch {
            return AsyncStream { $0.finish() }
        }
    }

    func completedConnection(_ id: String) async throws -> Connection {
        let connection = try await perform { agent -> Connection? in
            guard let record = try await agent.connectionRecord(id) else { throw Self.unknown }
            if let failure = record.failure { throw failure }
            return record.connection
        }
        if let connection { return connection }
        // Not thrown above, where an error of another kind means that the store failed.
        throw deliveryFailures[id] ?? AgentError(.connectionIncomplete, "The connection is not complete.")
    }

    static var unknown: AgentError { AgentError(.connectionUnknown, "There is no connection of that name.") }
}

/// Beginning.
extension Agent {
    private func makePlan(for invitation: Invitation) async throws -> AcceptancePlan {
        try AcceptancePlan(
            invitation, known: try await known(like: invitation), policy: configuration.identity, now: wallTime())
    }

    private func begin(_ invitation: Invitation, _ wish: Wish) async throws -> Beginning {
        let plan = try await makePlan(for: invitation)
        // What cannot be read is refused before anything is begun.
        _ = try AttachedRequest.all(of: invitation, at: .alone)
        switch plan {
        case .acceptedBefore(let id):
            try await step(id, .again)
            return .done(AgentConnection(id: id, outcome: .acceptedBefore, agent: self))
        case .useExisting(let id, _):
            try await keepRequests(of: invitation, at: .connection(id))
            return .done(AgentConnection(id: id, outcome: .existing, agent: self))
        case .answerAlone:
            try await keepRequests(of: invitation, at: .alone)
            return .done(AgentConnection(id: invitation.id, outcome: .requestOnly, agent: self))
        case .reuse(let id, let fallback, _):
            return .asking(id, try await askToReuse(id, invitation, fallback: fallback, wish))
        case .handshake(let handshake, _): return .done(try await begin(invitation, by: handshake, wish))
        }
    }

    private func keepRequests(of invitation: Invitation, at place: AttachedRequest.Place) async throws {
        let requests = try AttachedRequest.all(of: invitation, at: place)
        guard !requests.isEmpty else { return }
        try await store.write { store in
            for request in requests { try RequestRecord(request, of: invitation).insert(into: store) }
        }
        for request in requests { watchers.tell(.requested(request)) }
    }

    /// How many connections are looked at that carry the same name of an inviter.
    static let maximumKnown = 32

    /// The connections that might be with the same inviter.
    private func known(like invitation: Invitation) async throws -> [AcceptancePlan.Known] {
        let tags = InviterIdentity(invitation).searchTags
        let found = try await store.read { store in
            try tags.flatMap {
                try store.records(
                    in: AgentCategories.connections, tags: [ConnectionRecord.known($0)], limit: Self.maximumKnown
                ).records
            }
        }
        var known: [AcceptancePlan.Known] = []
        for stored in found where !known.contains(where: { $0.connection == stored.id }) {
            let summary = try ConnectionSummary(stored)
            guard let standing = AcceptancePlan.Known.Standing(summary.stage, summary.failure), !summary.isEnded else {
                continue
            }
            known.append(
                AcceptancePlan.Known(
                    connection: summary.id, identity: InviterIdentity(summary.invitation), standing: standing))
        }
        return known
    }

    /// - Parameter reuse: the question that this takes the place of.
    func begin(
        _ invitation: Invitation, by handshake: MessageProtocol, _ wish: Wish, closing reuse: ReuseRecord? = nil
    ) async throws -> AgentConnection {
        guard runs.count < configuration.maximumHandshakes else {
            throw tooManyHandshakes
        }
        let inviter = try self.inviter(of: invitation)
        let id = Message.makeID(from: &random)
        let (key, address) = try newKey(for: .connection(id))
        let now = wallTime()
        var policy = self.policy(of: .invitee, begun: now, expires: invitation.expires)
        if let limit = wish.giveUpAfter { policy.giveUpAfter = limit }
        let requester = try HandshakeRequester(
            HandshakeRequester.Configuration(
                connectionID: id, handshake: handshake, invitation: invitation, inviter: inviter,
                address: address, label: configuration.label, form: wish.form ?? configuration.form,
                policy: policy),
            key: key.key, random: &random)
        let record = ConnectionRecord(
            id: id, role: .invitee, invitation: invitation, created: now, name: wish.name,
            handshake: .requester(requester))
        try await add(record, key, .start, closing: reuse)
        return AgentConnection(id: id, outcome: .begun, agent: self)
    }

    var tooManyHandshakes: AgentError {
        AgentError(.busy, "More than \(configuration.maximumHandshakes) connections are being made.")
    }

    /// The first service of an invitation that can be reached.
    func inviter(of invitation: Invitation) throws -> PeerService {
        var failure: DIDCommError?
        for service in invitation.services {
            do throws(DIDCommError) {
                return try configuration.resolver.resolve(service.resolution).service()
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? DIDCommError(.serviceNone, "the invitation names no service")
    }

    func address(of key: AgentKey) -> AgentAddress {
        AgentAddress(key: key.verkey, routingKeys: configuration.routingKeys, endpoint: configuration.endpoint)
    }

    /// Stores a new connection with its key, and the invitation that it used, in one step; then lets it begin.
    func add(
        _ record: ConnectionRecord, _ key: KeyRecord, _ input: HandshakeInput,
        using invitation: InvitationRecord? = nil,
        closing reuse: ReuseRecord? = nil
    ) async throws {
        var record = record
        let outputs = record.handshake.handle(input, at: timekeeper.now())
        let copy = record
        record.storeVersion = try await store.write { store in
            try key.save(in: store)
            try invitation?.save(in: store)
            if let reuse { try store.remove(reuse.id, in: AgentCategories.reuses, expecting: nil) }
            return try copy.save(in: store)
        }
        noteUse(key)
        try await settle(record, outputs.filter { $0 != .persist }, from: .ready)
    }
}

/// Inviting and sending.
extension Agent {
    private func make(_ draft: InvitationDraft, isMultiUse: Bool) async throws -> Invitation {
        let id = Message.makeID(from: &random)
        let (key, address) = try newKey(for: .invitation(id))
        let invitation = try draft.invitation(id: id, address: address)
        let record = InvitationRecord(
            IssuedInvitation(invitation, address: address, isMultiUse: isMultiUse), created: wallTime())
        try await store.write { store in
            try key.save(in: store)
            try record.save(in: store)
        }
        noteUse(key)
        return invitation
    }

    /// - Parameter request: what the message answers, which is kept no longer.
    func store(_ message: Message, on id: String, closing request: AttachedRequest? = nil) async throws {
        _ = try await livingConnection(id)
        let outbox = OutboxRecord(connection: id, message: message)
        let entry = ConnectionMessage(connection: id, direction: .sent, time: wallTime(), message: message)
        try await store.write { store in
            if let name = request?.message.id {
                guard try store.record(name, in: AgentCategories.requests) != nil else { throw Self.unknownRequest }
                try store.remove(name, in: AgentCategories.requests, expecting: nil)
            }
            try outbox.insert(into: store)
            _ = try entry.insert(into: store)
        }
        lanes.append(.outbox(outbox), to: id)
        drive(id)
    }
}
