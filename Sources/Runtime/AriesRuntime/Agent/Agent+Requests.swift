public import Aries
public import DIDComm
import Vault

/// Requests that came with invitations.
extension Agent {
    /// The requests that nobody has answered or declined yet, of one connection or of all; at most 1,000.
    public func requests(on connection: String? = nil) async throws -> [AttachedRequest] {
        try await perform { agent in
            let tags = connection.map { [RecordTag("connection", $0)] } ?? []
            let page = try await agent.store.records(
                in: AgentCategories.requests, tags: tags, limit: RecordLimits.pageRecords)
            return try page.records.map { try RequestRecord($0).request }
        }
    }

    /// Answers a request on its connection, and keeps it no longer.
    ///
    /// - Parameter answer: belongs to the thread of the request.
    /// - Throws: `agent.request.unknown`, also for one without a connection; and as `send` does.
    public func answer(_ request: AttachedRequest, with answer: Message) async throws {
        try await perform { agent in try await agent.close(request, with: answer) }
    }

    /// Declines a request, and keeps it no longer; its sender is told when it belongs to a connection.
    ///
    /// - Throws: as `answer`.
    public func decline(_ request: AttachedRequest) async throws {
        try await perform { agent in
            let refusal = request.refusal(id: Message.makeID(from: &agent.random))
            if case .alone = request.place { return try await agent.drop(request) }
            try await agent.close(request, with: refusal)
        }
    }

    private func drop(_ request: AttachedRequest) async throws {
        let id = request.message.id
        try await store.write { store in
            guard try store.record(id, in: AgentCategories.requests) != nil else { throw Self.unknownRequest }
            try store.remove(id, in: AgentCategories.requests, expecting: nil)
        }
    }

    private func close(_ request: AttachedRequest, with answer: Message) async throws {
        guard case .connection(let connection) = request.place else { throw Self.unknownRequest }
        try await store(answer, on: connection, closing: request)
    }

    static var unknownRequest: AgentError {
        AgentError(.requestUnknown, "There is no such request, or it cannot be answered on a connection.")
    }
}
