public import DIDComm
import Determinism
public import JSON

/// A connection: two DIDs, two sets of keys, and the protocol that made it.
///
/// It holds no secret.
///
/// Each connection has a key of its own, so that no peer can tell that two belong to one person.
public struct Connection: Hashable, Sendable {
    /// The side that invited the other.
    public enum Role: String, Hashable, Sendable, CaseIterable {
        /// This agent sent the invitation.
        case inviter
        /// This agent accepted the other side's invitation.
        case invitee
    }

    /// The name under which the caller keeps the connection.
    public let id: String

    /// The role of this agent in the connection: inviter or invitee.
    public let role: Role

    /// The protocol that made the connection.
    public let handshake: MessageProtocol

    /// The thread of the handshake: the `@id` of the request, or what it named as its thread.
    public let threadID: String

    /// The `@id` of the invitation.
    public let invitationID: String

    /// The label that the other side gives itself: untrusted text.
    public let label: String?

    /// The DID of this agent on the connection.
    public let ourDID: DID

    /// The key, mediators and endpoint of this agent on the connection.
    public let ours: AgentAddress

    /// The other side's DID, keys and addresses.
    public let theirs: PeerDocument

    /// The keys of both sides that changes of their DIDs have replaced and that are still valid for a time.
    public private(set) var former: FormerKeys

    /// Checks that a message belongs to the connection: by a key of the other side, and only to our key.
    ///
    /// Former keys of both sides count as `FormerKeys` says.
    ///
    /// Throws `aries.message.not-authentic`, `aries.message.sender-not-exclusive`, `aries.message.wrong-sender` and
    /// `aries.message.wrong-recipient`.
    public func check(_ received: ReceivedMessage) throws(AriesError) { try check(received, alsoTo: nil) }

    /// Checks a message like `check(_:)`.
    ///
    /// - Parameter key: a further key of this agent that the message may be addressed to.
    func check(_ received: ReceivedMessage, alsoTo key: Verkey?) throws(AriesError) {
        let sender = try received.exclusiveSender()
        guard theirs.owns(sender) || former.countsTheirs(sender, at: received.arrival) else {
            throw .wrongSender(received.message)
        }
        if let recipient = received.recipient, former.countsOurs(recipient, at: received.arrival) { return }
        try received.checkRecipient(ours.key, key ?? ours.key)
    }

    /// Ends a change of the other side's DID when a message that `check` accepted comes by its newest document.
    mutating func note(_ received: ReceivedMessage) {
        guard former.awaitsTheirNewKey, case .authenticated(let sender, _) = received.sender, theirs.owns(sender) else {
            return
        }
        former.confirmTheirs(at: received.arrival)
    }

    /// Makes a message to the other side, ready to send.
    ///
    /// Throws `aries.connection.unreachable` when they name no address that messages can be sent to.
    /// - Parameter former: a service of a former document of the other side, for an answer that belongs there.
    public func outgoing(_ message: Message, to former: PeerService? = nil) throws(AriesError) -> OutgoingMessage {
        let service = try AriesError.checking(.unreachable) { () throws(DIDCommError) -> PeerService in
            if let former { former } else { try theirs.service() }
        }
        return OutgoingMessage(message, from: ours, by: ours.key, to: service, or: former == nil ? theirs : nil)
    }

    /// The connection as JSON for a store.
    public var json: JSONObject {
        JSONObject(present: [
            "id": .string(id), "role": .string(role.rawValue), "handshake": .string(handshake.description),
            "thread": .string(threadID), "invitation": .string(invitationID), "label": label.map { .string($0) },
            "ourDID": .string(ourDID.text), "ours": .object(ours.json), "theirs": .object(theirs.json),
            "former": former.json.map { .object($0) },
        ])
    }

    /// Reads a stored connection that `json` wrote.
    ///
    /// Throws `aries.state.malformed`.
    public init(stored reader: JSONValueReader) throws(AriesError) {
        self = try StoredStateReader.reading { () throws -> Connection in
            Connection(
                id: try reader.string("id"), role: try StoredStateReader.choice(reader.member("role")),
                handshake: try MessageProtocol(parsing: reader.string("handshake")),
                threadID: try reader.string("thread"),
                invitationID: try reader.string("invitation"), label: try reader.optionalString("label"),
                ourDID: try DID(parsing: reader.string("ourDID")),
                ours: try AgentAddress(stored: reader.member("ours")),
                theirs: try PeerDocument(stored: reader.member("theirs")),
                former: try reader.optional("former").map { try FormerKeys(stored: $0) } ?? FormerKeys())
        }
    }

    init(
        id: String, role: Role, handshake: MessageProtocol, threadID: String, invitationID: String, label: String?,
        ourDID: DID, ours: AgentAddress, theirs: PeerDocument, former: FormerKeys = FormerKeys()
    ) {
        self.id = id
        self.role = role
        self.handshake = handshake
        self.threadID = threadID
        self.invitationID = invitationID
        self.label = label
        self.ourDID = ourDID
        self.ours = ours
        self.theirs = theirs
        self.former = former
    }

    /// Returns the connection after a change of the other side's DID.
    func rotated(to document: PeerDocument) -> Connection {
        var former = former
        former.replaceTheirs(theirs, by: document)
        return Connection(
            id: id, role: role, handshake: handshake, threadID: threadID, invitationID: invitationID, label: label,
            ourDID: ourDID, ours: ours, theirs: document, former: former)
    }

    /// Returns the connection after a change of our DID that was acknowledged at `now`.
    func rotated(by rotation: PendingDIDRotation, at now: WallTime) -> Connection {
        var former = former
        former.replaceOurs(ours.key, at: now)
        return Connection(
            id: id, role: role, handshake: handshake, threadID: threadID, invitationID: invitationID, label: label,
            ourDID: rotation.did, ours: rotation.address, theirs: theirs, former: former)
    }

    /// The connection without former keys, for a peer that accepts only keys of the newest document.
    var withoutFormerKeys: Connection {
        var connection = self
        connection.former = FormerKeys()
        return connection
    }

    /// Returns the connection with the former keys of `other`, if both have the same documents.
    func withFormerKeys(of other: Connection) -> Connection {
        guard ours == other.ours, theirs == other.theirs else { return self }
        var known = self
        known.former = other.former
        return known
    }

    /// Returns the connection with the keys of `original` as former keys, if the other side's DID has changed since.
    ///
    /// For connections without former keys, because older programs kept none.
    ///
    /// - Parameter original: the connection as the handshake made it.
    public func knowingKeys(of original: Connection?) -> Connection {
        guard let original, former.isEmpty, !original.theirs.did.isSame(as: theirs.did) else { return self }
        var known = self
        known.former.replaceTheirs(original.theirs, by: theirs)
        return known
    }
}

/// A message to pack and send.
public struct OutgoingMessage: Hashable, Sendable {
    /// The plaintext message to pack.
    public let message: Message

    /// The sender key of this agent with which the message is packed.
    public let sender: Verkey

    /// The recipient key, the routing keys of the mediators, and the endpoint of the message.
    public let service: PeerService

    /// The other services in the recipient's document, most preferred first.
    let others: [PeerService]

    /// Makes a message to send; it requests answers on the same transport connection when we have no address.
    ///
    /// - Parameter document: the recipient's other services, for a sender whose transports do not reach the first; nil
    ///   where none are known.
    init(
        _ message: Message, from address: AgentAddress, by sender: Verkey, to service: PeerService,
        or document: PeerDocument? = nil
    ) {
        let asks = address.endpoint.transport == .queue && service.routingKeys.isEmpty
        self.message = asks ? message.askingForReturnRoute : message
        self.sender = sender
        self.service = service
        others = document?.services.filter { $0 != service } ?? []
    }

    /// Returns the first service of the recipient that one of `transports` reaches; nil when none does.
    ///
    /// The message's own service comes before the others.
    public func service(reachedBy transports: Set<ServiceEndpoint.Transport>) -> PeerService? {
        ([service] + others).first { transports.contains($0.endpoint.transport) }
    }
}
