import Aries
import DIDComm
import Vault

/// Accepts invitations: begins a connection, or finds the existing one.
final class InvitationAcceptor {
    /// The immediate result of accepting an invitation.
    enum AcceptanceResult: Sendable {
        /// A connection, or the invitation itself where there is no connection.
        case done(String, AgentConnection.InvitationOutcome)
        /// The inviter is asked to reuse this connection.
        case asking(String, AsyncStream<ConnectionReuse.ReuseResult>)

        /// The connection, once it is decided which.
        ///
        /// - Throws: why no new connection could be begun after a refusal; `agent.stopped`.
        func connection(of agent: Agent) async throws -> AgentConnection {
            switch self {
            case .done(let id, let outcome): return AgentConnection(id: id, outcome: outcome, agent: agent)
            case .asking(let id, let outcomes):
                for await outcome in outcomes {
                    switch outcome {
                    case .reused: return AgentConnection(id: id, outcome: .reused, agent: agent)
                    case .connectedAnew(let connection, let error):
                        return AgentConnection(id: connection, outcome: .begun, notReused: error, agent: agent)
                    case .failed(let error): throw error
                    }
                }
                throw AgentError(.stopped, "The agent was stopped while the inviter was asked.")
            }
        }
    }

    /// The most connections with the same tag of an inviter that are compared.
    private static let maximumKnown = 32

    private let context: AgentContext
    private let handshakes: ConnectionHandshakes
    private let reuse: ConnectionReuse
    private let requests: AttachedRequests

    init(_ context: AgentContext, handshakes: ConnectionHandshakes, reuse: ConnectionReuse, requests: AttachedRequests)
    {
        self.context = context
        self.handshakes = handshakes
        self.reuse = reuse
        self.requests = requests
    }

    /// The effect that accepting an invitation would have, given the existing connections.
    ///
    /// - Parameter connectsAnew: true to look at no existing connection.
    func plan(for invitation: Invitation, connectsAnew: Bool = false) async throws -> InvitationAcceptancePlan {
        try InvitationAcceptancePlan(
            invitation, known: connectsAnew ? [] : try await known(like: invitation),
            policy: InviterIdentity.InviterMatchPolicy(), now: context.wallTime())
    }

    func begin(_ invitation: Invitation, _ options: ConnectionHandshakes.HandshakeOptions) async throws
        -> AcceptanceResult
    {
        try await handshakes.retryingConflicts(on: nil) { try await beginOnce(invitation, options) }
    }

    private func beginOnce(_ invitation: Invitation, _ options: ConnectionHandshakes.HandshakeOptions) async throws
        -> AcceptanceResult
    {
        let plan = try await plan(for: invitation, connectsAnew: options.connectsAnew)
        // Malformed requests are refused before anything is begun.
        _ = try AttachedRequest.all(of: invitation, boundTo: .connectionless)
        switch plan {
        case .acceptedBefore(let id):
            try await rename(id, options)
            try await handshakes.step(id, .again)
            return .done(id, .acceptedBefore)
        case .useExisting(let id, _):
            try await rename(id, options)
            try await requests.keepAll(of: invitation, boundTo: .connection(id))
            return .done(id, .existing)
        case .answerAlone:
            try await requests.keepAll(of: invitation, boundTo: .connectionless)
            return .done(invitation.id, .requestOnly)
        case .reuse(let id, let fallback, _):
            return .asking(id, try await reuse.ask(id, invitation, fallback: fallback, options))
        case .handshake(let handshake, _):
            return .done(try await handshakes.begin(invitation, by: handshake, options), .begun)
        }
    }

    /// Sets the name that the user chose for an existing connection; does nothing without one.
    private func rename(_ id: String, _ options: ConnectionHandshakes.HandshakeOptions) async throws {
        if let name = options.name { try await handshakes.rename(id, to: name) }
    }

    /// Finds the existing connections that might be with the inviter of an invitation.
    private func known(like invitation: Invitation) async throws -> [InvitationAcceptancePlan.ExistingConnection] {
        let tags = InviterIdentity(invitation).searchTags
        let found = try await context.store.read { store in
            try tags.flatMap {
                try store.records(
                    in: AgentCategories.connections, tags: [ConnectionRecord.known($0)], limit: Self.maximumKnown
                ).records
            }
        }
        var known: [InvitationAcceptancePlan.ExistingConnection] = []
        for stored in found where !known.contains(where: { $0.connection == stored.id }) {
            let summary = try ConnectionSummary.read(stored).summary
            guard let standing = InvitationAcceptancePlan.ExistingConnection.Stage(summary.stage, summary.failure),
                !summary.isEnded
            else {
                continue
            }
            known.append(
                InvitationAcceptancePlan.ExistingConnection(
                    connection: summary.id, identity: InviterIdentity(summary.invitation), standing: standing))
        }
        return known
    }
}
