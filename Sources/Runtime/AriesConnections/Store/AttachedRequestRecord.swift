import Aries
import DIDComm
import JSON
import Vault

/// A request that came with an invitation or on a connection, kept until it is answered or declined.
struct AttachedRequestRecord: Sendable {
    let request: AttachedRequest
    /// The invitation of a connectionless request, which may not name its own reply address.
    let invitation: Invitation?

    init(_ request: AttachedRequest, of invitation: Invitation? = nil) {
        self.request = request
        self.invitation = request.binding == .connectionless ? invitation : nil
    }

    init(_ record: StoredRecord) throws {
        do {
            let reader = JSONValueReader(try JSONValue(parsing: record.value, limits: Self.limits))
            let binding =
                try reader.optionalString("connection").map { AttachedRequest.Binding.connection($0) }
                ?? .connectionless
            request = AttachedRequest(
                try Message(reader.object("message")), invitationID: try reader.optionalString("invitation"),
                binding: binding)
            invitation = try reader.optional("source").map { try Invitation($0.object()) }
        } catch {
            throw AgentError(.recordMalformed, "A request in the store cannot be read: \(error).")
        }
    }

    private static let limits = JSONLimits(
        maximumBytes: RecordLimits.valueBytes, maximumDepth: JSONLimits.standard.maximumDepth + 1,
        maximumStringBytes: Invitation.maximumBytes)

    private var connection: String? {
        if case .connection(let id) = request.binding { id } else { nil }
    }

    /// The most requests kept for one connection; later ones are stored as messages only.
    static let maximumArrived = 256

    /// Stores a request that came on a connection, unless too many of its requests wait; false when it was not stored.
    func insertArrived(into store: any RecordWriting, on connection: String) throws -> Bool {
        let tags = [RecordTag("connection", connection)]
        guard request.message.id.utf8.count <= RecordLimits.idBytes,
            try store.count(in: AgentCategories.requests, tags: tags) < Self.maximumArrived
        else { return false }
        try insert(into: store)
        return true
    }

    /// Stores the request unless it is stored already.
    func insert(into store: any RecordWriting) throws {
        guard try store.record(request.message.id, in: AgentCategories.requests) == nil else { return }
        let value = JSONObject(present: [
            "message": .object(request.message.object), "invitation": request.invitationID.map { .string($0) },
            "connection": connection.map { .string($0) }, "source": invitation.map { .object($0.object) },
        ])
        try store.insert(
            request.message.id, in: AgentCategories.requests,
            tags: connection.map { [RecordTag("connection", $0)] } ?? [], value: value.encoded)
    }
}
