import Aries
import ByteCoding
import DIDComm
import Determinism
import JSON

@testable import AriesConnections

/// A mediator for one client, written after RFC 0211, 0094, 0212, 0685 and what mediators in wide use do.
final class SimulatedMediator: NetPeer {
    /// The protocol by which the mediator delivers messages.
    enum Service: Hashable, Sendable, CaseIterable {
        /// Implicit pickup: one message for each ping, and unasked on a WebSocket; delivered messages are deleted.
        case implicit
        /// Pickup 1.0: messages in batches; delivered messages are deleted.
        case pickup1
        /// Pickup 2.0: messages on request and, in live mode, unasked; messages stay until they are acknowledged.
        case pickup2
    }

    /// Unusual behaviour of the mediator that a test requests.
    struct Habits: Sendable {
        var denies = false
        /// Leaves the thread out of answers about mediation, as mediators in wide use do.
        var namesNoThread = false
        var refusesKeys = false
        var refusesRemovals = false
        /// Queues every nth message although a socket is open; 0 for none.
        var missesLineEvery = 0
        var isSilent = false
        /// Answers nothing once the connection is complete.
        var isSilentOnceConnected = false
        /// Holds back the answers to pickup requests until they are released.
        var holdsPickup = false
        /// The number of next pickup requests that the mediator answers with a problem report to try later.
        var busyPickups = 0
        /// Holds back deliveries only, until they are released.
        var holdsDeliveries = false
        /// Sends nothing unasked, although a socket is open.
        var holdsPushes = false
        /// Receives the answers about mediation instead of the return route, as a mediator's post to an address.
        var answersElsewhere: (@Sendable ([UInt8]) -> Void)?
    }

    struct State: Sendable {
        var random = SeededRandom(seed: 4711)
        var codec = EnvelopeCodec()
        let service: Service
        var habits = Habits()
        let routingKey: AgentKey
        let invitationKey: AgentKey
        let connectionKey: AgentKey
        var issued: IssuedInvitation
        var responder: HandshakeResponder?
        var keylist: [Verkey] = []
        var queue: [(id: String, envelope: [UInt8])] = []
        var nextID = 0
        var isLive = false
        var forwarded = 0
        /// The names of the messages that the mediator received, in order.
        var heard: [String] = []
        var wasGranted = false
        /// True when the mediator refuses the first mediation request of a new client, as one that it answered before.
        var wasGrantedBefore = false
        /// Answers that the mediator keeps until they are released.
        var held: [[UInt8]] = []
        /// The largest number of keys in one page of the key list.
        var listPage = 3
    }

    let endpoint: ServiceEndpoint
    let invitation: Invitation
    private let state: Lock<State>
    private let socket = Lock<MemorySocket?>(nil)

    init(
        _ service: Service, isLive: Bool, net: MemoryNet, habits: Habits = Habits(), name: String = "mediator",
        seed: UInt64 = 99
    ) throws {
        var random = SeededRandom(seed: seed)
        endpoint = try ServiceEndpoint(parsing: "\(isLive ? "ws" : "http")://\(name).example")
        let keys = (0..<3).map { _ in AgentKey.make(from: &random) }
        let address = AgentAddress(key: keys[1].verkey, endpoint: endpoint)
        invitation = try InvitationDraft(.outOfBand, label: "Mediator").invitation(id: "\(name)-1", address: address)
        var state = State(
            service: service, routingKey: keys[0], invitationKey: keys[1], connectionKey: keys[2],
            issued: IssuedInvitation(invitation, address: address, isMultiUse: true))
        state.habits = habits
        self.state = Lock(state)
        net.put(self, at: endpoint)
    }

    var routingKey: Verkey { state.withLock { $0.routingKey.verkey } }
    var keylist: [Verkey] { state.withLock { $0.keylist } }
    var heard: [String] { state.withLock { $0.heard } }
    var forwarded: Int { state.withLock { $0.forwarded } }
    var busyPickups: Int { state.withLock { $0.habits.busyPickups } }
    var queued: Int { state.withLock { $0.queue.count } }
    var hasSocket: Bool { socket.withLock { $0 } != nil }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Delivers the held answers on the socket.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for envelope in held { socket.withLock { $0 }?.bring(envelope) }
    }

    /// Ends the socket, as a broken network does.
    func cut(_ end: TransportEndReason = .lost) {
        let socket = socket.withLock { $0 }
        socket?.end.withLock { $0 = end }
        socket?.close()
    }

    func ended(_ ended: MemorySocket) {
        let wasOurs = socket.withLock { socket in
            guard socket === ended else { return false }
            socket = nil
            return true
        }
        if wasOurs { change { $0.isLive = false } }
    }

    func take(_ envelope: [UInt8], on socket: MemorySocket?) -> [UInt8]? {
        let (answer, pushes) = state.withLock { state in
            let before = self.socket.withLock { $0 } != nil
            let answer = state.take(envelope)
            if let socket, answer.isOfClient { self.socket.withLock { $0 = socket } }
            return (answer.envelope, before || socket != nil ? state.pushes() : [])
        }
        for push in pushes { self.socket.withLock { $0 }?.bring(push) }
        return answer
    }
}

extension SimulatedMediator.State {
    mutating func take(_ envelope: [UInt8]) -> (envelope: [UInt8]?, isOfClient: Bool) {
        let keys = [routingKey, invitationKey, connectionKey]
        guard let opened = try? codec.unpack(envelope, ownKey: { key in keys.first { $0.verkey == key } }) else {
            return (nil, false)
        }
        switch opened {
        case .anonymous(let message):
            if let forward = try? ForwardMessage(parsing: message.plaintext) { keep(forward) }
            return (nil, false)
        case .authenticated(let opened):
            guard let message = try? Message(parsing: opened.plaintext) else { return (nil, false) }
            heard.append(message.type.name)
            let received = ReceivedMessage(
                message, sender: .authenticated(opened.sender, isExclusive: opened.isSenderExclusive),
                recipient: opened.recipient, arrival: WallTime(millisecondsSinceEpoch: 1_760_000_000_000))
            let isOfHandshake = ["connections", "didexchange"].contains(message.type.protocol.family)
            if habits.isSilent || habits.isSilentOnceConnected && !isOfHandshake { return (nil, true) }
            let answer = answer(received)
            if !isOfHandshake, let elsewhere = habits.answersElsewhere {
                if let answer { elsewhere(answer) }
                return (nil, true)
            }
            let isHeld = habits.holdsPickup && message.type.protocol.family == "messagepickup"
            guard isHeld || habits.holdsDeliveries && message.type.name == "delivery-request" else {
                return (answer, true)
            }
            held += [answer].compactMap(\.self)
            return (nil, true)
        }
    }

    private mutating func keep(_ forward: ForwardMessage) {
        guard let key = forward.recipientKey, keylist.contains(key) else { return }
        forwarded += 1
        nextID += 1
        queue.append(("item-\(nextID)", forward.envelope))
    }

    /// Returns the envelopes that the mediator sends unasked on an open WebSocket.
    mutating func pushes() -> [[UInt8]] {
        switch service {
        case .implicit:
            guard !queue.isEmpty, habits.missesLineEvery == 0 || !forwarded.isMultiple(of: habits.missesLineEvery)
            else {
                return []
            }
            defer { queue = [] }
            return queue.map(\.envelope)
        case .pickup1: return []
        case .pickup2 where habits.holdsPushes: return []
        case .pickup2: return isLive && !queue.isEmpty ? [packed(delivery(queue.suffix(1)))].compactMap(\.self) : []
        }
    }

    private mutating func answer(_ received: ReceivedMessage) -> [UInt8]? {
        let message = received.message
        switch message.type.protocol.family {
        case "didexchange", "connections": return shakeHands(received)
        case "coordinate-mediation": return packed(mediate(message))
        case "messagepickup" where habits.busyPickups > 0:
            habits.busyPickups -= 1
            return packed(problem(message, code: "e.p.later"))
        case "messagepickup" where message.type.protocol.major == 1 && service == .pickup1:
            return packed(batch(message))
        case "messagepickup" where message.type.protocol.major == 2 && service == .pickup2:
            return packed(pickUp(message))
        case "trust_ping":
            guard service == .implicit, !queue.isEmpty else { return nil }
            return queue.removeFirst().envelope
        default: return packed(problem(message))
        }
    }

    private mutating func shakeHands(_ received: ReceivedMessage) -> [UInt8]? {
        var outputs: [HandshakeOutput] = []
        if responder?.threadID == received.message.threadID {
            responder?.handle(.received(received), at: .zero, into: &outputs)
        } else {
            guard (try? issued.admit(received)) != nil else { return nil }
            responder = try? HandshakeResponder(
                .init(
                    connectionID: "client", issued: issued,
                    address: AgentAddress(key: connectionKey.verkey, endpoint: issued.address.endpoint)),
                answering: received, key: invitationKey, random: &random)
            responder?.handle(.start, at: .zero, into: &outputs)
            (keylist, queue, wasGranted) = ([], [], wasGrantedBefore)
        }
        for case .send(let outgoing) in outputs {
            let key = outgoing.sender == invitationKey.verkey ? invitationKey : connectionKey
            return try? codec.pack(
                outgoing.message.encoded, from: key, to: outgoing.service.recipientKeys, random: &random)
        }
        return nil
    }

    /// Packs a message for the mediator's client.
    private mutating func packed(_ message: Message?) -> [UInt8]? {
        guard let message, let client = try? responder?.connection?.theirs.service() else { return nil }
        return try? codec.pack(message.encoded, from: connectionKey, to: client.recipientKeys, random: &random)
    }

    private mutating func reply(_ name: String, to message: Message, _ body: JSONObject) -> Message {
        let isUnthreaded = habits.namesNoThread && message.type.protocol.family == "coordinate-mediation"
        return Message(
            MessageType(message.type.protocol, name), id: Message.makeID(from: &random),
            thread: MessageThread(id: isUnthreaded ? nil : message.id), body: body)
    }

    private mutating func problem(_ message: Message, code: String = "message-parse-failure") -> Message {
        ProblemReport(code: code, explanation: "Unknown.", threadID: message.threadID)
            .message(
                MessageType(MessageProtocol("notification", 1, 0), "problem-report"), id: Message.makeID(from: &random))
    }
}

// The service.
extension SimulatedMediator.State {
    private mutating func mediate(_ message: Message) -> Message? {
        switch message.type.name {
        case "mediate-request":
            if habits.denies { return reply("mediate-deny", to: message, [:]) }
            // As mediators in wide use: a second request is refused.
            if wasGranted, habits.namesNoThread { return problem(message) }
            wasGranted = true
            return reply(
                "mediate-grant", to: message,
                [
                    "endpoint": .string(issued.address.endpoint.text),
                    "routing_keys": [.string(routingKey.verkey.didKey)],
                ])
        case "keylist-update": return update(message)
        case "keylist-query":
            let offset = message.object["paginate"]?["offset"]?.int ?? 0
            let keys = keylist.dropFirst(offset).prefix(listPage)
            return reply(
                "keylist", to: message,
                [
                    "keys": .array(keys.map { ["recipient_key": .string($0.didKey)] }),
                    "pagination": [
                        "count": .int(keys.count), "offset": .int(offset),
                        "remaining": .int(max(0, keylist.count - offset - keys.count)),
                    ],
                ])
        default: return problem(message)
        }
    }

    private mutating func update(_ message: Message) -> Message {
        var results: [JSONValue] = []
        for update in message.object["updates"]?.array ?? [] {
            guard let text = update["recipient_key"]?.string, let key = try? Verkey(parsing: text),
                let action = update["action"]?.string
            else { continue }
            let wasKnown = keylist.contains(key)
            var result = wasKnown == (action == "add") ? "no_change" : "success"
            if action == "add" ? habits.refusesKeys : habits.refusesRemovals {
                result = "server_error"
            } else if action == "add", !wasKnown {
                keylist.append(key)
            } else if action == "remove" {
                keylist.removeAll { $0 == key }
            }
            results.append(["recipient_key": .string(text), "action": .string(action), "result": .string(result)])
        }
        return reply("keylist-update-response", to: message, ["updated": .array(results)])
    }
}

// The queue.
extension SimulatedMediator.State {
    private mutating func batch(_ message: Message) -> Message {
        let size = message.object["batch_size"]?.int ?? 1
        let items = queue.prefix(size)
        queue.removeFirst(items.count)
        let entries = items.map { item -> JSONValue in
            ["@id": .string(item.id), "message": (try? JSONValue(parsing: item.envelope)) ?? nil]
        }
        return reply("batch", to: message, ["messages~attach": .array(entries)])
    }

    private mutating func pickUp(_ message: Message) -> Message? {
        switch message.type.name {
        case "delivery-request" where !queue.isEmpty:
            var delivery = delivery(queue.prefix(message.object["limit"]?.int ?? 1))
            delivery = Message(
                delivery.type, id: delivery.id, thread: MessageThread(id: message.id),
                body: ["~attach": delivery.object["~attach"] ?? nil])
            return delivery
        case "messages-received":
            let ids = (message.object["message_id_list"]?.array ?? []).compactMap(\.string)
            queue.removeAll { ids.contains($0.id) }
        case "live-delivery-change": isLive = message.object["live_delivery"]?.bool ?? false
        default: break
        }
        return reply("status", to: message, ["message_count": .int(queue.count)])
    }

    private mutating func delivery(_ items: ArraySlice<(id: String, envelope: [UInt8])>) -> Message {
        let entries = items.map { item -> JSONValue in
            guard !item.id.hasPrefix("broken") else { return ["@id": .string(item.id), "data": ["base64": "?"]] }
            return ["@id": .string(item.id), "data": ["base64": .string(Base64.encode(item.envelope))]]
        }
        return Message(
            MessageType(.pickup20, "delivery"), id: Message.makeID(from: &random), body: ["~attach": .array(entries)])
    }
}
