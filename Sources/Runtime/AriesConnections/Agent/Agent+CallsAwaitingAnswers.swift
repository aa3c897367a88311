public import Aries
import DIDComm
import Determinism

/// The calls that wait for the other side of a connection, or for the mediator.
extension Agent {
    /// Pings the other side; returns how long its answer took.
    ///
    /// - Throws: `agent.answer.missing`, `agent.delivery.failed`, `agent.connection.*`, `agent.*`, and errors of the
    /// store.
    public func ping(_ id: String, within limit: Duration, comment: String? = nil) async throws -> Duration {
        let start = context.now()
        let question = TrustPing.ping(id: makeID(), comment: comment)
        let answered = try await AgentConnection(id: id, outcome: .opened, agent: self).ask(
            .ping, question, within: limit
        ) { event in
            event == .pingAnswered(threadID: question.id) ? true : nil
        }
        return answered.arrival - start
    }

    /// The features that the other side discloses; untrusted text.
    ///
    /// - Parameter pattern: which protocols are asked for; an asterisk at its end stands for anything.
    /// - Throws: as `ping`.
    public func features(of id: String, matching pattern: String = "*", within limit: Duration) async throws
        -> FeatureList
    {
        let question = FeatureList.query(pattern, version: .discoverFeatures10, id: makeID())
        return try await AgentConnection(id: id, outcome: .opened, agent: self).ask(.features, question, within: limit)
        { event in
            if case .features(let list) = event { list } else { nil }
        }.value
    }

    /// Changes our DID and key of a connection, and waits until the other side has acknowledged it.
    ///
    /// The change is stored, and announced once. Without an acknowledgement in time it goes on: messages go by the old
    /// DID, both count, `ConnectionSummary.rotation` shows it, and another call waits for the same change.
    /// - Throws: as `ping`, but not for want of an answer; `agent.mediator.in-use`; `aries.connection.rejected`.
    @discardableResult
    public func rotate(_ id: String, within limit: Duration) async throws -> DIDRotationProgress {
        try await AgentConnection(id: id, outcome: .opened, agent: self).rotate(within: limit)
    }

    // The mediator.

    /// Connects with a mediator and requests mediation; `mediated(within:)` waits for its answer.
    ///
    /// The same invitation again repeats the request. A mediator that has not granted is replaced.
    /// - Throws: `agent.mediator.in-use` when another mediator is in use, `aries.invitation.handshake-unsupported` for
    ///   an invitation that offers no connection, and as `accept`.
    public func useMediator(_ invitation: Invitation) async throws -> AgentConnection {
        try await perform { agent in try agent.parts.mediation.checkFree(for: invitation) }
        let connection = try await accept(invitation)
        guard connection.outcome != .requestOnly else {
            throw AriesError(.handshakeUnsupported, "The invitation offers no connection.")
        }
        try await perform { agent in try await agent.parts.mediation.begin(connection.id, invitation) }
        return connection
    }

    /// Waits until the mediator has granted and has confirmed a free key.
    ///
    /// - Throws: `agent.mediator.unknown` when there is none, `agent.mediator.unreachable` when `duration` has passed,
    ///   `aries.mediation.refused` when it denied, `aries.connection.rejected` with its words when it rejected the
    ///   request, as some mediators do with a repeated one, and why the connection with it was abandoned.
    @discardableResult
    public func mediated(within duration: Duration) async throws -> MediationClientSummary {
        let found = try await awaitMediator(within: duration) { agent in
            try await agent.parts.mediation.readySummary()
        }
        guard let found else {
            throw AgentError(.mediatorUnreachable, "The mediator did not do what it was asked for within \(duration).")
        }
        return found
    }

    /// The mediator in use; nil for none.
    public func mediator() async throws -> MediationClientSummary? {
        try await perform { agent in try await agent.parts.mediation.summary() }
    }

    /// Removes our keys from the mediator, and deletes it with its connection and its quarantined messages.
    ///
    /// A peer that knows only the mediator's address does not reach us any more.
    /// - Parameters:
    ///   - isForced: also when connections or invitations still use its address.
    ///   - duration: how long to wait for the mediator; after that it is deleted without its confirmation.
    /// - Returns: whether it confirmed that it has forgotten our keys.
    /// - Throws: `agent.mediator.unknown`, `agent.mediator.in-use`, `agent.*`, and errors of the store.
    @discardableResult
    public func leaveMediator(isForced: Bool = false, within duration: Duration = .seconds(10)) async throws -> Bool {
        let isAsked = try await perform { agent in try await agent.parts.mediator.beginLeaving(isForced: isForced) }
        var isConfirmed: Bool?
        do {
            isConfirmed = try await awaitMediator(within: duration) { agent -> Bool? in
                guard isAsked, let use = agent.parts.mediator.current else { return false }
                return use.isLeft
            }
        } catch {
            try? await perform { agent in try await agent.parts.mediator.stay() }
            throw error
        }
        try await perform { agent in try await agent.parts.mediation.forget() }
        return isConfirmed ?? false
    }

    /// Sets the webhook that the mediator wakes us by; nil removes it.
    ///
    /// - Returns: what it says now; nil when we are not woken.
    /// - Throws: `agent.mediator.unknown`, `agent.mediator.unreachable` also when `duration` has passed,
    ///   `aries.connection.rejected` when it refuses, `aries.connection.timeout`, and why the connection failed.
    @discardableResult
    public func setWake(_ call: ClientWebhook?, within duration: Duration) async throws -> WebhookState? {
        try await wake(.set(call), within: duration)
    }

    /// Asks the mediator for our webhook; nil for none.
    ///
    /// - Throws: as `setWake(_:within:)`.
    public func wakeState(within duration: Duration) async throws -> WebhookState? {
        try await wake(.ask, within: duration)
    }

    private func wake(_ action: WebhookRequest.Action, within duration: Duration) async throws -> WebhookState? {
        try await perform { agent in try await agent.parts.mediation.wake(action) }
        let answer = try await awaitMediator(within: duration) { agent in agent.parts.mediator.current?.wakeAnswer }
        guard let answer else {
            throw AgentError(.mediatorUnreachable, "The mediator did not answer within \(duration).")
        }
        return try answer.get()
    }

    // Waiting for the mediator.

    /// Performs `body`, and repeats it when the mediator has confirmed a free key, as long as it fails for lack of one.
    func withFreeKey<Result: Sendable>(
        _ body: @escaping @Sendable (isolated Agent) async throws -> Result
    ) async throws -> Result {
        let end = context.now() + context.configuration.mediatorWait
        while true {
            do {
                return try await perform(body)
            } catch let error as AgentError where error.code == .mediatorKeyMissing {
                let now = context.now()
                guard now < end, context.configuration.mediator.mode == .full else { throw error }
                let isFree = try await awaitMediator(within: end - now) { agent in agent.parts.mediation.hasFreeKey() }
                guard isFree == true else { throw error }
            }
        }
    }

    /// Calls `look` after each change of the mediator's state until it finds something; nil when `duration` has passed
    /// first.
    private func awaitMediator<Value: Sendable>(
        within duration: Duration, _ look: @escaping @Sendable (isolated Agent) async throws -> Value?
    ) async throws -> Value? {
        for await _ in parts.mediator.changes(until: context.now() + duration) {
            if let value = try await perform(look) { return value }
        }
        try Task.checkCancellation()
        guard isRunning else { throw AgentError(.stopped, "The agent was stopped.") }
        return nil
    }
}
