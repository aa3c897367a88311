import CryptoSuite
import DIDComm
import Determinism
import JSON

@testable import Aries

extension FuzzTarget {
    /// Invitation texts that a user scans or pastes.
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
            _ = try? InvitationAcceptancePlan(invitation, known: [], now: WallTime(millisecondsSinceEpoch: 0))
            _ = try? AttachedRequest.all(of: invitation, boundTo: .connectionless)
            for service in invitation.services { _ = try? service.resolution.progress() }
        }
    }

    /// Messages on a connection or during a handshake from a sender with the right keys.
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

extension FuzzTarget {
    /// Messages to a mediator from a client that has the right keys, on either channel, whatever the store answers.
    static var mediatorMessage: FuzzTarget {
        FuzzTarget(name: "mediator-message", maximumBytes: 4000) {
            AriesSamples.mediation.map(\.encoded)
        } run: { input in
            guard let message = try? Message(parsing: input) else { return }
            for channel in IncomingChannel.allCases {
                guard var mediator = MediatorFixture(channel) else { return }
                mediator.show(message)
            }
        }
    }

    /// Opened forward messages that a sender posts to a routing key.
    static var mediatorForward: FuzzTarget {
        FuzzTarget(name: "mediator-forward", maximumBytes: 4000) {
            ["{}", "\"e30\""].map {
                let head = #"{"@type":"https://didcomm.org/routing/1.0/forward","@id":"f","to":""#
                return Array((head + MediatorFixture.key(2).base58 + #"","msg":"# + $0 + "}").utf8)
            }
        } run: { input in
            var random = SeededRandom(seed: 8)
            let key = AgentKey.make(from: &random)
            var codec = EnvelopeCodec()
            guard let envelope = try? codec.packAnonymously(input, to: [key.verkey], random: &random),
                let opened = try? codec.unpack(envelope, ownKey: { $0 == key.verkey ? key : nil })
            else { return }
            for outcome in ForwardHandler.ForwardStoreResult.allCases {
                var intake = ForwardHandler()
                let first = intake.handle(.opened(opened))
                require(first.count == 1, "each layer leads to one thing")
                guard case .store(let item)? = first.first else { continue }
                require(item.envelope.first != nil, "an envelope is not empty")
                require(intake.handle(.stored(outcome)).count == 1, "each outcome leads to one thing")
                require(intake.handle(.stored(outcome)).isEmpty, "the end is the end")
            }
        }
    }
}

/// A mediator's session, and a store that has little and fails now and then.
private struct MediatorFixture {
    private var session: MediatorSession
    private let ours: AgentKey
    private let theirs: AgentKey

    init?(_ channel: IncomingChannel) {
        var random = SeededRandom(seed: 6)
        ours = .make(from: &random)
        theirs = .make(from: &random)
        guard let connection = AriesSamples.connection(ours: ours.verkey, theirs: theirs.verkey) else { return nil }
        session = MediatorSession(connection, on: channel, isGranted: true, random: random)
    }

    static func key(_ seed: UInt64) -> Verkey {
        var random = SeededRandom(seed: seed)
        return AgentKey.make(from: &random).verkey
    }

    mutating func show(_ message: Message) {
        let received = ReceivedMessage(
            message, sender: .authenticated(theirs.verkey, isExclusive: true), recipient: ours.verkey,
            arrival: WallTime(millisecondsSinceEpoch: 0))
        var outputs = session.handle(.received(received), at: .zero)
        var position: UInt64 = 0
        for _ in 0..<8 {
            var next: [MediatorSession.Output] = []
            for output in outputs {
                switch output {
                case .command(let command):
                    let answer = Self.answer(command, &position)
                    next += session.handle(.answered(answer), at: .zero)
                case .send(let outgoing, let way):
                    require(way != .nowhere, "what goes nowhere is not sent")
                    next += session.handle(.sent(id: outgoing.message.id), at: .zero)
                case .handOver(let mail): next += session.handle(.sent(id: mail.id), at: .zero)
                case .watch, .ended, .ignored: break
                }
            }
            outputs = next + session.handle(.mailArrived, at: .zero)
        }
        require(session.outstandingCount <= MediatorSession.Limits().windowCount, "the window holds")
    }

    private static func answer(_ command: MediatorStoreCommand, _ position: inout UInt64) -> MediatorStoreAnswer {
        switch command {
        case .once(.grant, _): return .denied
        case .once(.keys(let changes), _):
            require(changes.count <= KeylistUpdate.maximumCount, "changes are bounded")
            return .changed(changes.map { _ in .success })
        case .list(let offset, let limit):
            require(offset >= 0 && (1...KeylistPage.maximumCount).contains(limit), "pages are bounded")
            return .keys(KeylistPage(keys: [key(1)], total: 3))
        case .status: return .status(QueueStatus(count: 1, bytes: 2, newestPosition: position))
        case .fetch(_, let limit, _, _):
            require((1...50).contains(limit), "deliveries are bounded")
            guard position < 4 else { return .failed }
            position += 1
            let mail = QueuedMessage(
                position: position, id: "m\(position)",
                arrival: WallTime(millisecondsSinceEpoch: 0), envelope: Array("{}".utf8))
            return .messages([mail])
        case .remove(let ids, _):
            require(ids.count <= MediatorSession.maximumIDs, "acknowledgements are bounded")
            return .status(.empty)
        case .wake: return .waking(nil)
        case .once(.wake(let call), _):
            require((call?.token.utf8.count ?? 1) <= ClientWebhook.maximumTokenBytes, "tokens are bounded")
            return .waking(call.map { WebhookState(call: $0, secret: "whsec_AAAA") })
        case .shorten: return .denied
        case .once(.document, _), .once(.delivery, _), .removeShortLink, .end: return .done
        }
    }
}

/// An invitee who waits, a connection, and the clients of a mediator, which are all shown one message.
private struct AriesStage {
    private var random = SeededRandom(seed: 1)
    private let ours: AgentKey
    private let theirs: AgentKey
    private var requester: HandshakeRequester?
    private var inbox: ConnectionMessageHandler?
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
        inbox = ConnectionMessageHandler(connection)
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
                || (try? HandshakeResponder(stored: JSONValueReader(object: responder.state))) != nil,
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
            stored: JSONValueReader([
                "id": "c", "role": "invitee", "handshake": "https://didcomm.org/didexchange/1.1", "thread": "t",
                "invitation": "i", "ourDID": .string(ours.didKey),
                "ours": ["key": .string(ours.base58), "routingKeys": [], "endpoint": "https://b.example"],
                "theirs": [
                    "did": .string(theirs.didKey), "authentication": [.string(theirs.base58)],
                    "services": [.object(service)],
                ],
            ]))
    }

    /// Samples of the messages that clients send to a mediator.
    static var mediation: [Message] {
        let key: JSONValue = .string(MediatorFixture.key(1).didKey)
        let bodies: [(String, JSONObject)] = [
            ("coordinate-mediation/1.0/mediate-request", ["recipient_key": key]),
            ("coordinate-mediation/1.0/keylist-update", ["updates": [["recipient_key": key, "action": "add"]]]),
            ("coordinate-mediation/1.0/keylist-query", ["paginate": ["limit": 5, "offset": 1]]),
            ("messagepickup/2.0/status-request", ["recipient_key": key]),
            ("messagepickup/2.0/delivery-request", ["limit": 10]),
            ("messagepickup/2.0/messages-received", ["message_id_list": ["m1"]]),
            ("messagepickup/2.0/live-delivery-change", ["live_delivery": true]),
            ("messagepickup/1.0/batch-pickup", ["batch_size": 10]), ("messagepickup/1.0/noop", [:]),
            ("messagepickup/1.0/list-pickup", ["message_ids": ["m1"]]), ("did-rotate/1.0/hangup", [:]),
            ("trust_ping/1.0/ping", ["response_requested": false]),
        ]
        return bodies.compactMap { name, body in
            guard let type = try? MessageType(parsing: "https://didcomm.org/" + name) else { return nil }
            return Message(type, id: "q", body: body).askingForReturnRoute
        }
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
