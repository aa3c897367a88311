import ByteCoding

/// An answer to a post that is no envelope: some servers say a few words to people, and one that is no agent sends a
/// page.
struct NonEnvelopeResponse: Hashable, Sendable {
    /// The kind of the answer in words, such as `nothing`.
    let kind: String
    /// True when nothing came: the answer may still come in another way.
    var isEmpty: Bool { kind == Self.nothing }
    var isJSON: Bool { kind == Self.json }

    private static let nothing = "nothing"
    private static let json = "JSON that is no message"
    /// The name of the member that each envelope has, with its quotation marks.
    private static let marker = Array("\"protected\"".utf8)

    /// Describes an answer; nil for one that may be an envelope.
    init?(_ answer: [UInt8]) {
        let start = answer.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        switch start.map({ answer[$0] }) {
        case nil: kind = Self.nothing
        case UInt8(ascii: "{")?:
            guard !Self.hasMarker(answer) else { return nil }
            kind = Self.json
        case UInt8(ascii: "<")?: kind = "a page"
        case _?: kind = "a text"
        }
    }

    private static func hasMarker(_ answer: [UInt8]) -> Bool {
        guard answer.count >= marker.count else { return false }
        return (0...answer.count - marker.count).contains { start in
            answer[start] == marker[0] && answer[start..<start + marker.count].elementsEqual(marker)
        }
    }

    /// The answer as the cause of a failure.
    var error: AgentError {
        AgentError(.deliveryForeign, "The server at the other side's address answered a message with \(kind).")
    }
}

extension AgentConnection {
    /// The answer of a server that is no agent's to our request for the connection, where no other answer can reach
    /// us; nil as long as one may come.
    ///
    /// - Parameter countsEmpty: whether an empty answer counts, after ten seconds; an inviter may want to ask its
    ///   owner, and a mediator answers at once.
    /// - Throws: `agent.*`, and errors of the store.
    public func foreignAnswer(countsEmpty: Bool) async throws -> AgentError? {
        try await agent.perform { [id] agent in
            guard let answer = agent.parts.delivery.foreignAnswer(on: id, at: agent.context.now()),
                countsEmpty || !answer.isEmpty,
                try await agent.parts.handshakes.summary(id)?.takesLateAnswers == false
            else { return nil }
            return answer.error
        }
    }
}
