/// The awaited answers: while there are any, a mediator is polled more often.
final class AwaitedAnswers {
    /// The kind of an awaited answer.
    enum Subject: Hashable {
        /// The handshake of this connection.
        case handshake(String)
        /// The question with this `@id` whether a connection is used again.
        case reuse(String)
        /// The question with this `@id` of the user.
        case question(String)
    }

    private var subjects: Set<Subject> = []

    func begin(_ subject: Subject) { subjects.insert(subject) }

    func end(_ subject: Subject) { subjects.remove(subject) }

    func contains(_ subject: Subject) -> Bool { subjects.contains(subject) }

    func removeAll() { subjects = [] }

    /// Whether any answer is awaited but that of this connection's handshake.
    func isAny(besides connection: String) -> Bool {
        subjects.count > (subjects.contains(.handshake(connection)) ? 1 : 0)
    }
}
