/// The connection of a mediator's session, in memory that is released while the session rests.
final class HeldConnection: Sendable {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }
}
