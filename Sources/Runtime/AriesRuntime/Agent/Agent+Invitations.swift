public import Aries
public import DIDComm
public import Determinism
public import Vault

/// An invitation of ours as a list shows it.
public struct InvitationSummary: Hashable, Sendable {
    /// The invitation.
    public let invitation: Invitation
    /// Where answers to it are sent.
    public let endpoint: ServiceEndpoint
    /// Whether more than one may use it.
    public let isMultiUse: Bool
    /// When it was made; nil for one of an older program.
    public let created: WallTime?
    /// Whether it may be used now.
    public let standing: IssuedInvitation.Standing

    init(_ record: InvitationRecord, now: WallTime) {
        invitation = record.issued.invitation
        endpoint = record.issued.address.endpoint
        isMultiUse = record.issued.isMultiUse
        created = record.created
        standing = record.issued.standing(at: now)
    }
}

/// Invitations that were made before.
extension Agent {
    /// A page of our invitations, oldest first.
    ///
    /// - Throws: `agent.*`, and errors of the store.
    public func invitations(after cursor: RecordCursor? = nil, limit: Int = 100) async throws -> (
        invitations: [InvitationSummary], next: RecordCursor?
    ) {
        try await perform { agent in
            let page = try await agent.store.records(in: AgentCategories.invitations, after: cursor, limit: limit)
            let now = agent.wallTime()
            return (try page.records.map { InvitationSummary(try InvitationRecord($0), now: now) }, page.next)
        }
    }

    /// Takes an invitation back: from now on requests for it are refused, and connections that came from it stay.
    ///
    /// - Throws: `agent.invitation.unknown`, `agent.*`, and errors of the store.
    public func withdraw(_ id: String) async throws -> InvitationSummary {
        try await perform { agent in
            try await agent.settlingConflicts(on: nil) { agent in
                guard (1...RecordLimits.idBytes).contains(id.utf8.count),
                    let stored = try await agent.store.record(id, in: AgentCategories.invitations)
                else { throw AgentError(.invitationUnknown, "There is no invitation of that name.") }
                var record = try InvitationRecord(stored)
                record.issued.withdraw()
                let changed = record
                try await agent.store.write { store in try changed.save(in: store) }
                return InvitationSummary(record, now: agent.wallTime())
            }
        }
    }
}
