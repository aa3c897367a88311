public import DIDComm
public import Determinism
public import JSON

/// An invitation that this agent issued, with the request that used it.
public struct IssuedInvitation: Hashable, Sendable {
    /// The answer to a received request: it is new, or a repetition.
    public enum ConnectionRequestKind: String, Hashable, Sendable, CaseIterable {
        /// The request is new and must be answered.
        case new
        /// The request is a repetition for the handshake that answered it before.
        case repeated
    }

    /// The invitation that was issued.
    public let invitation: Invitation

    /// The key, mediators and endpoint of this agent in the invitation.
    public let address: AgentAddress

    /// True when more than one requester may use the invitation.
    public let isMultiUse: Bool

    /// The request that used a single-use invitation; nil for none.
    private(set) var use: InvitationUse?

    /// True when the invitation was withdrawn, so that new requests are refused.
    public private(set) var isWithdrawn = false

    /// The state of an issued invitation: open, used, expired or withdrawn.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The invitation can be used.
        case open
        /// The single-use invitation was used.
        case used
        /// The invitation has expired.
        case expired
        /// The invitation was withdrawn.
        case withdrawn
    }

    /// Returns the state of the invitation at `now`.
    public func standing(at now: WallTime) -> State {
        if isWithdrawn { return .withdrawn }
        if use != nil { return .used }
        return (try? invitation.checkExpiry(at: now)) == nil ? .expired : .open
    }

    /// Withdraws the invitation: new requests are refused, and the answered one can be repeated.
    public mutating func withdraw() { isWithdrawn = true }

    /// Checks that the invitation is valid at `now`.
    ///
    /// Throws `aries.request.invitation-withdrawn` and `aries.invitation.expired`.
    func checkCounts(at now: WallTime) throws(AriesError) {
        guard !isWithdrawn else {
            throw AriesError(.invitationWithdrawn, "The invitation was taken back by the inviter.")
        }
        try invitation.checkExpiry(at: now)
    }

    struct InvitationUse: Hashable, Sendable {
        let threadID: String
        let sender: Verkey
    }

    /// Makes the record of an invitation that was just issued.
    public init(_ invitation: Invitation, address: AgentAddress, isMultiUse: Bool) {
        self.invitation = invitation
        self.address = address
        self.isMultiUse = isMultiUse
    }

    /// Returns true when a message has the type of a handshake request.
    public static func isRequest(_ message: Message) -> Bool {
        [MessageProtocol.connections10, .didExchange11].contains {
            message.type.isSame(as: MessageType($0, "request"))
        }
    }

    /// Checks a request; the caller stores the invitation before answering a new one.
    ///
    /// Throws `aries.message.not-authentic`, `aries.message.sender-not-exclusive`, `aries.message.wrong-recipient`,
    /// `aries.message.unexpected` for what the invitation did not offer, `aries.request.invitation-unknown` for another
    /// invitation's, `aries.invitation.expired`, `aries.request.invitation-withdrawn`, and
    /// `aries.request.invitation-used`.
    public mutating func admit(_ received: ReceivedMessage) throws(AriesError) -> ConnectionRequestKind {
        let sender = try received.exclusiveSender()
        try received.checkRecipient(address.key)
        let type = received.message.type
        guard type.name == "request", invitation.handshakeProtocols.contains(where: type.protocol.isCompatible) else {
            throw .unexpected(received.message)
        }
        try checkParent(received.message)
        let new = InvitationUse(threadID: received.message.threadID, sender: sender)
        if use == new { return .repeated }
        try checkCounts(at: received.arrival)
        guard !isMultiUse else { return .new }
        guard use == nil else {
            throw AriesError(.invitationUsed, "The invitation was for one, and it has been used.")
        }
        use = new
        return .new
    }

    /// Checks that a request names the invitation as parent thread, which connections 1.0 may omit.
    private func checkParent(_ message: Message) throws(AriesError) {
        let parent = message.thread.parentID
        let mayBeAbsent = message.type.protocol.isCompatible(with: .connections10)
        guard parent == invitation.id || (parent == nil && mayBeAbsent) else {
            throw AriesError(.invitationUnknown, "A request refers to another invitation than the one it came for.")
        }
    }

    /// The issued invitation as JSON for a store.
    public var state: JSONObject {
        var object: JSONObject = [
            "version": .int(StoredStateReader.version), "kind": "invitation", "invitation": .object(invitation.object),
            "address": .object(address.json), "isMultiUse": .bool(isMultiUse),
        ]
        if isWithdrawn { object["isWithdrawn"] = true }
        if let use { object["use"] = ["thread": .string(use.threadID), "sender": .string(use.sender.base58)] }
        return object
    }

    /// Reads a stored invitation that `state` wrote.
    ///
    /// Throws `aries.state.malformed`.
    public init(stored reader: JSONValueReader) throws(AriesError) {
        self = try StoredStateReader.reading {
            try StoredStateReader.check(reader, kind: "invitation")
            var issued = IssuedInvitation(
                try Invitation(reader.object("invitation")),
                address: try AgentAddress(stored: reader.member("address")),
                isMultiUse: try reader.bool("isMultiUse"))
            issued.isWithdrawn = try reader.optionalBool("isWithdrawn") ?? false
            if let use = try reader.optional("use") {
                issued.use = InvitationUse(
                    threadID: try use.string("thread"), sender: try Verkey(parsing: use.string("sender")))
            }
            return issued
        }
    }
}
