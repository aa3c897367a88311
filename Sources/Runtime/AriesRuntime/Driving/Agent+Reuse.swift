import Aries
import DIDComm
import Determinism
import Vault

/// A question under way whether an existing connection is used again.
struct ReuseRun: Sendable {
    /// How it ended.
    enum Outcome: Sendable {
        case reused
        case connectedAnew(AgentConnection, because: AriesError)
        case failed(any Error)
    }

    let record: ReuseRecord
    var core: ReuseRequester
    /// What is wanted of the handshake that is made instead.
    let wish: Agent.Wish
    /// Who waits for the answer; nobody after a restart.
    let waiter: AsyncStream<Outcome>.Continuation?
}

/// Using connections again, the side that was invited.
extension Agent {
    /// Asks the inviter; what comes of it is said on the stream, once.
    func askToReuse(
        _ connection: String, _ invitation: Invitation, fallback: MessageProtocol, _ wish: Wish
    ) async throws -> AsyncStream<ReuseRun.Outcome> {
        guard let known = try await connectionRecord(connection)?.connection else { throw Self.unknown }
        let record = ReuseRecord(
            connection: connection, invitation: invitation, fallback: fallback, name: wish.name,
            id: Message.makeID(from: &random))
        try await store.write { store in try record.insert(into: store) }
        let (stream, waiter) = AsyncStream.makeStream(of: ReuseRun.Outcome.self)
        try await begin(record, known, waiter, wish)
        return stream
    }

    private func begin(
        _ record: ReuseRecord, _ connection: Connection, _ waiter: AsyncStream<ReuseRun.Outcome>.Continuation?,
        _ wish: Wish
    ) async throws {
        let usual = configuration.reuseWait
        let wait = min(usual, wish.giveUpAfter ?? usual, wish.reuseWait ?? usual)
        let core = ReuseRequester(connection, invitation: record.invitation, id: record.id, wait: wait)
        reuses[record.id] = ReuseRun(record: record, core: core, wish: wish, waiter: waiter)
        try await stepReuse(record.id, .start)
    }

    /// Asks again what was asked before a restart.
    func resumeReuses() async throws {
        for stored in try await store.records(in: AgentCategories.reuses, limit: RecordLimits.pageRecords).records {
            let record = try ReuseRecord(stored)
            guard let connection = try await connectionRecord(record.connection)?.connection else {
                try await store.remove(record.id, in: AgentCategories.reuses)
                continue
            }
            try await begin(record, connection, nil, Wish(name: record.name))
        }
    }

    func stepReuse(_ id: String, _ input: ReuseRequester.Input) async throws {
        guard var run = reuses[id] else { return }
        var outputs: [ReuseRequester.Output] = []
        run.core.handle(input, at: timekeeper.now(), into: &outputs)
        reuses[id] = run
        for output in outputs {
            switch output {
            case .send(let outgoing):
                lanes.append(.reuse(outgoing, id: id), to: run.record.connection)
                drive(run.record.connection)
            case .reused: try await reused(run)
            case .connectAnew(let error): try await connectAnew(run, because: error)
            case .ignored(let error): tellPassedOver(error, on: run.record.connection)
            }
        }
    }

    func reused(_ run: ReuseRun) async throws {
        let (id, connection) = (run.record.id, run.record.connection)
        let requests = try AttachedRequest.all(of: run.record.invitation, at: .connection(connection))
        try await store.write { store in
            // Another process on the store may have been faster.
            guard try store.record(id, in: AgentCategories.reuses) != nil else { return }
            try store.remove(id, in: AgentCategories.reuses, expecting: nil)
            for request in requests { try RequestRecord(request).insert(into: store) }
        }
        reuses[id] = nil
        watchers.tell(.reused(connection: connection, invitationID: run.record.invitation.id))
        for request in requests { watchers.tell(.requested(request)) }
        run.waiter?.yield(.reused)
        run.waiter?.finish()
    }

    private func connectAnew(_ run: ReuseRun, because error: AriesError) async throws {
        tellPassedOver(error, on: run.record.connection)
        reuses[run.record.id] = nil
        defer { run.waiter?.finish() }
        do {
            let fallback = run.record.fallback
            let connection = try await begin(
                run.record.invitation, by: fallback, run.wish, closing: run.record)
            run.waiter?.yield(.connectedAnew(connection, because: error))
        } catch  where error is AriesError || error is DIDCommError || error is AgentError {
            try await store.remove(run.record.id, in: AgentCategories.reuses)
            tellPassedOver(error, on: run.record.connection)
            run.waiter?.yield(.failed(error))
        }
    }
}

/// Using connections again, the side that invited.
extension Agent {
    /// Whether a message on a complete connection is about an invitation, which is then dealt with.
    func takeReuse(_ received: ReceivedMessage, on record: ConnectionRecord, _ path: (any ReturnPath)?) async throws
        -> Bool
    {
        guard received.message.type.protocol.isCompatible(with: .outOfBand11), let connection = record.connection else {
            return false
        }
        if reuses[received.message.threadID] != nil {
            try await stepReuse(received.message.threadID, .received(received))
            return true
        }
        if try await takeReuse(askedElsewhere: received, on: record) { return true }
        let parent = received.message.thread.parentID ?? ""
        let stored =
            (1...RecordLimits.idBytes).contains(parent.utf8.count)
            ? try await store.record(parent, in: AgentCategories.invitations) : nil
        let invitations = try stored.map { [try InvitationRecord($0).issued] } ?? []
        let answer = try ReuseResponder.answer(received, on: connection, invitations: invitations, random: &random)
        if let path { paths[record.id] = path }
        lanes.append(.once(answer), to: record.id)
        drive(record.id)
        if !answer.message.type.isProblemReport {
            watchers.tell(.reused(connection: record.id, invitationID: parent))
        }
        return true
    }
}
