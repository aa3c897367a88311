import CryptoSuite
package import DIDComm
package import Vault

/// The stored form of one of our keys with its owner: one connection, one invitation, all invitations that share a key,
/// or none yet.
package struct KeyRecord: Sendable {
    /// The owner of the key.
    package enum Owner: Hashable, Sendable {
        case connection(String)
        case invitation(String)
        /// The key is shared by all invitations by which we are known again, or is that of our public DID.
        case inviter
        /// The key has no owner yet: it is registered at a mediator ahead of its use.
        case spare

        static let spareTag = RecordTag("spare", "yes")
        static let inviterTag = RecordTag("inviter", "yes")

        var tag: RecordTag {
            switch self {
            case .spare: Self.spareTag
            case .inviter: Self.inviterTag
            case .connection(let id): RecordTag("connection", id)
            case .invitation(let id): RecordTag("invitation", id)
            }
        }

        init?(_ tags: [RecordTag]) {
            guard let tag = tags.first, tags.count == 1 else { return nil }
            if tag == Self.spareTag {
                self = .spare
                return
            }
            if tag == Self.inviterTag {
                self = .inviter
                return
            }
            switch tag.name {
            case "connection": self = .connection(tag.value)
            case "invitation": self = .invitation(tag.value)
            default: return nil
            }
        }
    }

    let key: AgentKey
    let owner: Owner
    /// The connection with the mediator that knows the key, or should know it.
    let mediator: String?
    /// The version that the store gave the record; nil for one that was never stored.
    private let storeVersion: UInt64?

    package init(_ key: AgentKey, owner: Owner, mediator: String? = nil) {
        self.key = key
        self.owner = owner
        self.mediator = mediator
        storeVersion = nil
    }

    private init(_ spare: KeyRecord, owner: Owner) {
        key = spare.key
        self.owner = owner
        mediator = spare.mediator
        storeVersion = spare.storeVersion ?? 1
    }

    /// The record of the same key with its new owner, for a spare key that comes into use.
    func given(to owner: Owner) -> KeyRecord { KeyRecord(self, owner: owner) }

    static func mediatorTag(_ connection: String) -> RecordTag { RecordTag("mediator", connection) }

    init(_ record: StoredRecord) throws {
        mediator = record.tags.first { $0.name == "mediator" }?.value
        storeVersion = record.version
        guard let owner = Owner(record.tags.filter { $0.name != "mediator" }) else {
            throw AgentError(.recordMalformed, "A key in the store has no owner.")
        }
        key = try AgentKey(seed: Secret(copying: record.value))
        guard key.verkey.base58 == record.id else {
            throw AgentError(.recordMalformed, "A key in the store stands under the name of another one.")
        }
        self.owner = owner
    }

    /// Writes the key's record, new or in place of the spare key that it was.
    package func save(in store: any RecordWriting) throws {
        let (id, value) = (key.verkey.base58, key.seed.copyBytes())
        let tags = [owner.tag] + (mediator.map { [Self.mediatorTag($0)] } ?? [])
        guard let storeVersion else {
            try store.insert(id, in: AgentCategories.keys, tags: tags, value: value)
            return
        }
        try store.replace(id, in: AgentCategories.keys, expecting: storeVersion, tags: tags, value: value)
    }
}
