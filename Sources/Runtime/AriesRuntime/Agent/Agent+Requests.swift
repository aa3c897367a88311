public import Aries
public import DIDComm
import Vault

/// Requests that came with invitations or on connections.
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

    /// Keeps a request that stood alone, outside of any invitation, and tells it as `requested`.
    ///
    /// - Throws: errors of the store.
    public func keep(_ request: Message) async throws -> AttachedRequest {
        try await perform { agent in
            let kept = AttachedRequest(request, invitationID: nil, place: .alone)
            try await agent.store.write { store in try RequestRecord(kept).insert(into: store) }
            agent.watchers.tell(.requested(kept))
            return kept
        }
    }

    /// Declines a request, keeps it no longer, and tells its sender.
    ///
    /// On a connection the sender is told even after a restart; without one it is tried once, by a key that is used for
    /// nothing else. What became of it is told as `sent` or `undelivered` of the connection, or of the request's `@id`.
    /// - Returns: the `@id` of the message that tells the sender.
    /// - Throws: as `answer`.
    @discardableResult
    public func decline(_ request: AttachedRequest) async throws -> String {
        try await perform { agent in
            let refusal = request.refusal(id: Message.makeID(from: &agent.random))
            if case .alone = request.place {
                try await agent.refuseAlone(request, refusal)
            } else {
                try await agent.close(request, with: refusal)
            }
            return refusal.id
        }
    }

    private func refuseAlone(_ request: AttachedRequest, _ refusal: Message) async throws {
        let id = request.message.id
        let invitation = try await store.write { store in
            guard let stored = try store.record(id, in: AgentCategories.requests) else { throw Self.unknownRequest }
            try store.remove(id, in: AgentCategories.requests, expecting: nil)
            return try RequestRecord(stored).invitation
        }
        let key = AgentKey.make(from: &random)
        do {
            let address = AgentAddress(key: key.verkey, endpoint: .queue)
            let fallback = try invitation.map { try inviter(of: $0) }
            lanes.append(.single(try request.outgoing(refusal, from: address, fallback: fallback), key: key), to: id)
            drive(id)
        } catch  where error is AriesError || error is DIDCommError {
            tellPassedOver(error, on: nil)
            watchers.tell(.undelivered(connection: id, messageID: refusal.id))
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
