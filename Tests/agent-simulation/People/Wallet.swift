import Aries
import CloudAgent
import CryptoSuite
import DIDComm
import Determinism
import JSON
import WebTransport

/// The keys of a client and its connection with the agent: packs and opens messages, and requests mediation.
final class Wallet: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.

    struct Refused: Error {
        let what: String
    }

    private let world: World
    private let network: Network
    let key: AgentKey
    let connection: Connection
    /// The routing key through which senders reach the client; `keys` are its registered keys.
    private(set) var routing: Verkey
    private(set) var keys: [Verkey] = []
    private var codec = EnvelopeCodec(limits: EnvelopeLimits(maximumBytes: 4 << 20))
    private var random = SystemRandom()

    /// Accepts the agent's invitation and requests mediation, before any fault.
    init(_ world: World, _ network: Network, _ host: Host, endpoint: ServiceEndpoint, keyCount: Int) async throws {
        var random = SystemRandom()
        let key = AgentKey.make(from: &random)
        (self.world, self.network, self.key) = (world, network, key)
        (connection, routing) = (try await Self.connect(key, world, network, host, endpoint), key.verkey)
        let grant = try await ask("coordinate-mediation/1.0/mediate-request", [:], at: host)
        routing = try Verkey(parsing: grant.object["routing_keys"]?.array?.first?.string ?? "")
        keys = (0..<keyCount).map { _ in AgentKey.make(from: &random).verkey }
        let updates = keys.map { key -> JSONValue in ["recipient_key": .string(key.base58), "action": "add"] }
        let answer = try await ask("coordinate-mediation/1.0/keylist-update", ["updates": .array(updates)], at: host)
        for entry in answer.object["updated"]?.array ?? [] where entry["result"]?.string != "success" {
            throw Refused(what: "a key was not taken")
        }
    }

    private static func connect(
        _ key: AgentKey, _ world: World, _ network: Network, _ host: Host, _ endpoint: ServiceEndpoint
    ) async throws -> Connection {
        guard let invitation = host.service?.invitation,
            case .resolved(let document) = try invitation.services[0].resolution.progress()
        else { throw Refused(what: "the agent invites nobody") }
        var random = SystemRandom()
        var codec = EnvelopeCodec()
        var requester = try HandshakeRequester(
            .init(
                connectionID: "client", handshake: .didExchange11, invitation: invitation,
                inviter: document.service(), address: AgentAddress(key: key.verkey, endpoint: endpoint),
                label: "Client"), key: key, random: &random)
        var outputs = requester.handle(.start, at: .zero)
        while true {
            var answer: [UInt8]?
            for case .send(let outgoing) in outputs {
                let envelope = try codec.pack(
                    outgoing.message.askingForReturnRoute.encoded, from: key, to: outgoing.service.recipientKeys,
                    random: &random)
                if case .answered(let response) = await network.post(envelope, to: host, lost: { _ in }),
                    response.status == 200
                {
                    answer = response.body
                }
            }
            for case .completed(let connection) in outputs { return connection }
            guard let answer else { throw Refused(what: "the agent does not answer a request") }
            outputs = requester.handle(.received(try open(answer, with: key, &codec, at: world.wallTime)), at: .zero)
        }
    }

    private static func open(
        _ envelope: [UInt8], with key: AgentKey, _ codec: inout EnvelopeCodec, at now: WallTime
    ) throws -> ReceivedMessage {
        let opened = try codec.unpack(envelope) { $0 == key.verkey ? key : nil }
        guard case .authenticated(let inner) = opened else { throw Refused(what: "an answer is nobody's") }
        return ReceivedMessage(
            try Message(parsing: inner.plaintext),
            sender: .authenticated(inner.sender, isExclusive: inner.isSenderExclusive), recipient: inner.recipient,
            arrival: now)
    }

    /// Registers a key at the agent; false without the agent's confirmation.
    func register(_ key: Verkey, at host: Host) async -> Bool {
        let updates: JSONValue = [["recipient_key": .string(key.base58), "action": "add"]]
        let answer = try? await ask("coordinate-mediation/1.0/keylist-update", ["updates": updates], at: host)
        return ["success", "no_change"].contains(answer?.object["updated"]?.array?.first?["result"]?.string)
    }

    /// Opens a message of the agent; nil for an envelope for another key.
    func open(_ envelope: [UInt8]) -> ReceivedMessage? {
        try? Self.open(envelope, with: key, &codec, at: world.wallTime)
    }

    /// Packs a message for the agent.
    func pack(_ message: Message) throws -> [UInt8] {
        try codec.pack(message.encoded, from: key, to: connection.theirs.service().recipientKeys, random: &random)
    }

    private func ask(_ type: String, _ body: JSONObject, at host: Host) async throws -> Message {
        let message = Message(
            try MessageType(parsing: "https://didcomm.org/" + type), id: Message.makeID(from: &random), body: body)
        guard
            case .answered(let response) = await network.post(
                try pack(message.askingForReturnRoute), to: host, lost: { _ in }), response.status == 200,
            let answer = open(response.body)
        else { throw Refused(what: "the agent does not answer \(type)") }
        return answer.message
    }
}
