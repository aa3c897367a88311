import Determinism

/// The hand-over under way: its actor, and the task that reports its events.
final class HandOver<Session: Sendable>: Sendable {
    private let current = Lock<(session: Session, events: Task<Void, Never>)?>(nil)

    deinit { current.withLock { $0?.events.cancel() } }

    /// The actor of the hand-over; nil before the first one.
    var session: Session? { current.withLock { $0?.session } }

    func begin(_ session: Session, reporting events: Task<Void, Never>) {
        current.withLock { $0 = (session, events) }
    }

    /// Ends the hand-over, and returns when its last event was reported.
    func end(_ disconnect: (Session) async -> Void) async {
        let ended = current.withLock { current in
            defer { current = nil }
            return current
        }
        guard let ended else { return }
        await disconnect(ended.session)
        await ended.events.value
    }
}
