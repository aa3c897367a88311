public import DIDComm
import JSON

/// The identity of an inviter, stored with each connection and compared with each new invitation.
///
/// Keys and DIDs are normalised, so a key in base 58 and as did:key, and a DID in its long and short form, are one.
public struct InviterIdentity: Hashable, Sendable {
    /// The property by which two invitations have the same inviter, strongest first.
    public enum MatchReason: String, Hashable, Sendable, CaseIterable {
        /// Both invitations are the same, by `@id`.
        case sameInvitation = "same-invitation"
        /// The invitations have a DID in common.
        case sameDID = "same-did"
        /// The invitations have the same first recipient key.
        case sameKey = "same-key"
    }

    /// The rules for comparing inviters.
    public struct InviterMatchPolicy: Hashable, Sendable {
        /// True when equal first recipient keys mean the same inviter, as in seed 002; RFC 0434 compares only DIDs.
        public var comparesKeys: Bool

        /// Makes a policy, which compares keys unless `comparesKeys` is false.
        public init(comparesKeys: Bool = true) { self.comparesKeys = comparesKeys }
    }

    /// The identifier `@id` of the inviter's invitation.
    public let invitationID: String

    /// The DIDs of the invitation's services and its public DID, in the form that is compared.
    public let dids: [String]

    /// The first recipient key of the invitation.
    public let firstKey: Verkey?

    /// Makes the identity of an invitation's inviter.
    public init(_ invitation: Invitation) {
        invitationID = invitation.id
        dids = invitation.dids.map(\.identity)
        firstKey = invitation.firstKey
    }

    /// Returns the property by which `other` is the same inviter; nil when it is another.
    public func match(_ other: InviterIdentity, policy: InviterMatchPolicy = InviterMatchPolicy()) -> MatchReason? {
        if invitationID == other.invitationID, dids == other.dids, firstKey == other.firstKey { return .sameInvitation }
        if dids.contains(where: other.dids.contains) { return .sameDID }
        if policy.comparesKeys, let firstKey, firstKey == other.firstKey { return .sameKey }
        return nil
    }

    /// The tags by which a store finds connections of the same inviter.
    ///
    /// `invitation:`, `did:` and `key:` with their values.
    ///
    /// Two identities that match have at least one tag in common.
    public var searchTags: [String] {
        ["invitation:" + invitationID] + dids.map { "did:" + $0 }
            + [firstKey].compactMap { $0.map { "key:" + $0.base58 } }
    }
}
