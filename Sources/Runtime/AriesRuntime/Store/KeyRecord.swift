import CryptoSuite
import DIDComm
import Vault

/// A key of ours with whom it belongs to: exactly one connection or one invitation.
struct KeyRecord: Sendable {
    /// Whose key it is.
    enum Owner: Hashable, Sendable {
        case connection(String)
        case invitation(String)

        var tag: RecordTag {
            switch self {
            case .connection(let id): RecordTag("connection", id)
            case .invitation(let id): RecordTag("invitation", id)
            }
        }

        init?(_ tags: [RecordTag]) {
            guard let tag = tags.first, tags.count == 1 else { return nil }
            switch tag.name {
            case "connection": self = .connection(tag.value)
            case "invitation": self = .invitation(tag.value)
            default: return nil
            }
        }
    }

    let key: AgentKey
    let owner: Owner

    init(_ key: AgentKey, owner: Owner) {
        self.key = key
        self.owner = owner
    }

    init(_ record: StoredRecord) throws {
        guard let owner = Owner(record.tags) else {
            throw AgentError(.recordMalformed, "A key in the store belongs to nobody.")
        }
        key = try AgentKey(seed: Secret(copying: record.value))
        guard key.verkey.base58 == record.id else {
            throw AgentError(.recordMalformed, "A key in the store stands under the name of another one.")
        }
        self.owner = owner
    }

    func insert(into store: any RecordWriting) throws {
        try store.insert(
            key.verkey.base58, in: AgentCategories.keys, tags: [owner.tag], value: key.seed.copyBytes())
    }
}
