public import DIDComm
import JSON

/// The identity of an inviter: kept with each connection, and compared with each new invitation.
///
/// Keys and DIDs are normalised, so a key in base 58 and as did:key, and a DID in its long and short form, are one.
public struct InviterIdentity: Hashable, Sendable {
    /// The reason why two invitations have the same inviter, strongest first.
    public enum MatchReason: String, Hashable, Sendable, CaseIterable {
        /// Both are the same invitation, by its `@id`.
        case sameInvitation = "same-invitation"
        /// A DID is the same.
        case sameDID = "same-did"
        /// The first recipient key is the same.
        case sameKey = "same-key"
    }

    /// The rule for comparing inviters.
    public struct Policy: Hashable, Sendable {
        /// True when equal first recipient keys mean the same inviter, as in seed 002; RFC 0434 knows DIDs alone.
        public var comparesKeys: Bool

        /// Makes a policy, which compares keys unless `comparesKeys` is false.
        public init(comparesKeys: Bool = true) { self.comparesKeys = comparesKeys }
    }

    /// The `@id` of the invitation.
    public let invitationID: String

    /// The DIDs of its services and its public DID, in the form that is compared.
    public let dids: [String]

    /// The first recipient key of the invitation.
    public let firstKey: Verkey?

    /// The identity in an invitation.
    public init(_ invitation: Invitation) {
        invitationID = invitation.id
        dids = invitation.dids.map(\.identity)
        firstKey = invitation.firstKey
    }

    /// The reason why `other` is the same inviter; nil when it is not.
    public func match(_ other: InviterIdentity, policy: Policy = Policy()) -> MatchReason? {
        if invitationID == other.invitationID, dids == other.dids, firstKey == other.firstKey { return .sameInvitation }
        if dids.contains(where: other.dids.contains) { return .sameDID }
        if policy.comparesKeys, let firstKey, firstKey == other.firstKey { return .sameKey }
        return nil
    }

    /// The tags by which a store finds connections of the same inviter: `invitation:`, `did:` and `key:` with their
    /// values.
    ///
    /// Two identities that match have at least one tag in common.
    public var searchTags: [String] {
        ["invitation:" + invitationID] + dids.map { "did:" + $0 }
            + [firstKey].compactMap { $0.map { "key:" + $0.base58 } }
    }
}
