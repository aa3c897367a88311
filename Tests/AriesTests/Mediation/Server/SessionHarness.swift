import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Testing

/// A mediator's session, and the hands of its store, its channel and its client.
struct SessionHarness {
    var sides: TwoSides
    var session: MediatorSession
    /// The client's side of the connection.
    let client: Connection
    /// The mediator's side of it, as it was at first.
    let mediator: Connection
    var now = MonotonicInstant.zero
    private var numbers = 0

    init(
        _ channel: IncomingChannel = .persistent, isGranted: Bool = true,
        endpoint: String = "https://invitee.example/in", limits: MediatorSession.Limits = .init()
    ) throws {
        sides = try TwoSides(.didExchange11, endpoint: endpoint)
        let connections = try sides.connect()
        (client, mediator) = (connections.invitee, connections.inviter)
        session = MediatorSession(
            connections.inviter, on: channel, isGranted: isGranted, random: SeededRandom(seed: 5),
            limits: limits, invitations: [sides.issued])
    }

    /// The client says something; with an identifier of its own unless one is given.
    mutating func hear(
        _ type: String, _ body: JSONObject = [:], id: String? = nil, route: String? = "all"
    ) throws -> [MediatorSession.Output] {
        numbers += 1
        var message = Message(
            try MessageType(parsing: "https://didcomm.org/" + type), id: id ?? "message-\(numbers)", body: body)
        if let route { message = message.decorated("~transport", ["return_route": .string(route)]) }
        return take(message)
    }

    mutating func take(_ message: Message) -> [MediatorSession.Output] {
        let received = sides.received(message, from: sides.inviteeKey.verkey, to: sides.inviterKey.verkey)
        return session.handle(.received(received), at: now)
    }

    /// The client asks for live mode, and the store has not heard that before.
    mutating func goLive() throws -> [MediatorSession.Output] {
        let asked = try hear("messagepickup/2.0/live-delivery-change", ["live_delivery": true])
        return asked.changes == [.delivery] ? answer(.done) : asked
    }

    /// The client wants what waits to ride back, and the store has not heard that before.
    mutating func ping() throws -> [MediatorSession.Output] {
        let asked = try hear("trust_ping/1.0/ping", ["response_requested": false])
        return asked.changes == [.delivery] ? answer(.done) : asked
    }

    mutating func answer(_ answer: MediatorStoreAnswer) -> [MediatorSession.Output] {
        session.handle(.answered(answer), at: now)
    }

    static func key(_ number: UInt64) -> Verkey {
        var random = SeededRandom(seed: 1000 + number)
        return AgentKey.make(from: &random).verkey
    }

    static func mail(_ position: UInt64, bytes: Int = 2) -> QueuedMessage {
        let filling = [UInt8](repeating: UInt8(ascii: " "), count: max(0, bytes - 2))
        return QueuedMessage(
            position: position, id: "m\(position)", arrival: Samples.now,
            envelope: Array("{}".utf8) + filling)
    }

    static let grant: MediationGrant = {
        guard let endpoint = try? ServiceEndpoint(parsing: "https://m.example/in") else {
            preconditionFailure("the address is well-formed")
        }
        return MediationGrant(endpoint: endpoint, routingKeys: [key(9)])
    }()
}

/// Reading what a session wants.
extension [MediatorSession.Output] {
    var messages: [Message] {
        compactMap { if case .send(let outgoing, _) = $0 { outgoing.message } else { nil } }
    }

    var names: [String] { messages.map(\.type.name) }

    var ways: [ReplyRoute] { compactMap { if case .send(_, let way) = $0 { way } else { nil } } }

    var commands: [MediatorStoreCommand] {
        compactMap { if case .command(let command) = $0 { command } else { nil } }
    }

    var changes: [MediatorStoreCommand.MediatorStoreChange] {
        commands.compactMap { if case .once(let change, _) = $0 { change } else { nil } }
    }

    var handedOver: [String] { compactMap { if case .handOver(let message) = $0 { message.id } else { nil } } }

    var ignored: [AriesError.Code] { compactMap { if case .ignored(let error) = $0 { error.code } else { nil } } }

    var deliveredIDs: [String] {
        messages.flatMap { $0.object["~attach"]?.array ?? [] }.compactMap { $0["@id"]?.string }
    }
}
