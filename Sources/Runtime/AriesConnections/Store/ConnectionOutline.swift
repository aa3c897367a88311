import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// A connection in the store without its handshake, for a list; reading it needs no key.
struct ConnectionOutline {
    let id: String
    let role: Connection.Role
    let stage: HandshakeStage
    let invitation: Invitation
    let created: WallTime
    let name: String?
    let connection: Connection?
    let isEnded: Bool
    let failure: AriesError?
    /// The stored handshake, not parsed.
    let handshake: JSONReader

    private static let limits = JSONLimits(maximumBytes: RecordLimits.valueBytes, maximumStringBytes: 1 << 21)

    init(_ record: StoredRecord) throws {
        do {
            let reader = JSONReader(try JSONValue(parsing: record.value, limits: Self.limits))
            guard try reader.int("version") == ConnectionRecord.version,
                let role = Connection.Role(rawValue: try reader.string("role")),
                let stage = record.tags.first(where: { $0.name == "stage" }).flatMap({
                    HandshakeStage(rawValue: $0.value)
                })
            else { throw AgentError(.recordMalformed, "A connection in the store is of another version.") }
            id = record.id
            self.role = role
            self.stage = stage
            invitation = try Invitation(reader.object("invitation"))
            created = WallTime(millisecondsSinceEpoch: Int64(try reader.int("created")))
            name = try reader.optionalString("name")
            connection = try reader.optional("connection").map { try Connection(stored: $0) }
            isEnded = try reader.optionalBool("isEnded") ?? false
            failure = try reader.optional("failure").map { try Self.failure($0) }
            handshake = try reader.member("handshake")
        } catch let error as AgentError {
            throw error
        } catch {
            throw AgentError(.recordMalformed, "A connection in the store cannot be read: \(error).")
        }
    }

    private static func failure(_ reader: JSONReader) throws -> AriesError {
        guard let code = AriesError.Code(rawValue: try reader.string("code")) else {
            throw AgentError(.recordMalformed, "A connection in the store failed for an unknown reason.")
        }
        return AriesError(code, try reader.string("reason"))
    }
}
