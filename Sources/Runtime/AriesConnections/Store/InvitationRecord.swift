import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// The stored form of an invitation that we issued; its key has a record of its own.
struct InvitationRecord: Sendable {
    let id: String
    var issued: IssuedInvitation
    /// The time at which the invitation was made; nil when an earlier version of this program made it.
    let created: WallTime?
    /// True when other invitations have the same key.
    let sharesKey: Bool
    /// The short link at which the mediator serves it; nil for none.
    var shortLink: String?
    var storeVersion: UInt64 = 0

    init(_ issued: IssuedInvitation, created: WallTime? = nil, sharesKey: Bool = false) {
        id = issued.invitation.id
        self.issued = issued
        self.created = created
        self.sharesKey = sharesKey
    }

    /// The tag of all invitations that share a key.
    static func shared(_ key: Verkey) -> RecordTag { RecordTag("key", key.base58) }

    init(_ record: StoredRecord) throws {
        do {
            id = record.id
            storeVersion = record.version
            sharesKey = record.tags.contains { $0.name == "key" }
            let reader = JSONValueReader(try JSONValue(parsing: record.value))
            issued = try IssuedInvitation(stored: reader)
            created = try reader.optional("created").map { WallTime(millisecondsSinceEpoch: Int64(try $0.int())) }
            shortLink = try reader.optionalString("shortLink")
        } catch {
            throw AgentError(.recordMalformed, "An invitation in the store cannot be read: \(error).")
        }
    }

    func save(in store: any RecordWriting) throws {
        var state = issued.state
        if let created { state["created"] = .int(Int(created.millisecondsSinceEpoch)) }
        if let shortLink { state["shortLink"] = .string(shortLink) }
        let (value, tags) = (state.encoded, sharesKey ? [Self.shared(issued.address.key)] : [])
        guard storeVersion > 0 else {
            try store.insert(id, in: AgentCategories.invitations, tags: tags, value: value)
            return
        }
        try store.replace(id, in: AgentCategories.invitations, expecting: storeVersion, tags: tags, value: value)
    }
}
