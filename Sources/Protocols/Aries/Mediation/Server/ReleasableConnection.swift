import Determinism

/// The connection of a mediator's session, which is released from memory while the channel is idle.
///
/// A client that waits on its channel would otherwise cost the memory of two documents.
struct ReleasableConnection: Sendable {
    private final class Box: Sendable {
        let connection: Connection

        init(_ connection: Connection) { self.connection = connection }
    }

    private var box: Box?
    /// The time at which an idle connection is released.
    private(set) var releaseTime: MonotonicInstant?

    init(_ connection: Connection) { box = Box(connection) }

    /// The connection; nil after it was released.
    var connection: Connection? { box?.connection }

    var isReleased: Bool { box == nil }

    mutating func hold(_ connection: Connection) { box = Box(connection) }

    /// Returns the connection; throws `aries.state.malformed` after it was released.
    func required() throws(AriesError) -> Connection {
        guard let box else { throw Self.missing }
        return box.connection
    }

    static var missing: AriesError {
        AriesError(.stateMalformed, "The record of the connection could not be read.")
    }

    /// Schedules the release after each event, and releases the connection when its time has come.
    ///
    /// - Parameters:
    ///   - isIdle: true when nothing is under way; otherwise the connection is not released.
    ///   - isTime: true when the event was the passing of time alone.
    mutating func plan(isIdle: Bool, isTime: Bool, interval: Duration, at now: MonotonicInstant) {
        guard isIdle, box != nil else {
            releaseTime = nil
            return
        }
        guard isTime, let releaseTime else {
            releaseTime = now + interval
            return
        }
        guard now >= releaseTime else { return }
        box = nil
        self.releaseTime = nil
    }
}
