public import Aries
public import DIDComm
import Determinism
import Vault

/// A live handle of a connection of an agent.
///
/// `Agent.accept` returns one for an invitation, and `Agent.connection(_:)` for a name, also after a restart.
public struct AgentConnection: Sendable {
    /// The way in which accepting the invitation led to this connection.
    public enum InvitationOutcome: String, Hashable, Sendable, CaseIterable {
        /// The connection is new.
        case begun
        /// The connection existed, and the inviter agreed to reuse it.
        case reused
        /// The connection existed from another invitation of the same inviter, and no reuse question was needed.
        case existing
        /// The connection existed: the same invitation was accepted before.
        case acceptedBefore = "accepted-before"
        /// There is no connection, because the invitation only carries a request; `id` is the invitation's.
        case requestOnly = "request-only"
        /// No invitation was accepted: `Agent.connection(_:)` opened the connection by its name.
        case opened
    }

    /// The identifier of the connection in the store.
    public let id: String

    /// The way in which accepting the invitation led to this connection; `opened` for a handle by name.
    public let outcome: InvitationOutcome

    /// The reason why a new connection was begun instead of reusing one with the inviter; nil otherwise.
    public let notReused: AriesError?

    let agent: Agent

    init(id: String, outcome: InvitationOutcome, notReused: AriesError? = nil, agent: Agent) {
        self.id = id
        self.outcome = outcome
        self.notReused = notReused
        self.agent = agent
    }

    /// The stages from the present one on; ends with the last one.
    ///
    /// It ends early when the agent stops or the request cannot be handed over. For a connection that does not exist
    /// any more it has `abandoned` alone. Each call gives a stream of its own, for one iteration.
    public var stages: AsyncStream<HandshakeStage> {
        AsyncStream { continuation in
            let following = Task {
                for await stage in await followedStages() { continuation.yield(stage) }
                continuation.finish()
            }
            continuation.onTermination = { _ in following.cancel() }
        }
    }

    /// The stages of the connection from now on; no later stage is missed once this returns.
    func followedStages() async -> AsyncStream<HandshakeStage> {
        let stages = try? await agent.perform { [id] agent in try await agent.parts.handshakes.stages(of: id) }
        return stages ?? AsyncStream { $0.finish() }
    }

    /// Waits until both sides have completed the handshake, for at most `limit`.
    ///
    /// Nil is for as long as the handshake may take, which is days. A connection whose request cannot be handed over
    /// does not fail: accepting the same invitation again, and each start, retries it. It goes on after the limit too.
    /// An inviter that cannot reach our address looks the same as one that is late; its `AgentEvent.undeliverable`
    /// says why.
    /// - Throws: `aries.connection.timeout` at the limit, or why our last message did not go out; the `AriesError` for
    ///   which it was abandoned; the error of the transport when it does not take the request;
    ///   `agent.connection.unknown`; `agent.stopped`; `CancellationError`.
    @discardableResult
    public func completed(within limit: Duration? = nil) async throws -> Connection {
        guard let limit else { return try await untilCompleted() }
        return try await withThrowingTaskGroup(of: Connection.self) { group in
            group.addTask { try await untilCompleted() }
            group.addTask { [agent, id] in
                let clock = agent.context.clock
                try await clock.wait(until: clock.now() + limit)
                let late = AriesError(
                    .timeout, "The other side has not answered within \(limit); the connection waits for it.")
                throw await agent.deliveryFailure(on: id) ?? late
            }
            defer { group.cancelAll() }
            guard let connection = try await group.next() else { throw CancellationError() }
            return connection
        }
    }

    private func untilCompleted() async throws -> Connection {
        for await stage in stages {
            if stage == .completed || stage == .abandoned { break }
        }
        try Task.checkCancellation()
        let connection = try await agent.perform { [id] agent -> Connection? in
            guard let record = try await agent.parts.handshakes.record(id) else { throw ConnectionHandshakes.unknown }
            if let failure = record.failure { throw failure }
            return record.connection
        }
        if let connection { return connection }
        // Not thrown above, where an error of another type means that the store failed.
        throw await agent.deliveryFailure(on: id)
            ?? AgentError(.connectionIncomplete, "The connection is not complete.")
    }

    /// Sends the end of the connection and deletes it; see `Agent.hangUp(_:within:)`.
    func hangUp(within limit: Duration) async throws -> Bool {
        let farewell = try await agent.perform { [id] agent -> (messageID: String, events: AsyncStream<AgentEvent>)? in
            let events = agent.events()
            return try await agent.parts.removal.sendFarewell(on: id).map { ($0, events) }
        }
        var isInformed: Bool?
        if let (name, events) = farewell {
            isInformed = try await events.delivery(of: name, on: id, within: limit, by: agent.context.clock)
        }
        try Task.checkCancellation()
        try await agent.remove(id)
        return isInformed ?? false
    }

    /// The fields of the connection as they are now.
    ///
    /// - Throws: `agent.connection.unknown`, `agent.*`, and errors of the store.
    public func summary() async throws -> ConnectionSummary {
        guard let summary = try await agent.summary(of: id) else { throw ConnectionHandshakes.unknown }
        return summary
    }

    /// Sends a message on the connection, which has to be complete; as `Agent.send(_:on:)`.
    public func send(_ message: Message) async throws { try await agent.send(message, on: id) }

    /// Sends a text for a person, as a basic message 1.0 with the present time; as `Agent.send(_:on:)`.
    ///
    /// - Returns: the `@id` of the message, by which `AgentEvent.sent` reports it.
    /// - Throws: as `Agent.send(_:on:)`.
    @discardableResult
    public func send(text: String) async throws -> String {
        let message = BasicMessage(text, sent: agent.context.wallTime()).message(id: await agent.makeID())
        try await send(message)
        return message.id
    }
}
