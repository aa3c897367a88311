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
    /// True when more than one agent may use the invitation.
    public let isMultiUse: Bool
    /// The time at which the invitation was made; nil when an earlier version of this program made it.
    public let created: WallTime?
    /// The state of the invitation: open, used, expired or withdrawn.
    public let standing: IssuedInvitation.State
    /// The short link at which the mediator serves it; nil for none.
    public let shortLink: String?

    init(_ record: InvitationRecord, now: WallTime) {
        invitation = record.issued.invitation
        endpoint = record.issued.address.endpoint
        isMultiUse = record.issued.isMultiUse
        created = record.created
        standing = record.issued.standing(at: now)
        shortLink = record.shortLink
    }
}

/// The key of a new invitation.
public enum InvitationKeyChoice: Hashable, Sendable {
    /// A key of its own, so that readers of two invitations do not see that they are of one inviter.
    case fresh
    /// The key of all our reusable invitations, by which wallets know us again and use an existing connection.
    case reusable
}

/// Our invitations: makes, lists and withdraws them.
final class Invitations {
    private let context: AgentContext
    private let handshakes: ConnectionHandshakes
    private let mediator: MediatorDriver

    init(_ context: AgentContext, handshakes: ConnectionHandshakes, mediator: MediatorDriver) {
        self.context = context
        self.handshakes = handshakes
        self.mediator = mediator
    }

    /// Makes an invitation, whose key is stored before this returns.
    func make(_ draft: InvitationDraft, isMultiUse: Bool, key choice: InvitationKeyChoice) async throws -> Invitation {
        let isShared = choice == .reusable || draft.publicDID != nil
        return try await handshakes.retryingConflicts(on: nil) {
            let id = context.makeID()
            let known = isShared ? try await sharedAddress() : nil
            let (key, address): (KeyRecord?, AgentAddress) =
                if let known { (nil, known) } else {
                    try mediator.newKey(for: isShared ? .inviter : .invitation(id))
                }
            let invitation = try draft.invitation(id: id, address: address)
            let record = InvitationRecord(
                IssuedInvitation(invitation, address: address, isMultiUse: isMultiUse), created: context.wallTime(),
                sharesKey: isShared)
            try await context.store.write { store in
                try key?.save(in: store)
                try record.save(in: store)
            }
            if let key { try await mediator.noteUse(key) }
            return invitation
        }
    }

    /// Our address with the key that all reusable invitations share, as it is reached now; nil before its first use.
    ///
    /// A key that another mediator has registered, or none, is not used where a mediator is; the next one takes over.
    private func sharedAddress() async throws -> AgentAddress? {
        let configuration = context.configuration
        let stored = try await context.store.records(
            in: AgentCategories.keys, tags: [KeyRecord.Owner.inviterTag], limit: RecordLimits.pageRecords)
        let connection = mediator.current == nil ? nil : mediator.connection
        guard let key = try stored.records.map({ try KeyRecord($0) }).last(where: { $0.mediator == connection }) else {
            return nil
        }
        guard connection != nil else {
            return AgentAddress(
                key: key.key.verkey, routingKeys: [], endpoint: configuration.endpoint)
        }
        // The mediator's address stands in the invitation for which the key was taken.
        let tag = InvitationRecord.shared(key.key.verkey)
        let first = try await context.store.records(in: AgentCategories.invitations, tags: [tag], limit: 1).records
            .first
        return try first.map { try InvitationRecord($0).issued.address }
    }

    /// Returns the invitation of ours that a request to a shared key belongs to.
    ///
    /// A request of connections 1.0 need not name it; the newest one that is open counts then.
    func target(of message: Message, for key: Verkey) async throws -> InvitationRecord? {
        if let parent = message.thread.parentID {
            guard (1...RecordLimits.idBytes).contains(parent.utf8.count),
                let stored = try await context.store.record(parent, in: AgentCategories.invitations)
            else { return nil }
            let record = try InvitationRecord(stored)
            return record.issued.address.key == key ? record : nil
        }
        let page = try await context.store.records(
            in: AgentCategories.invitations, tags: [InvitationRecord.shared(key)], limit: RecordLimits.pageRecords)
        let now = context.wallTime()
        return try page.records.map { try InvitationRecord($0) }.last { $0.issued.standing(at: now) == .open }
    }

    /// Our address for answers to an invitation.
    func address(in id: String) async throws -> AgentAddress {
        guard let stored = try await context.store.record(id, in: AgentCategories.invitations) else {
            throw AgentError(.invitationUnknown, "There is no invitation of that name.")
        }
        return try InvitationRecord(stored).issued.address
    }

    /// An invitation that still opens connections; nil for another identifier.
    func open(_ id: String) async throws -> Invitation? {
        guard (1...RecordLimits.idBytes).contains(id.utf8.count),
            let stored = try await context.store.record(id, in: AgentCategories.invitations)
        else { return nil }
        let issued = try InvitationRecord(stored).issued
        return issued.standing(at: context.wallTime()) == .open ? issued.invitation : nil
    }

    /// One page of the invitations that we issued, oldest first.
    func page(
        after cursor: RecordCursor?, limit: Int
    ) async throws -> (invitations: [InvitationSummary], next: RecordCursor?) {
        let page = try await context.store.records(in: AgentCategories.invitations, after: cursor, limit: limit)
        let now = context.wallTime()
        return (try page.records.map { InvitationSummary(try InvitationRecord($0), now: now) }, page.next)
    }

    /// Notes the short link of an invitation.
    func note(_ shortLink: String, for id: String) async throws {
        try await handshakes.retryingConflicts(on: nil) {
            guard let stored = try await context.store.record(id, in: AgentCategories.invitations) else { return }
            var record = try InvitationRecord(stored)
            record.shortLink = shortLink
            let changed = record
            try await context.store.write { store in try changed.save(in: store) }
        }
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
