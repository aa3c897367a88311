public import Aries
import DIDComm
import Determinism

/// How the mediator wakes us when messages wait and we are away.
extension Agent {
    /// Has the mediator wake us so, or nil: not any more.
    ///
    /// - Returns: what it says now; nil when we are not woken.
    /// - Throws: `agent.mediator.unknown`, `agent.mediator.unreachable` when the mediator does not serve us or `duration` has
    ///   passed, `aries.rejected` when it refuses, `aries.timeout`, and why the connection with it failed.
    @discardableResult
    public func setWake(_ call: WakeCall?, within duration: Duration) async throws -> WakeState? {
        try await wake(.set(call), within: duration)
    }

    /// Asks the mediator how it wakes us; nil when it does not.
    ///
    /// - Throws: as `setWake(_:within:)`.
    public func wakeState(within duration: Duration) async throws -> WakeState? {
        try await wake(.ask, within: duration)
    }

    private func wake(_ wish: WakeRequest.Wish, within duration: Duration) async throws -> WakeState? {
        try await perform { agent in try await agent.beginWake(wish) }
        let answer = try await awaitMediator(within: duration) { agent in agent.mediator?.wakeAnswer }
        guard let answer else {
            throw AgentError(.mediatorUnreachable, "The mediator did not answer within \(duration).")
        }
        return try answer.get()
    }

    private func beginWake(_ wish: WakeRequest.Wish) async throws {
        guard let run = mediator else { throw Self.noMediator }
        guard run.record.stage == .granted, let connection = run.client?.connection else {
            throw AgentError(.mediatorUnreachable, "The mediator does not take messages for us.")
        }
        var random = drawnRandom()
        mediator?.wakeAnswer = nil
        mediator?.wake = WakeRequest(wish, connection, random: &random)
        stepWake(.start)
    }

    /// Gives an event to the wish under way, if there is one.
    func stepWake(_ input: WakeRequest.Input) {
        guard var wake = mediator?.wake else { return }
        let outputs = wake.handle(input, at: timekeeper.now())
        mediator?.wake = wake
        for output in outputs {
            switch output {
            case .send(let outgoing): sendToMediator(outgoing)
            case .told(let state): mediator?.wakeAnswer = .success(state)
            case .failed(let error): mediator?.wakeAnswer = .failure(error)
            case .ignored(let error): tellPassedOver(error, on: mediator?.connection)
            }
        }
        if mediator?.wakeAnswer != nil {
            mediator?.wake = nil
            mediatorChanged()
        }
    }
}
