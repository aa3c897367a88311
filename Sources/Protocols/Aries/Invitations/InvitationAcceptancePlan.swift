public import DIDComm
public import Determinism
import JSON

/// The way in which an invitation is accepted, given the existing connections.
///
/// The cases of RFC 0434 and seed 002 in one table; `requests` are answered where the plan says, and never elsewhere.
public enum InvitationAcceptancePlan: Hashable, Sendable {
    /// Connect by a protocol, then answer the requests on the new connection.
    case handshake(MessageProtocol, requests: [MessageAttachment])
    /// Answer the requests without making a connection.
    case answerAlone(requests: [MessageAttachment])
    /// Ask the inviter to reuse an existing connection, then answer the requests on it.
    ///
    /// Without an answer in time, connect by `fallback`.
    case reuse(connection: String, fallback: MessageProtocol, requests: [MessageAttachment])
    /// Use a connection that exists without asking, and answer the requests on it.
    case useExisting(connection: String, requests: [MessageAttachment])
    /// The same invitation was accepted before; its handshake continues if it is not complete.
    case acceptedBefore(connection: String)

    /// An existing connection, as a candidate for reuse.
    public struct ExistingConnection: Hashable, Sendable {
        /// The name under which the caller keeps the connection.
        public let connection: String
        /// The identity of the connection's inviter.
        public let identity: InviterIdentity
        /// The stage of the known connection.
        public let standing: Stage

        /// The stage of a known connection, best first; other invitations than its own reuse only complete ones.
        public enum Stage: Hashable, Sendable, CaseIterable {
            /// The connection is complete.
            case complete
            /// The connection's handshake is in progress.
            case open
            /// The handshake timed out; the same request may be sent again.
            case timedOut

            /// Returns the stage of a handshake; nil for one that failed for another reason than a time-out.
            public init?(_ stage: HandshakeStage, _ failure: AriesError?) {
                switch stage {
                case .completed: self = .complete
                case .ready, .requested, .responded, .resolving: self = .open
                case .abandoned:
                    guard failure?.code == .timeout else { return nil }
                    self = .timedOut
                }
            }
        }

        /// Makes the record of a known connection from its parts.
        public init(connection: String, identity: InviterIdentity, standing: Stage) {
            self.connection = connection
            self.identity = identity
            self.standing = standing
        }

        /// Makes the record of a connection that is complete, or whose handshake is in progress.
        public init(connection: String, identity: InviterIdentity, isComplete: Bool) {
            self.init(connection: connection, identity: identity, standing: isComplete ? .complete : .open)
        }
    }

    /// The supported handshake protocols.
    public static let spoken: [MessageProtocol] = [.didExchange11, .connections10]

    /// Plans how to accept an invitation.
    ///
    /// Throws `aries.invitation.expired`, `aries.invitation.profile-unsupported`, and
    /// `aries.invitation.handshake-unsupported` when a handshake is needed and none is spoken here.
    public init(
        _ invitation: Invitation, known: [ExistingConnection],
        policy: InviterIdentity.InviterMatchPolicy = InviterIdentity.InviterMatchPolicy(),
        now: WallTime
    ) throws(AriesError) {
        let found = Self.best(InviterIdentity(invitation), in: known, policy)
        if let found, found.match == .sameInvitation {
            self = .acceptedBefore(connection: found.connection)
            return
        }
        try invitation.checkExpiry(at: now)
        try Self.checkProfile(of: invitation)
        let requests = invitation.requests
        guard invitation.offersHandshake else {
            self =
                found.map { .useExisting(connection: $0.connection, requests: requests) }
                ?? .answerAlone(requests: requests)
            return
        }
        let handshake = try Self.handshake(of: invitation)
        switch (found, invitation.kind) {
        case (nil, _): self = .handshake(handshake, requests: requests)
        case (let found?, .connections): self = .useExisting(connection: found.connection, requests: requests)
        case (let found?, .outOfBand):
            self = .reuse(connection: found.connection, fallback: handshake, requests: requests)
        }
    }

    /// Returns the first supported handshake protocol of the invitation, in the version to use.
    ///
    /// Throws `aries.invitation.handshake-unsupported`.
    public static func handshake(of invitation: Invitation) throws(AriesError) -> MessageProtocol {
        for offered in invitation.handshakeProtocols {
            if let spoken = spoken.first(where: { $0.isCompatible(with: offered) }) {
                return MessageProtocol(spoken.family, spoken.major, min(spoken.minor, offered.minor))
            }
        }
        throw AriesError(
            .handshakeUnsupported, "The inviter offers no way to connect that is known here; it may be newer than this."
        )
    }

    private static func checkProfile(of invitation: Invitation) throws(AriesError) {
        guard invitation.accept.isEmpty || invitation.accept.contains(where: DIDResolution.profiles.contains) else {
            throw AriesError(
                .profileUnsupported, "The inviter takes only envelopes of a kind that is not written here.")
        }
    }

    /// Returns the connection with the strongest match; of equal ones, the first.
    private static func best(
        _ identity: InviterIdentity, in known: [ExistingConnection], _ policy: InviterIdentity.InviterMatchPolicy
    ) -> (connection: String, match: InviterIdentity.MatchReason)? {
        let ordered = ExistingConnection.Stage.allCases.flatMap { standing in known.filter { $0.standing == standing } }
        let matches = ordered.compactMap { connection in
            connection.identity.match(identity, policy: policy).flatMap { match in
                connection.standing == .complete || match == .sameInvitation ? (connection.connection, match) : nil
            }
        }
        for match in InviterIdentity.MatchReason.allCases {
            if let found = matches.first(where: { $0.1 == match }) { return (found.0, match) }
        }
        return nil
    }
}

extension Invitation {
    /// True when the invitation offers a handshake, by supported protocols or others.
    public var offersHandshake: Bool {
        kind == .connections || !(object["handshake_protocols"]?.array?.isEmpty ?? true)
    }
}
