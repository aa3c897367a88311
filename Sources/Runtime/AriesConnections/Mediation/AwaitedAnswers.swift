/// The awaited answers: while there are any, a mediator is polled more often.
final class AwaitedAnswers {
    /// The kind of an awaited answer.
    enum AwaitedAnswer: Hashable {
        /// The handshake of this connection.
        case handshake(String)
        /// The question with this `@id` whether a connection is used again.
        case reuse(String)
        /// The question with this `@id` of the user.
        case question(String)
    }

    private var subjects: Set<AwaitedAnswer> = []

    func begin(_ subject: AwaitedAnswer) { subjects.insert(subject) }

    func end(_ subject: AwaitedAnswer) { subjects.remove(subject) }

    func contains(_ subject: AwaitedAnswer) -> Bool { subjects.contains(subject) }

    func removeAll() { subjects = [] }

    /// Returns true when any answer is awaited except that of this connection's handshake.
    func isAny(besides connection: String) -> Bool {
        subjects.count > (subjects.contains(.handshake(connection)) ? 1 : 0)
    }
}
