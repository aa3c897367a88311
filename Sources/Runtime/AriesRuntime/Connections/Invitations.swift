public import Aries
public import DIDComm
public import Determinism
import Vault

/// A summary of an invitation that we issued, for lists.
public struct InvitationSummary: Hashable, Sendable {
    /// The invitation that we issued.
    public let invitation: Invitation
    /// The address for answers to the invitation.
    public let endpoint: ServiceEndpoint
    /// Whether more than one may use it.
    public let isMultiUse: Bool
    /// The time at which the invitation was made; nil for one of an older program.
    public let created: WallTime?
    /// Whether the invitation is open, used, expired or withdrawn.
    public let standing: IssuedInvitation.State

    init(_ record: InvitationRecord, now: WallTime) {
        invitation = record.issued.invitation
        endpoint = record.issued.address.endpoint
        isMultiUse = record.issued.isMultiUse
        created = record.created
        standing = record.issued.standing(at: now)
    }
}

/// Our invitations: makes, lists and withdraws them.
final class Invitations {
    private let context: AgentContext
    private let handshakes: Handshakes
    private let mediator: MediatorDriver

    init(_ context: AgentContext, handshakes: Handshakes, mediator: MediatorDriver) {
        self.context = context
        self.handshakes = handshakes
        self.mediator = mediator
    }

    /// Makes an invitation, whose key is stored before this returns.
    func make(_ draft: InvitationDraft, isMultiUse: Bool) async throws -> Invitation {
        try await handshakes.retryingConflicts(on: nil) {
            let id = context.makeID()
            let (key, address) = try mediator.newKey(for: .invitation(id))
            let invitation = try draft.invitation(id: id, address: address)
            let record = InvitationRecord(
                IssuedInvitation(invitation, address: address, isMultiUse: isMultiUse), created: context.wallTime())
            try await context.store.write { store in
                try key.save(in: store)
                try record.save(in: store)
            }
            try await mediator.noteUse(key)
            return invitation
        }
    }

    /// One page of the invitations that we issued, oldest first.
    func page(
        after cursor: RecordCursor?, limit: Int
    ) async throws -> (invitations: [InvitationSummary], next: RecordCursor?) {
        let page = try await context.store.records(in: AgentCategories.invitations, after: cursor, limit: limit)
        let now = context.wallTime()
        return (try page.records.map { InvitationSummary(try InvitationRecord($0), now: now) }, page.next)
    }

    /// Withdraws an invitation, so that it opens no further connection.
    func withdraw(_ id: String) async throws -> InvitationSummary {
        try await handshakes.retryingConflicts(on: nil) {
            guard (1...RecordLimits.idBytes).contains(id.utf8.count),
                let stored = try await context.store.record(id, in: AgentCategories.invitations)
            else { throw AgentError(.invitationUnknown, "There is no invitation of that name.") }
            var record = try InvitationRecord(stored)
            record.issued.withdraw()
            let changed = record
            try await context.store.write { store in try changed.save(in: store) }
            return InvitationSummary(record, now: context.wallTime())
        }
    }
}
