import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// Driving handshakes.
extension Agent {
    /// Gives an event to a handshake, stores what it asks to be stored, and then does the rest.
    func step(_ id: String, _ input: HandshakeInput) async throws {
        try await settlingConflicts(on: id) { agent in try await agent.stepOnce(id, input) }
    }

    private func stepOnce(_ id: String, _ input: HandshakeInput) async throws {
        guard var record = try await run(id) else { return }
        let before = record.handshake.stage
        let outputs = record.handshake.handle(input, at: timekeeper.now())
        for output in outputs {
            if case .completed(let connection) = output { record.connection = connection }
            if case .abandoned(let error) = output { record.failure = error }
        }
        if record.handshake.stage != .abandoned { record.failure = nil }
        try await settle(record, outputs, from: before)
    }

    /// The handshake of a connection, under way or read again from the store; nil when there is none.
    private func run(_ id: String) async throws -> ConnectionRecord? {
        if let record = runs[id] { return record }
        return try await connectionRecord(id)
    }

    /// A connection as the store has it.
    func connectionRecord(_ id: String) async throws -> ConnectionRecord? {
        if let record = runs[id] { return record }
        guard let stored = try await store.record(id, in: AgentCategories.connections) else { return nil }
        return try await read(stored)
    }

    func read(_ stored: StoredRecord) async throws -> ConnectionRecord {
        // The key of an invitee is needed to read its state; it is one of those of the connection, which may have others since.
        let owner = KeyRecord.Owner.connection(stored.id)
        let found = try await store.records(in: AgentCategories.keys, tags: [owner.tag], limit: 32).records
        let own = try found.map { try KeyRecord($0) }
        for key in own { keys.insert(key) }
        return try ConnectionRecord(stored) { outline in
            policy(of: outline.role, begun: outline.created, expires: outline.invitation.expires)
        } key: { verkey in
            own.first { $0.key.verkey == verkey }?.key
        }
    }

    /// The waits of a handshake that was begun at a time, by an invitation that ends at another.
    func policy(of role: Connection.Role, begun: WallTime, expires: WallTime?) -> HandshakePolicy {
        switch role {
        case .invitee: return configuration.policy.limited(begun: begun, expires: expires, now: wallTime())
        case .inviter:
            // Others decide how many of these there are, so that each ends soon; one that is confirmed later is taken up.
            var policy = configuration.policy
            policy.giveUpAfter = min(policy.giveUpAfter, .seconds(3600))
            return policy
        }
    }

    /// Stores, then sends and tells.
    func settle(_ record: ConnectionRecord, _ outputs: [HandshakeOutput], from before: HandshakeStage) async throws {
        var record = record
        let mustStore = outputs.contains { output in
            switch output {
            case .persist, .completed, .abandoned: true
            case .send, .resolve, .ignored, .undeliverable: false
            }
        }
        let requests = requests(of: record, outputs)
        if mustStore {
            let copy = record
            record.storeVersion = try await store.write { store in
                for request in requests { try RequestRecord(request).insert(into: store) }
                return try copy.save(in: store)
            }
        }
        runs[record.id] = record.handshake.isSettled ? nil : record
        let stage = record.handshake.stage
        for output in outputs { await follow(output, on: record.id) }
        if stage != before {
            watchers.tell(.stage(connection: record.id, stage, record.failure, invitation: record.invitation.id))
        }
        for request in requests { watchers.tell(.requested(request)) }
        guard mediator?.connection == record.id, mediator?.client == nil else { return }
        if let failure = record.failure { return mediatorAbandoned(failure) }
        if record.connection != nil { try await mediatorConnected() }
    }

    /// What the inviter asked for with the invitation, once the connection is complete.
    private func requests(of record: ConnectionRecord, _ outputs: [HandshakeOutput]) -> [AttachedRequest] {
        let isComplete = outputs.contains { if case .completed = $0 { true } else { false } }
        guard isComplete, record.role == .invitee else { return [] }
        // They were read when the invitation was accepted.
        return (try? AttachedRequest.all(of: record.invitation, at: .connection(record.id))) ?? []
    }

    private func follow(_ output: HandshakeOutput, on id: String) async {
        switch output {
        case .persist, .completed, .abandoned: break
        case .send(let outgoing):
            lanes.append(.handshake(outgoing), to: id)
            drive(id)
        case .undeliverable(let failure): watchers.tell(.undeliverable(connection: id, failure))
        case .resolve(let did): enqueue { agent in await agent.guarding { try await $0.resolve(did, for: id) } }
        case .ignored(let error): tellPassedOver(error, on: id)
        }
    }

    private func resolve(_ did: DID, for id: String) async throws {
        let answer: HandshakeInput
        do throws(DIDCommError) {
            guard let document = try configuration.resolver.document(of: did) else {
                throw StaticDIDResolver.unresolved(did)
            }
            answer = .resolved(document, for: did)
        } catch {
            answer = .unresolved(did, error)
        }
        try await step(id, answer)
    }

    /// Goes on with everything that the store holds.
    func resumeAll() async throws {
        var cursor: RecordCursor?
        repeat {
            let page = try await store.records(
                in: AgentCategories.connections, tags: [RecordTag("open", "yes")], after: cursor)
            for stored in page.records {
                let record = try await read(stored)
                runs[record.id] = record
                try await step(record.id, .resume)
            }
            cursor = page.next
        } while cursor != nil
        try await resumeMediator()
        try await resumeReuses()
        try await resumeOutbox()
    }

    private func resumeOutbox() async throws {
        var cursor: RecordCursor?
        repeat {
            let page = try await store.records(in: AgentCategories.outbox, after: cursor)
            for stored in page.records {
                let record = try OutboxRecord(stored)
                lanes.append(.outbox(record), to: record.connection)
            }
            cursor = page.next
        } while cursor != nil
        for id in lanes.due(at: timekeeper.now()) { drive(id) }
    }
}
