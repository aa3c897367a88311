package import Aries
import DIDComm
package import Determinism
import JSON
package import Vault

/// A connection as stored, from its beginning on.
package struct ConnectionRecord: Sendable {
    static let version = 1

    package let id: String
    let role: Connection.Role
    let invitation: Invitation
    let created: WallTime
    /// The user's name for the connection.
    var name: String?
    /// The handshake, which answers repeated messages after its completion.
    var handshake: ConnectionHandshake
    /// The connection, once it is complete.
    package var connection: Connection?
    var failure: AriesError?
    /// True when the other side has ended the connection after it was complete.
    var isEnded = false
    /// The version that the store gave the record; 0 for one that was never stored.
    var storeVersion: UInt64 = 0

    package init(
        id: String, role: Connection.Role, invitation: Invitation, created: WallTime, name: String?,
        handshake: ConnectionHandshake
    ) {
        self.id = id
        self.role = role
        self.invitation = invitation
        self.created = created
        self.name = name
        self.handshake = handshake
    }

    var identity: InviterIdentity { InviterIdentity(invitation) }

    /// The tags of the record: the inviter's identity when we were invited, the thread, and whether it has unfinished
    /// work.
    var tags: [RecordTag] {
        var tags = [
            RecordTag("stage", handshake.stage.rawValue), RecordTag("thread", handshake.threadID),
            RecordTag("open", handshake.isSettled ? "no" : "yes"),
        ]
        if role == .invitee { tags += identity.searchTags.prefix(24).map { RecordTag("known", Self.cut($0)) } }
        return tags
    }

    static func known(_ tag: String) -> RecordTag { RecordTag("known", cut(tag)) }

    static func thread(_ id: String) -> RecordTag { RecordTag("thread", id) }

    private static func cut(_ text: String) -> String {
        String(decoding: text.utf8.prefix(RecordLimits.tagValueBytes), as: UTF8.self)
    }

    var value: [UInt8] {
        JSONObject(present: [
            "version": .int(Self.version), "role": .string(role.rawValue), "invitation": .object(invitation.object),
            "created": .int(Int(created.millisecondsSinceEpoch)), "name": name.map { .string($0) },
            "handshake": .object(handshake.state), "connection": connection.map { .object($0.json) },
            "isEnded": isEnded ? true : nil,
            "failure": failure.map { ["code": .string($0.code.rawValue), "reason": .string($0.reason)] },
        ]).encoded
    }

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - policy: the waits of the handshake.
    ///   - key: finds the key of a verkey; a handshake of an invitee needs it.
    init(_ record: StoredRecord, policy: (ConnectionSummary) -> HandshakePolicy, key: (Verkey) throws -> AgentKey?)
        throws
    {
        let (summary, stored) = try ConnectionSummary.read(record)
        id = record.id
        storeVersion = record.version
        role = summary.role
        invitation = summary.invitation
        created = summary.created
        name = summary.name
        connection = summary.connection
        isEnded = summary.isEnded
        failure = summary.failure
        do {
            handshake = try ConnectionHandshake(stored: stored, role: role, policy: policy(summary), key: key)
        } catch let error as AgentError {
            throw error
        } catch {
            throw AgentError(.recordMalformed, "A connection in the store cannot be read: \(error).")
        }
        connection = connection?.knowingKeys(of: handshake.connection)
    }

    /// The record as the store would give it.
    var stored: StoredRecord {
        StoredRecord(category: AgentCategories.connections, id: id, version: storeVersion, tags: tags, value: value)
    }

    /// Writes the record, new or in place of the one that was read.
    package func save(in store: any RecordWriting) throws -> UInt64 {
        let category = AgentCategories.connections
        guard storeVersion > 0 else { return try store.insert(id, in: category, tags: tags, value: value).version }
        return try store.replace(id, in: category, expecting: storeVersion, tags: tags, value: value).version
    }
}
