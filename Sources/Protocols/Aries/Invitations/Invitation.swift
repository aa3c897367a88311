public import DIDComm
public import Determinism
public import JSON

/// An Aries invitation to connect or to answer a request.
///
/// Accepts connections 1.x (RFC 0160) and out-of-band 1.x (RFC 0434), both prefixes, and the spellings `services` and
/// `service`, `requests~attach` and `request~attach`, `imageUrl`, `image_url` and `profileUrl` in any mixture; of two
/// spellings in one invitation the one of its version is used. Nothing in it is authenticated: label, goal and picture
/// are untrusted text.
public struct Invitation: Hashable, Sendable {
    /// The specification that the invitation follows.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A connections 1.0 invitation, RFC 0160.
        case connections
        /// An out-of-band invitation, RFC 0434.
        case outOfBand = "out-of-band"
    }

    /// The most bytes of the invitation's JSON text.
    public static let maximumBytes = 65_536

    /// The limits of the invitation's JSON.
    public static let limits = JSONLimits(
        maximumBytes: maximumBytes, maximumDepth: 24, maximumStringBytes: maximumBytes, maximumMembers: 256,
        maximumElements: 256)

    /// The most entries of each list in the invitation.
    public static let maximumEntries = 16

    /// The specification that the invitation follows.
    public let kind: Kind

    /// The protocol of the invitation, with its version.
    public let `protocol`: MessageProtocol

    /// The identifier `@id` of the invitation, to which answers refer.
    public let id: String

    /// The label of the inviter: untrusted text.
    public let label: String?

    /// The purpose of the invitation as a code such as `issue-vc`: untrusted text.
    public let goalCode: String?

    /// The purpose of the invitation in words: untrusted text.
    public let goal: String?

    /// The address of the inviter's picture, which this module never fetches.
    public let imageURL: String?

    /// The envelope profiles that the inviter accepts, most preferred first; empty when it names none.
    public let accept: [String]

    /// The offered handshake protocols, most preferred first; empty when the invitation has only requests.
    public let handshakeProtocols: [MessageProtocol]

    /// The requests attached to the invitation.
    public let requests: [MessageAttachment]

    /// The services of the inviter.
    public let services: [InvitationService]

    /// The public DID that the inviter claims beside its services; nil without one.
    public let publicDID: DID?

    /// The time at which the invitation expires; nil for never.
    public let expires: WallTime?

    /// The properties that the user should know before accepting the invitation.
    public let risks: [InvitationRisk]

    /// All members of the invitation as they were received.
    public let object: JSONObject

    /// Parses the JSON text of an invitation.
    ///
    /// Throws `aries.invitation.too-large`, `aries.invitation.not-recognised` for what is no invitation,
    /// `aries.invitation.version-unsupported` for another major version, `aries.invitation.malformed`,
    /// `aries.invitation.incomplete`, `aries.invitation.contradictory` and `aries.invitation.purposeless`.
    public init(parsing bytes: [UInt8]) throws(AriesError) {
        guard bytes.count <= Self.maximumBytes else {
            throw AriesError(.invitationTooLarge, "The invitation has more than \(Self.maximumBytes) bytes.")
        }
        let object = try AriesError.reading(.invitationMalformed) { () throws(JSONError) in
            try JSONValueReader(JSONValue(parsing: bytes, limits: Self.limits)).object()
        }
        try self.init(object)
    }

    /// Reads the JSON object of an invitation like `init(parsing:)`.
    public init(_ object: JSONObject) throws(AriesError) {
        let fields = try InvitationMemberReader(object)
        let head = fields.head
        kind = head.kind
        `protocol` = head.protocol
        id = head.id
        self.object = object
        label = try fields.text("label")
        goalCode = try fields.text("goal_code")
        goal = try fields.text("goal")
        imageURL = try fields.text("imageUrl", "image_url", "profileUrl")
        accept = try fields.texts("accept")
        handshakeProtocols = try fields.handshakes()
        requests = try fields.requests()
        services = try fields.services()
        publicDID = try fields.did("public_did")
        expires = try fields.expiry()
        guard !requests.isEmpty || fields.hasHandshakes else {
            throw AriesError(.invitationPurposeless, "The invitation offers neither a connection nor a request.")
        }
        risks = InvitationRisk.all(in: fields, services: services)
    }

    /// The first recipient key of the first inline service; many agents identify an inviter by it.
    public var firstKey: Verkey? { services.lazy.compactMap(\.recipientKeys.first).first }

    /// All keys that the invitation itself names as recipients.
    public var recipientKeys: [Verkey] { services.flatMap(\.recipientKeys) }

    /// The DIDs that the inviter claims: those of its services, then the public one.
    public var dids: [DID] { services.compactMap(\.did) + [publicDID].compactMap { $0 } }

    /// Throws `aries.invitation.expired` when the invitation has expired.
    public func checkExpiry(at now: WallTime) throws(AriesError) {
        guard let expires, expires <= now else { return }
        throw AriesError(.invitationExpired, "The invitation ended on \(expires.messageText); ask for a new one.")
    }
}

/// A service of the inviter, by which it can be reached.
public enum InvitationService: Hashable, Sendable {
    /// The inviter is reached by a DID whose document must be resolved; `text` may end in the fragment of one service.
    case did(DID, text: String)
    /// The inviter is reached by keys and an address in the invitation itself.
    case inline(DIDDocument, recipientKeys: [Verkey])

    /// The DID of the service; nil for an inline service.
    public var did: DID? {
        if case .did(let did, _) = self { did } else { nil }
    }

    /// The recipient keys of an inline service.
    public var recipientKeys: [Verkey] {
        if case .inline(_, let keys) = self { keys } else { [] }
    }

    /// The resolution of the service to keys and endpoint; only references to DIDs need more than one step.
    public var resolution: DIDResolution {
        switch self {
        case .did(let did, _): DIDResolution(did)
        case .inline(let document, _): DIDResolution(document)
        }
    }
}
