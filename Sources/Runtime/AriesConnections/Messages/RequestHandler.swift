public import Aries
public import DIDComm
public import JSON

/// Answers requests of protocols that the agent itself does not speak, such as issue-credential or present-proof.
///
/// An application gives its handlers to `AgentConfiguration.requestHandlers`. A request waits in the store, is reported
/// as `AgentEvent.requested` and listed by `Agent.requests(on:)`, until the application has it answered by
/// `AgentConnection.answer(_:)` or declined: no handler is called before that, so a person can be asked. Source: RFC
/// 0434, attached requests.
public protocol RequestHandler: Sendable {
    /// The protocols whose requests it answers, in any minor version, with our roles; the agent discloses them.
    var features: [FeatureList.Feature] { get }

    /// The answer to a request of one of its protocols: the type and the members of the message.
    ///
    /// The agent adds `@id` and `~thread`. Called outside of the agent's jobs, so it may wait for a person.
    /// - Throws: whatever keeps it from answering; the request stays.
    func answer(to request: AttachedRequest) async throws -> RequestAnswer
}

/// The answer of a handler to a request.
public struct RequestAnswer: Hashable, Sendable {
    /// The type of the message.
    public let type: MessageType
    /// The members of the request without `@type`, `@id` and `~thread`.
    public let body: JSONObject

    /// Makes an answer from its parts.
    public init(_ type: MessageType, body: JSONObject = [:]) { (self.type, self.body) = (type, body) }
}

extension AgentConnection {
    /// The handler of the configuration that answers a request; nil for none.
    public func handler(of request: AttachedRequest) -> (any RequestHandler)? {
        agent.context.configuration.requestHandlers.first { $0.answers(request) }
    }

    /// Has the handler of a request's protocol answer it on this connection, and deletes it.
    ///
    /// Further messages of the exchange come as events, `received` with `other`.
    /// - Returns: the answer, which is sent even after a restart.
    /// - Throws: `agent.request.unhandled` without such a handler, what the handler throws, `agent.request.unknown` for
    ///   a request of another connection, and as `send` does; the request is still there then.
    @discardableResult
    public func answer(_ request: AttachedRequest) async throws -> Message {
        guard request.binding == .connection(id) else { throw AttachedRequests.unknown }
        guard let handler = handler(of: request) else {
            throw AgentError(.requestUnhandled, "No handler answers requests of \(request.message.type.protocol).")
        }
        let answer = try await handler.answer(to: request)
        let thread = MessageThread(id: request.message.threadID, parentID: request.invitationID)
        let message = Message(answer.type, id: await agent.makeID(), thread: thread, body: answer.body)
        try await agent.answer(request, with: message)
        return message
    }
}

extension RequestHandler {
    /// True when a request is of one of the handler's protocols.
    func answers(_ request: AttachedRequest) -> Bool {
        features.contains { request.message.type.protocol.isCompatible(with: $0.protocol) }
    }
}
