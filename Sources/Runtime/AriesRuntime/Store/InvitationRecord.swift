import Aries
import DIDComm
import JSON
import Vault

/// An invitation of ours as the store keeps it; the key is a record of its own.
struct InvitationRecord: Sendable {
    let id: String
    var issued: IssuedInvitation
    var storeVersion: UInt64 = 0

    init(_ issued: IssuedInvitation) {
        id = issued.invitation.id
        self.issued = issued
    }

    init(_ record: StoredRecord) throws {
        do {
            id = record.id
            storeVersion = record.version
            issued = try IssuedInvitation(stored: JSONReader(JSONValue(parsing: record.value)))
        } catch {
            throw AgentError(.recordMalformed, "An invitation in the store cannot be read: \(error).")
        }
    }

    func save(in store: any RecordWriting) throws {
        let value = issued.state.encoded
        guard storeVersion > 0 else {
            try store.insert(id, in: AgentCategories.invitations, tags: [], value: value)
            return
        }
        try store.replace(id, in: AgentCategories.invitations, expecting: storeVersion, tags: [], value: value)
    }
}
