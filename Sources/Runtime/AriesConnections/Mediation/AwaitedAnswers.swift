/// The awaited answers: while there are any, a mediator is polled more often.
final class AwaitedAnswers {
    /// The kind of an awaited answer.
    enum AwaitedAnswer: Hashable {
        /// The next message of this connection's handshake is awaited.
        case handshake(String)
        /// The answer to the question with this `@id`, which asks to reuse a connection, is awaited.
        case reuse(String)
        /// The answer to the user's question with this `@id`, such as a ping, is awaited.
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
