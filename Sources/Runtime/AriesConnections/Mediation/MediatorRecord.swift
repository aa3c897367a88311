import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// The mediator in use as stored; at most one.
struct MediatorRecord: Sendable {
    static let version = 1
    static let name = "mediator"

    let connection: String
    /// The `@id` of the mediator's invitation.
    let invitation: String
    var stage = MediatorUse.Stage.connecting
    var flavour = PickupClient.PickupProtocol.pickup2
    /// The state of the client of mediation; nil before the connection is complete.
    var client: JSONObject?
    /// The version that the store gave the record; 0 for one that was never stored.
    var storeVersion: UInt64 = 0

    init(connection: String, invitation: String) {
        self.connection = connection
        self.invitation = invitation
    }

    init(_ record: StoredRecord) throws {
        do {
            let reader = JSONValueReader(try JSONValue(parsing: record.value))
            guard try reader.int("version") == Self.version,
                let stage = MediatorUse.Stage(rawValue: try reader.string("stage")),
                let flavour = PickupClient.PickupProtocol(rawValue: try reader.string("flavour"))
            else { throw AgentError(.recordMalformed, "The mediator in the store is of another version.") }
            self.stage = stage
            self.flavour = flavour
            connection = try reader.string("connection")
            invitation = try reader.string("invitation")
            client = try reader.optional("client").map { try $0.object() }
            storeVersion = record.version
        } catch let error as AgentError {
            throw error
        } catch {
            throw AgentError(.recordMalformed, "The mediator in the store cannot be read: \(error).")
        }
    }

    /// Writes it over what another process wrote, because the mediator's own list of keys decides; a grant that came to
    /// another process stays.
    ///
    /// - Returns: the version; nil when it was there and is not any more.
    func save(in store: any RecordWriting) throws -> UInt64? {
        let value = JSONObject(present: [
            "version": .int(Self.version), "connection": .string(connection), "invitation": .string(invitation),
            "stage": .string(stage.rawValue), "flavour": .string(flavour.rawValue),
            "client": client.map { .object($0) },
        ]).encoded
        let category = AgentCategories.mediators
        guard storeVersion > 0 else {
            return try store.insert(Self.name, in: category, tags: [], value: value).version
        }
        guard let other = try store.record(Self.name, in: category) else { return nil }
        if stage != .granted, let written = try? MediatorRecord(other), written.connection == connection,
            written.stage == .granted
        {
            return other.version
        }
        return try store.replace(Self.name, in: category, expecting: nil, tags: [], value: value).version
    }
}
