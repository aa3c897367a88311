public import Aries
public import DIDComm
public import Determinism
import Vault

/// A connection of an agent, new or old.
public struct AgentConnection: Sendable {
    /// How it came into the caller's hand.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// It was begun.
        case begun
        /// It existed, and the inviter agreed to use it again.
        case reused
        /// It existed: another invitation of the same inviter led to it, and nothing had to be asked.
        case existing
        /// It existed: this very invitation was accepted before.
        case acceptedBefore = "accepted-before"
        /// There is none, because the invitation only asks for something; `id` is the invitation's.
        case requestOnly = "request-only"
    }

    /// The name under which it is kept.
    public let id: String

    /// How it came into the caller's hand.
    public let outcome: Outcome

    /// Why a connection with the inviter that exists was not used again, when it was begun anew; nil otherwise.
    public let notReused: AriesError?

    private let agent: Agent

    init(id: String, outcome: Outcome, notReused: AriesError? = nil, agent: Agent) {
        self.id = id
        self.outcome = outcome
        self.notReused = notReused
        self.agent = agent
    }

    /// The stages from the present one on; ends with the last one.
    public var stages: AsyncStream<HandshakeStage> {
        get async { await agent.stages(of: id) }
    }

    /// Waits until both sides have completed it.
    ///
    /// A connection whose request cannot be handed over is not given up: accepting the same invitation again, and each
    /// start, tries it again.
    /// - Throws: the `AriesError` for which it was abandoned; the error of the wire when the request cannot be handed over;
    ///   `agent.stopped`; `CancellationError`.
    public func completed() async throws -> Connection {
        for await stage in await stages {
            if stage == .completed || stage == .abandoned { break }
        }
        try Task.checkCancellation()
        return try await agent.completedConnection(id)
    }
}

/// A connection as a list shows it.
public struct ConnectionSummary: Hashable, Sendable {
    /// The name under which it is kept.
    public let id: String
    /// Which side invited the other.
    public let role: Connection.Role
    /// Where it is.
    public let stage: HandshakeStage
    /// What the user calls it.
    public let name: String?
    /// What the other side calls itself: untrusted text.
    public let label: String?
    /// Our DID, from the beginning on.
    public let ourDID: DID?
    /// The other side's DID, once it is known.
    public let theirDID: DID?
    /// Why the request could not be handed over the last time.
    public let deliveryFailure: DeliveryFailure?
    /// Whether an answer that comes later than on the connection of the request reaches us: we had an address or a
    /// mediator when it was begun.
    public let takesLateAnswers: Bool
    /// When it was begun.
    public let created: WallTime
    /// The invitation that it came from; everything in it is untrusted.
    public let invitation: Invitation
    /// Why it was abandoned.
    public let failure: AriesError?
    /// The connection, once it is complete.
    public let connection: Connection?
    /// Whether the other side has ended it after it was complete.
    public let isEnded: Bool

    init(_ stored: StoredRecord) throws { self.init(try ConnectionOutline(stored)) }

    private init(_ outline: ConnectionOutline) {
        id = outline.id
        role = outline.role
        stage = outline.stage
        name = outline.name
        let known = HandshakeOutline(stored: outline.handshake, role: outline.role)
        label = outline.connection?.label ?? (outline.role == .invitee ? outline.invitation.label : known.theirLabel)
        ourDID = outline.connection?.ourDID ?? known.ourDID
        theirDID = outline.connection?.theirs.did ?? known.theirDID
        deliveryFailure = known.deliveryFailure
        takesLateAnswers = known.takesLateAnswers
        created = outline.created
        invitation = outline.invitation
        failure = outline.failure
        connection = outline.connection
        isEnded = outline.isEnded
    }

    init(_ record: ConnectionRecord) {
        id = record.id
        role = record.role
        stage = record.handshake.stage
        name = record.name
        let handshake = record.handshake
        label = record.connection?.label ?? (record.role == .invitee ? record.invitation.label : handshake.theirLabel)
        ourDID = record.connection?.ourDID ?? handshake.ourDID
        theirDID = record.connection?.theirs.did ?? handshake.theirDID
        deliveryFailure = handshake.deliveryFailure
        takesLateAnswers = handshake.takesLateAnswers
        created = record.created
        invitation = record.invitation
        failure = record.failure
        connection = record.connection
        isEnded = record.isEnded
    }
}
