import Aries
import DIDComm
import Vault

/// The requests that came with invitations or on connections, kept until they are answered or declined.
final class AttachedRequests {
    private let context: AgentContext
    private let messages: ConnectionMessages
    private let delivery: MessageDelivery
    private let observers: AgentObservers

    init(_ context: AgentContext, messages: ConnectionMessages, delivery: MessageDelivery, observers: AgentObservers) {
        self.context = context
        self.messages = messages
        self.delivery = delivery
        self.observers = observers
    }

    static var unknown: AgentError {
        AgentError(.requestUnknown, "There is no such request, or it cannot be answered on a connection.")
    }

    /// Returns the requests that are neither answered nor declined, of one connection or of all.
    func all(on connection: String?) async throws -> [AttachedRequest] {
        let tags = connection.map { [RecordTag("connection", $0)] } ?? []
        let page = try await context.store.records(
            in: AgentCategories.requests, tags: tags, limit: RecordLimits.pageRecords)
        return try page.records.map { try AttachedRequestRecord($0).request }
    }

    /// Keeps a connectionless request, outside of any invitation.
    func keep(_ request: Message) async throws -> AttachedRequest {
        let kept = AttachedRequest(request, invitationID: nil, binding: .connectionless)
        try await context.store.write { store in try AttachedRequestRecord(kept).insert(into: store) }
        observers.report(.requested(kept))
        return kept
    }

    /// Keeps the requests of an invitation.
    func keepAll(of invitation: Invitation, boundTo binding: AttachedRequest.Binding) async throws {
        let requests = try AttachedRequest.all(of: invitation, boundTo: binding)
        guard !requests.isEmpty else { return }
        try await context.store.write { store in
            for request in requests { try AttachedRequestRecord(request, of: invitation).insert(into: store) }
        }
        for request in requests { observers.report(.requested(request)) }
    }

    /// Declines a request.
    ///
    /// - Returns: the `@id` of the message to the sender.
    func decline(_ request: AttachedRequest) async throws -> String {
        let refusal = request.refusal(id: context.makeID())
        if case .connectionless = request.binding {
            try await declineConnectionless(request, refusal)
        } else {
            try await answer(request, with: refusal)
        }
        return refusal.id
    }

    private func declineConnectionless(_ request: AttachedRequest, _ refusal: Message) async throws {
        let id = request.message.id
        let invitation = try await context.store.write { store in
            guard let stored = try store.record(id, in: AgentCategories.requests) else { throw Self.unknown }
            try store.remove(id, in: AgentCategories.requests, expecting: nil)
            return try AttachedRequestRecord(stored).invitation
        }
        let key = context.makeKey()
        do {
            let address = AgentAddress(key: key.verkey, endpoint: .queue)
            let fallback = try invitation.map { try context.service(of: $0) }
            let outgoing = try request.outgoing(refusal, from: address, fallback: fallback)
            delivery.append(.single(outgoing, key: key), to: id)
        } catch  where error is AriesError || error is DIDCommError {
            observers.passedOver(error, on: nil)
            observers.report(.undelivered(connection: id, messageID: refusal.id))
        }
    }

    /// Answers a request on its connection, and deletes it.
    func answer(_ request: AttachedRequest, with answer: Message) async throws {
        guard case .connection(let connection) = request.binding else { throw Self.unknown }
        try await messages.send(answer, on: connection, closing: request)
    }
}
