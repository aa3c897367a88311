import Aries
import DIDComm
import Determinism
import Vault

/// Sharing a store with another process, which listens for both.
extension Agent {
    /// Takes up what another process on the same store has changed: handshakes and questions whose answers came to it, a
    /// mediator that it has begun to use or has left, and keys that it has given away.
    ///
    /// To be called several times a second by every process that may not be the only one.
    /// - Throws: `agent.*`, and errors of the store.
    public func catchUp() async throws {
        try await perform { agent in
            try await agent.catchUpWithQuestions()
            try await agent.catchUpWithMediator()
            for id in agent.runs.keys.sorted() { try await agent.catchUp(withConnection: id) }
            for id in agent.reuses.keys.sorted() { try await agent.catchUp(withReuse: id) }
        }
    }

    func catchUp(withConnection id: String) async throws {
        guard let ours = runs[id] else { return }
        guard let stored = try await store.record(id, in: AgentCategories.connections) else {
            // Another process has deleted it.
            runs[id] = nil
            lanes.remove(id)
            return watchers.finish(id)
        }
        guard stored.version != ours.storeVersion else { return }
        let record = try await read(stored)
        runs[id] = record.handshake.isSettled ? nil : record
        let stage = record.handshake.stage
        if stage != ours.handshake.stage {
            watchers.tell(.stage(connection: id, stage, record.failure, invitation: record.invitation.id))
        }
    }

    /// A question that is not in the store any more was answered with yes: another process follows nothing else.
    private func catchUp(withReuse id: String) async throws {
        guard let run = reuses[id], try await store.record(id, in: AgentCategories.reuses) == nil else { return }
        reuses[id] = nil
        watchers.tell(.reused(connection: run.record.connection, invitationID: run.record.invitation.id))
        run.waiter?.yield(.reused)
        run.waiter?.finish()
    }

    /// Follows the answer to a question that another process asked; only if it is yes, because it waits for the rest itself.
    ///
    /// - Returns: whether there is such a question.
    func takeReuse(askedElsewhere received: ReceivedMessage, on record: ConnectionRecord) async throws -> Bool {
        let id = received.message.threadID
        guard (1...RecordLimits.idBytes).contains(id.utf8.count), let connection = record.connection,
            let stored = try await store.record(id, in: AgentCategories.reuses)
        else { return false }
        let question = try ReuseRecord(stored)
        guard question.connection == record.id else { return false }
        var core = ReuseRequester(
            connection, invitation: question.invitation, id: id, wait: configuration.reuseWait)
        _ = core.handle(.start, at: timekeeper.now())
        let outputs = core.handle(.received(received), at: timekeeper.now())
        guard outputs.contains(.reused) else { return true }
        try await reused(ReuseRun(record: question, core: core, wish: Wish(), waiter: nil))
        return true
    }
}
