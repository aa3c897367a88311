import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON

extension FuzzTarget {
    /// What somebody scans or pastes.
    static var invitation: FuzzTarget {
        FuzzTarget(name: "invitation", maximumBytes: 4000) {
            let invitations = AriesSamples.invitations
            return invitations.map(\.object.encoded)
                + invitations.map { Array($0.link(base: "https://a.example/x").utf8) }
                + [Array("https://a.example/short".utf8), Array("?m=e30".utf8)]
        } run: { input in
            let text = String(decoding: input, as: UTF8.self)
            guard case .invitation(let invitation)? = try? InvitationText(parsing: text) else { return }
            require((1...Message.maximumIDBytes).contains(invitation.id.utf8.count), "answers can refer to it")
            require(!invitation.services.isEmpty, "it says how the inviter is reached")
            require(invitation.offersHandshake || !invitation.requests.isEmpty, "it offers something")
            let again = try? InvitationText(parsing: invitation.link(base: "https://a.example"))
            require(again == .invitation(invitation) || invitation.object.encoded.count > 60_000, "a link holds it all")
            let identity = InviterIdentity(invitation)
            require(identity.match(identity) == .sameInvitation, "it is itself")
            _ = try? AcceptancePlan(invitation, known: [], now: WallTime(millisecondsSinceEpoch: 0))
            _ = try? AttachedRequest.all(of: invitation, at: .alone)
            for service in invitation.services { _ = try? service.resolution.progress() }
        }
    }

    /// What comes on a connection or during a handshake from someone who has the right keys.
    static var ariesMessage: FuzzTarget {
        FuzzTarget(name: "aries-message", maximumBytes: 4000) {
            AriesSamples.messages.map(\.encoded)
        } run: { input in
            guard let message = try? Message(parsing: input) else { return }
            require((try? Message(parsing: message.encoded)) == message, "a message is read as it was")
            var stage = AriesStage()
            stage.show(message)
        }
    }
}

/// An invitee who waits, a connection, and the clients of a mediator, which are all shown one message.
private struct AriesStage {
    private var random = SeededRandom(seed: 1)
    private let ours: AgentKey
    private let theirs: AgentKey
    private var requester: HandshakeRequester?
    private var inbox: ConnectionInbox?
    private var mediation: MediationClient?
    private var pickup: PickupClient?
    private var issued: IssuedInvitation?

    init() {
        ours = .make(from: &random)
        theirs = .make(from: &random)
        guard let endpoint = try? ServiceEndpoint(parsing: "https://a.example") else { return }
        let address = AgentAddress(key: theirs.verkey, endpoint: endpoint)
        guard let invitation = try? InvitationDraft(.outOfBand, label: "l").invitation(id: "i", address: address) else {
            return
        }
        issued = IssuedInvitation(invitation, address: address, isMultiUse: true)
        requester = try? HandshakeRequester(
            .init(
                connectionID: "c", handshake: .connections10, invitation: invitation,
                inviter: PeerService(recipientKeys: [theirs.verkey], endpoint: endpoint),
                address: AgentAddress(key: ours.verkey, endpoint: endpoint), label: "l"),
            key: ours, random: &random)
        guard let connection = AriesSamples.connection(ours: ours.verkey, theirs: theirs.verkey) else { return }
        inbox = ConnectionInbox(connection)
        mediation = MediationClient(connection, random: random)
        pickup = PickupClient(connection, random: random)
    }

    mutating func show(_ message: Message) {
        let received = ReceivedMessage(
            message, sender: .authenticated(theirs.verkey, isExclusive: true), recipient: ours.verkey,
            arrival: WallTime(millisecondsSinceEpoch: 0))
        _ = requester?.handle(.start, at: .zero)
        _ = requester?.handle(.received(received), at: .zero)
        require(requester?.stage != .ready, "a handshake that began does not forget it")
        if let outputs = inbox?.handle(received, random: &random) {
            require(!outputs.isEmpty, "each message comes to something")
        }
        _ = inbox?.handle(received, random: &random)
        _ = mediation?.handle(.start, at: .zero)
        _ = mediation?.handle(.received(received), at: .zero)
        _ = pickup?.handle(.start(isLive: true), at: .zero)
        _ = pickup?.handle(.received(received), at: .zero)
        ask(message)
    }

    /// The message as a request to an inviter.
    private mutating func ask(_ message: Message) {
        let request = ReceivedMessage(
            message, sender: .authenticated(ours.verkey, isExclusive: true), recipient: theirs.verkey,
            arrival: WallTime(millisecondsSinceEpoch: 0))
        guard let issued, (try? self.issued?.admit(request)) != nil,
            var responder = try? HandshakeResponder(
                .init(connectionID: "c", issued: issued, address: issued.address), answering: request, key: theirs,
                random: &random)
        else { return }
        _ = responder.handle(.start, at: .zero)
        require(
            responder.stage == .abandoned
                || (try? HandshakeResponder(stored: JSONReader(object: responder.state))) != nil,
            "what is stored can be read")
    }
}

/// Honest texts to begin with.
private enum AriesSamples {
    static var invitations: [Invitation] {
        var random = SeededRandom(seed: 2)
        let key = AgentKey.make(from: &random)
        guard let endpoint = try? ServiceEndpoint(parsing: "https://a.example") else { return [] }
        let address = AgentAddress(key: key.verkey, endpoint: endpoint)
        var old = InvitationDraft(.outOfBand, label: "Old")
        old.minorVersion = 0
        old.requests = [
            MessageAttachment(id: "r", content: .json(["@type": "https://didcomm.org/x/1.0/y", "@id": "q"]))
        ]
        var new = InvitationDraft(.outOfBand, label: "New")
        new.service = .peer2
        new.expires = WallTime(millisecondsSinceEpoch: 1)
        return [InvitationDraft(.connections, label: "First"), old, new].compactMap {
            try? $0.invitation(id: "i", address: address)
        }
    }

    static func connection(ours: Verkey, theirs: Verkey) -> Connection? {
        let service: JSONObject = [
            "id": "", "priority": 0, "recipientKeys": [.string(theirs.base58)], "routingKeys": [], "accept": [],
            "serviceEndpoint": "https://a.example",
        ]
        return try? Connection(
            stored: JSONReader([
                "id": "c", "role": "invitee", "handshake": "https://didcomm.org/didexchange/1.1", "thread": "t",
                "invitation": "i", "ourDID": .string(ours.didKey),
                "ours": ["key": .string(ours.base58), "routingKeys": [], "endpoint": "https://b.example"],
                "theirs": [
                    "did": .string(theirs.didKey), "authentication": [.string(theirs.base58)],
                    "services": [.object(service)],
                ],
            ]))
    }

    static var messages: [Message] {
        let list = FeatureList.usual
        let query = FeatureList.query(version: .discoverFeatures20, id: "q")
        let plain = [
            TrustPing.ping(id: "p"), BasicMessage("hello", sent: WallTime(millisecondsSinceEpoch: 0)).message(id: "b"),
            Question("?", answers: ["Yes", "No"], id: "q").message, query, DIDRotate.hangup(id: "h"),
            ProblemReport(code: "c", explanation: "e", threadID: "t").message(
                MessageType(.connections10, "problem_report"), id: "r"),
        ]
        return plain + [list.answer(to: query, id: "a")].compactMap { $0 } + requests
    }

    private static var requests: [Message] {
        var random = SeededRandom(seed: 3)
        let key = AgentKey.make(from: &random)
        guard let endpoint = try? ServiceEndpoint(parsing: "https://b.example") else { return [] }
        let address = AgentAddress(key: key.verkey, endpoint: endpoint)
        return invitations.dropFirst().flatMap { invitation in
            [MessageProtocol.connections10, .didExchange10, .didExchange11].compactMap { handshake in
                guard case .resolved(let inviter)? = try? invitation.services[0].resolution.progress(),
                    let service = try? inviter.service(),
                    var requester = try? HandshakeRequester(
                        .init(
                            connectionID: "c", handshake: handshake, invitation: invitation, inviter: service,
                            address: address, label: "l"), key: key, random: &random)
                else { return nil }
                for output in requester.handle(.start, at: .zero) {
                    if case .send(let outgoing) = output { return outgoing.message }
                }
                return nil
            }
        }
    }
}
