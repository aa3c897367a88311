import Aries
import AriesConnections
import DIDComm
import Terminal

/// A word by which a user means a connection: its identifier, its name, what the other side calls itself, or the
/// beginning of its identifier.
///
/// They count in this order: a word that is an identifier is no name, and what the other side calls itself, which
/// anyone may choose, counts only where no name of ours is the word. Of several of one name, those that can be used
/// count before those that were given up or have ended. A word that still means several is refused.
struct ConnectionReference: Sendable {
    private static let page = 500

    private let word: String

    init(_ word: String) { self.word = word }

    /// - Throws: `agent.connection.unknown`; `usage.bad-value` for a word that means several.
    func find(in agent: Agent) async throws -> ConnectionSummary {
        if let summary = try await agent.summary(of: word) { return summary }
        let matches = try await matches(in: agent)
        for some in matches {
            let usable = some.filter { !$0.isEnded && $0.stage != .abandoned }
            if let only = usable.count == 1 ? usable[0] : some.count == 1 ? some[0] : nil { return only }
            guard some.isEmpty else { throw ambiguous(some) }
        }
        throw AgentError(.connectionUnknown, "The vault has no connection of that name.")
    }

    /// The connections that match by name, by label, and by the beginning of their identifiers.
    private func matches(in agent: Agent) async throws -> [[ConnectionSummary]] {
        var found: [[ConnectionSummary]] = [[], [], []]
        try await ConnectionOptions.pages(.max) { cursor, _ in
            let page = try await agent.connections(after: cursor, limit: Self.page)
            for summary in page.connections {
                if summary.name == word { found[0].append(summary) }
                if summary.name == nil, summary.label == word { found[1].append(summary) }
                if IdentifierPrefix.matches(summary.id, word) { found[2].append(summary) }
            }
            return (page.connections.count, page.next)
        }
        return found
    }

    private func ambiguous(_ some: [ConnectionSummary]) -> UsageError {
        IdentifierPrefix.ambiguous(word, some.map(\.id), of: "connections")
    }
}

/// Identifiers that a user may write by their beginning.
enum IdentifierPrefix {
    /// The fewest bytes of a beginning.
    static let minimumBytes = 4

    /// Returns true when `word` is the beginning of an identifier, and long enough.
    static func matches(_ id: String, _ word: String) -> Bool {
        word.utf8.count >= minimumBytes && id.utf8.starts(with: word.utf8)
    }

    /// The identifier that is `word`, or the only one that begins with it; nil for none.
    ///
    /// - Throws: `usage.bad-value` for the beginning of several.
    static func choose(_ word: String, among ids: [String], of kind: String) throws(UsageError) -> String? {
        if ids.contains(word) { return word }
        let found = ids.filter { matches($0, word) }
        guard found.count < 2 else { throw ambiguous(word, found, of: kind) }
        return found.first
    }

    static func ambiguous(_ word: String, _ ids: [String], of kind: String) -> UsageError {
        let shown = ids.prefix(5).map { TerminalText.sanitised($0, limit: 36) }.joined(separator: ", ")
        return UsageError(
            .badValue, "“\(TerminalText.sanitised(word, limit: 60))” means \(ids.count) \(kind).",
            nextStep: "Give one of their identifiers: \(shown)\(ids.count > 5 ? ", …" : "").")
    }
}
