import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Testing

/// An inviter and an invitee whose messages are carried by hand, as a script says.
struct TwoSides {
    var random = SeededRandom(seed: 1)
    let invitationKey: AgentKey
    let inviteeKey: AgentKey
    let inviterKey: AgentKey
    let stranger: AgentKey
    var issued: IssuedInvitation
    var requester: HandshakeRequester
    var responder: HandshakeResponder?
    var now = MonotonicInstant.zero
    /// The time at which the next message arrives.
    var arrival = Samples.now
    /// The endpoint that the inviter gives for its connection.
    var inviterEndpoint = "https://inviter.example/in"
    let resolver = StaticDIDResolver()

    init(
        _ handshake: MessageProtocol, form: DIDForm? = nil, kind: Invitation.Kind = .outOfBand, multi: Bool = false,
        endpoint: String = "https://invitee.example/in"
    ) throws {
        invitationKey = .make(from: &random)
        inviteeKey = .make(from: &random)
        inviterKey = .make(from: &random)
        stranger = .make(from: &random)
        var draft = InvitationDraft(kind, label: "Inviter")
        if kind == .outOfBand { draft.handshakeProtocols = [handshake] }
        let address = try Self.address(invitationKey, "https://inviter.example/in")
        let invitation = try draft.invitation(id: "invitation-1", address: address)
        issued = IssuedInvitation(invitation, address: address, isMultiUse: multi)
        guard case .resolved(let document) = try invitation.services[0].resolution.progress() else {
            throw AriesError(.unreachable, "no document")
        }
        requester = try HandshakeRequester(
            .init(
                connectionID: "invitee-side", handshake: handshake, invitation: invitation, inviter: document.service(),
                address: Self.address(inviteeKey, endpoint), label: "Invitee", form: form),
            key: inviteeKey, random: &random)
    }

    static func address(_ key: AgentKey, _ endpoint: String) throws -> AgentAddress {
        AgentAddress(key: key.verkey, endpoint: try ServiceEndpoint(parsing: endpoint))
    }

    /// Returns the received message that an envelope with this outgoing message would prove.
    func carried(_ outgoing: OutgoingMessage) -> ReceivedMessage {
        received(outgoing.message, from: outgoing.sender, to: outgoing.service.recipientKeys[0])
    }

    func received(_ message: Message, from sender: Verkey, to recipient: Verkey) -> ReceivedMessage {
        ReceivedMessage(
            message, sender: .authenticated(sender, isExclusive: true), recipient: recipient, arrival: arrival)
    }

    /// Begins: returns the request.
    mutating func request() throws -> OutgoingMessage {
        let outputs = requester.handle(.start, at: now)
        return try #require(sent(outputs).first)
    }

    /// Takes a request: returns the response.
    mutating func respond(to request: ReceivedMessage) throws -> OutgoingMessage {
        _ = try issued.admit(request)
        var responder = try HandshakeResponder(
            .init(
                connectionID: "inviter-side", issued: issued,
                address: Self.address(inviterKey, inviterEndpoint)),
            answering: request, key: invitationKey, random: &random)
        let outputs = responder.handle(.start, at: now)
        self.responder = responder
        return try #require(sent(outputs).first)
    }

    /// Goes all the way; returns both connections.
    mutating func connect() throws -> (invitee: Connection, inviter: Connection) {
        let response = try respond(to: carried(request()))
        let outputs = requester.handle(.received(carried(response)), at: now)
        let confirmation = try #require(sent(outputs).first)
        let received = carried(confirmation)
        let last = responder?.handle(.received(received), at: now) ?? []
        return (try #require(completed(outputs)), try #require(completed(last)))
    }

    func sent(_ outputs: [HandshakeOutput]) -> [OutgoingMessage] {
        outputs.compactMap { if case .send(let message) = $0 { message } else { nil } }
    }

    func completed(_ outputs: [HandshakeOutput]) -> Connection? {
        outputs.lazy.compactMap { if case .completed(let connection) = $0 { connection } else { nil } }.first
    }

    func ignored(_ outputs: [HandshakeOutput]) -> AriesError.Code? {
        outputs.lazy.compactMap { if case .ignored(let error) = $0 { error.code } else { nil } }.first
    }

    func abandoned(_ outputs: [HandshakeOutput]) -> AriesError.Code? {
        outputs.lazy.compactMap { if case .abandoned(let error) = $0 { error.code } else { nil } }.first
    }
}

extension Message {
    /// The same message with members changed; nil removes one.
    func changed(_ changes: KeyValuePairs<String, JSONValue?>) throws -> Message {
        var object = object
        for (name, value) in changes { object[name] = value }
        return try Message(object)
    }
}
