public import Aries
public import DIDComm
public import Determinism
import JSON
import Vault

/// A connection without its handshake, as a list shows it; reading it needs no key.
public struct ConnectionSummary: Hashable, Sendable {
    /// The identifier of the connection in the store.
    public let id: String
    /// The side of the connection that we are: inviter or invitee.
    public let role: Connection.Role
    /// The stage of the handshake.
    public let stage: HandshakeStage
    /// The user's name for it.
    public let name: String?
    /// The label of the other side: untrusted text.
    public let label: String?
    /// Our DID on the connection.
    public let ourDID: DID?
    /// The other side's DID; nil until it is known.
    public let theirDID: DID?
    /// The reason why the transport did not take the request the last time.
    public let deliveryFailure: HandshakeDeliveryFailure?
    /// True when an answer reaches us on another transport connection than the request's.
    ///
    /// We then had an address or a mediator when the connection was begun.
    public let takesLateAnswers: Bool
    /// The time at which the connection was begun.
    public let created: WallTime
    /// The invitation of the connection; everything in it is untrusted.
    public let invitation: Invitation
    /// The error that ended the handshake; nil while it is under way or when it succeeded.
    public let failure: AriesError?
    /// The connection, once it is complete.
    public let connection: Connection?
    /// True when the other side has ended the connection after it was complete.
    public let isEnded: Bool
    /// The change of our DID that the other side has not acknowledged yet; nil without one.
    public let rotation: PendingDIDRotation?
    /// True when the other side uses a key that it never announced here, so that neither takes the other's messages.
    public let isBroken: Bool

    private static let limits = JSONLimits(maximumBytes: RecordLimits.valueBytes, maximumStringBytes: 1 << 21)

    /// Reads a stored connection, and its handshake without parsing that.
    static func read(
        _ record: StoredRecord, inbox: ConnectionMessageHandler? = nil
    ) throws -> (summary: ConnectionSummary, handshake: JSONValueReader) {
        do {
            let reader = JSONValueReader(try JSONValue(parsing: record.value, limits: Self.limits))
            let handshake = try reader.member("handshake")
            return (try ConnectionSummary(record, reader: reader, handshake: handshake, inbox: inbox), handshake)
        } catch let error as AgentError {
            throw error
        } catch {
            throw AgentError(.recordMalformed, "A connection in the store cannot be read: \(error).")
        }
    }

    private init(
        _ record: StoredRecord, reader: JSONValueReader, handshake: JSONValueReader, inbox: ConnectionMessageHandler?
    ) throws {
        guard try reader.int("version") == ConnectionRecord.version,
            let role = Connection.Role(rawValue: try reader.string("role")),
            let stage = record.tags.first(where: { $0.name == "stage" }).flatMap({ HandshakeStage(rawValue: $0.value) })
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
        let known = StoredHandshakeSummary(stored: handshake, role: role)
        label = connection?.label ?? (role == .invitee ? invitation.label : known.theirLabel)
        ourDID = connection?.ourDID ?? known.ourDID
        theirDID = connection?.theirs.did ?? known.theirDID
        deliveryFailure = known.deliveryFailure
        takesLateAnswers = known.takesLateAnswers
        rotation = inbox?.rotation
        isBroken = inbox?.isBroken ?? false
    }

    private static func failure(_ reader: JSONValueReader) throws -> AriesError {
        guard let code = AriesError.Code(rawValue: try reader.string("code")) else {
            throw AgentError(.recordMalformed, "A connection in the store failed for an unknown reason.")
        }
        return AriesError(code, try reader.string("reason"))
    }
}
