import Aries
import DIDComm
import JSON
import Vault

/// A question about connection reuse, stored until it is answered.
struct ReuseRecord: Sendable {
    let connection: String
    let invitation: Invitation
    /// The handshake protocol to use when the inviter does not agree.
    let fallback: MessageProtocol
    /// The user's name for the inviter.
    let name: String?
    /// The inviter's service, where its document was looked for; nil where the invitation itself has it.
    let inviter: PeerService?
    /// The `@id` of the question, and the name of the record.
    let id: String

    init(
        connection: String, invitation: Invitation, fallback: MessageProtocol, name: String?,
        inviter: PeerService? = nil, id: String
    ) {
        self.connection = connection
        self.invitation = invitation
        self.fallback = fallback
        self.name = name
        self.inviter = inviter
        self.id = id
    }

    init(_ record: StoredRecord) throws {
        do {
            let reader = JSONValueReader(try JSONValue(parsing: record.value))
            id = record.id
            connection = try reader.string("connection")
            invitation = try Invitation(reader.object("invitation"))
            fallback = try MessageProtocol(parsing: reader.string("fallback"))
            name = try reader.optionalString("name")
            inviter = try reader.optional("inviter").map { try PeerService(storedService: $0) }
        } catch {
            throw AgentError(.recordMalformed, "A question to use a connection again cannot be read: \(error).")
        }
    }

    func insert(into store: any RecordWriting) throws {
        let value = JSONObject(present: [
            "connection": .string(connection), "invitation": .object(invitation.object),
            "fallback": .string(fallback.description), "name": name.map { .string($0) },
            "inviter": inviter.map { .object($0.stored) },
        ])
        try store.insert(
            id, in: AgentCategories.reuses, tags: [RecordTag("connection", connection)], value: value.encoded)
    }
}
