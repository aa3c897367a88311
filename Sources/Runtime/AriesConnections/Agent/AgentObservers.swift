import Aries

/// The streams of an agent's events.
final class AgentObservers {
    /// The number of unread events that a stream keeps; older ones are dropped.
    static let capacity = 1024

    private var listeners: [AsyncStream<AgentEvent>.Continuation] = []
    private var stages: [String: [AsyncStream<HandshakeStage>.Continuation]] = [:]

    func events() -> AsyncStream<AgentEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AgentEvent.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        listeners.append(continuation)
        return stream
    }

    /// Follows a connection from `stage` on.
    func stages(of connection: String, from stage: HandshakeStage) -> AsyncStream<HandshakeStage> {
        let (stream, continuation) = AsyncStream.makeStream(of: HandshakeStage.self)
        continuation.yield(stage)
        if stage == .completed || stage == .abandoned {
            continuation.finish()
        } else {
            stages[connection, default: []].append(continuation)
        }
        return stream
    }

    /// Reports an event to all observers.
    func report(_ event: AgentEvent) {
        listeners.removeAll { listener in
            if case .terminated = listener.yield(event) { return true }
            return false
        }
        if case .undeliverable(let connection, _) = event { return finish(connection) }
        guard case .stage(let connection, let stage, _, _) = event else { return }
        for listener in stages[connection] ?? [] { listener.yield(stage) }
        if stage == .completed || stage == .abandoned { finish(connection) }
    }

    /// Reports an ignored message, by the code of its error.
    func passedOver(_ error: any Error, on connection: String?) {
        let (code, reason) = AgentError.text(of: error)
        report(.passedOver(connection: connection, code: code, reason: reason))
    }

    /// Ends the streams of a connection's stages.
    func finish(_ connection: String) {
        for listener in stages.removeValue(forKey: connection) ?? [] { listener.finish() }
    }

    func finishAll() {
        for listener in listeners { listener.finish() }
        listeners = []
        finishStages()
    }

    /// Ends the streams of all stages.
    func finishStages() {
        for connection in stages.keys.sorted() { finish(connection) }
    }
}
