import Aries
public import DIDComm
import Determinism

/// The result of a change of our DID, as far as it has come in the time allowed.
public struct DIDRotationProgress: Hashable, Sendable {
    /// Our new DID.
    public let did: DID

    /// True when the other side follows; until then both DIDs count, and messages go by the old one.
    public let isAcknowledged: Bool
}

/// The questions to the other side of a connection, whose answers are waited for.
extension AgentConnection {
    /// Asks the other side, and waits for its answer.
    func ask<Value: Sendable>(
        _ kind: PendingQuery.Kind, _ question: Message, within limit: Duration,
        _ answer: @escaping @Sendable (ConnectionMessageHandler.Event) -> Value?
    ) async throws -> (value: Value, arrival: MonotonicInstant) {
        let events = try await agent.perform { [id] agent in
            try await agent.parts.questions.ask(kind, question, on: id, within: limit)
            return agent.events()
        }
        let clock = agent.context.clock
        let found = try await forgetting(question.id) {
            try await events.answer(to: question.id, on: id, within: limit, by: clock, answer)
        }
        try Task.checkCancellation()
        switch found {
        case .answered(let value, let arrival): return (value, arrival)
        case .failed(let reason): throw await agent.undelivered(on: id, reason)
        case .refused(let error): throw error
        case nil: throw Self.noAnswer
        }
    }

    /// Changes our DID and key; see `Agent.rotate(_:within:)`.
    func rotate(within limit: Duration) async throws -> DIDRotationProgress {
        let (events, rotation) = try await agent.withFreeKey { [id] agent in
            let events = agent.events()
            return (events, try await agent.parts.questions.beginRotation(of: id, within: limit))
        }
        let clock = agent.context.clock
        let thread = rotation.threadID
        let found: Result<DID, AriesError>? = try await forgetting(thread) {
            try await events.first(within: limit, by: clock) { event in
                switch event {
                case .received(id, .ownRotated(let connection)): .success(connection.ourDID)
                case .received(id, .problem(let report)) where report.threadID == thread && !report.isWarning:
                    .failure(.rejected(report))
                default: nil
                }
            }
        }
        try Task.checkCancellation()
        if let found { return DIDRotationProgress(did: try found.get(), isAcknowledged: true) }
        guard await agent.deliveryFailure(on: id) == nil else {
            throw await agent.undelivered(on: id, "The new DID could not be announced yet; it is kept and sent later.")
        }
        return DIDRotationProgress(did: rotation.did, isAcknowledged: false)
    }

    /// Runs `body`; when it fails, removes the question, for whose answer the caller then no longer waits.
    private func forgetting<Value: Sendable>(
        _ question: String, _ body: () async throws -> Value
    ) async throws -> Value {
        let value: Value
        do { value = try await body() } catch {
            await agent.add(.forgetQuestion(question))
            throw error
        }
        await agent.add(.forgetQuestion(question))
        return value
    }

    private static var noAnswer: AgentError {
        AgentError(.answerMissing, "The other side did not answer in the time allowed.")
    }
}
