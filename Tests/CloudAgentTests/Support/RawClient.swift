import Aries
import ByteCoding
import CloudAgent
import CryptoSuite
import DIDComm
import Determinism
import JSON
import WebAddressing
import WebTransport

/// A cloud agent's client that composes and packs its messages without the agent library.
final class RawClient {
    let key: AgentKey
    let connection: Connection
    private let service: WebService
    private let target: WebConnectionTarget
    private var codec = EnvelopeCodec(limits: EnvelopeLimits(maximumBytes: 4 << 20))
    private var random = SystemRandom()

    struct Refused: Error {
        let code: String?
    }

    /// Connects a client by an invitation of a cloud agent on this machine.
    ///
    /// - Throws: `Refused` when the agent sends a report instead of a response, or nothing.
    static func connect(
        _ invitation: Invitation, at port: UInt16, service: WebService, by handshake: MessageProtocol = .didExchange11,
        endpoint: ServiceEndpoint = .queue
    ) async throws -> RawClient {
        var random = SystemRandom()
        let key = AgentKey.make(from: &random)
        return try await recorded(
            invitation, at: port, service: service, by: handshake, endpoint: endpoint, key: key
        ).client
    }

    /// Connects as `connect` does, and returns the envelopes that the handshake posted too.
    static func recorded(
        _ invitation: Invitation, at port: UInt16, service: WebService, by handshake: MessageProtocol = .didExchange11,
        endpoint: ServiceEndpoint = .queue, key: AgentKey
    ) async throws -> (client: RawClient, sent: [[UInt8]]) {
        var random = SystemRandom()
        var sent: [[UInt8]] = []
        guard case .resolved(let document) = try invitation.services[0].resolution.progress() else {
            throw Refused(code: nil)
        }
        var requester = try HandshakeRequester(
            .init(
                connectionID: "client", handshake: handshake, invitation: invitation, inviter: document.service(),
                address: AgentAddress(key: key.verkey, endpoint: endpoint), label: "Client"),
            key: key, random: &random)
        let post = Poster(service: service, port: port)
        var codec = EnvelopeCodec()
        var outputs = requester.handle(.start, at: .zero)
        while true {
            var answer: [UInt8]?
            for case .send(let outgoing) in outputs {
                let message = outgoing.message.askingForReturnRoute
                let envelope = try codec.pack(
                    message.encoded, from: key, to: outgoing.service.recipientKeys, random: &random)
                sent.append(envelope)
                let response = try await post.post(envelope)
                if response.status == 200 { answer = response.body }
            }
            for case .completed(let connection) in outputs {
                return (RawClient(key, connection, service, post.target), sent)
            }
            guard let answer else { throw Refused(code: nil) }
            let received = try Self.open(answer, with: key, &codec)
            if let report = ProblemReport(received.message) { throw Refused(code: report.code) }
            outputs = requester.handle(.received(received), at: .zero)
        }
    }

    /// Makes the first envelope of a client that follows an invitation, with a new key each time.
    static func request(for invitation: Invitation) throws -> [UInt8] {
        var random = SystemRandom()
        let key = AgentKey.make(from: &random)
        guard case .resolved(let document) = try invitation.services[0].resolution.progress() else {
            throw Refused(code: nil)
        }
        var requester = try HandshakeRequester(
            .init(
                connectionID: "client", handshake: .didExchange11, invitation: invitation, inviter: document.service(),
                address: AgentAddress(key: key.verkey, endpoint: .queue), label: "Client"),
            key: key, random: &random)
        var codec = EnvelopeCodec()
        for case .send(let outgoing) in requester.handle(.start, at: .zero) {
            return try codec.pack(
                outgoing.message.askingForReturnRoute.encoded, from: key, to: outgoing.service.recipientKeys,
                random: &random)
        }
        throw Refused(code: nil)
    }

    private init(_ key: AgentKey, _ connection: Connection, _ service: WebService, _ target: WebConnectionTarget) {
        (self.key, self.connection, self.service, self.target) = (key, connection, service, target)
    }

    /// Returns the same client, connected to the agent instance at another port.
    func moved(to port: UInt16) -> RawClient {
        RawClient(key, connection, service, Poster(service: service, port: port).target)
    }

    private static func open(_ envelope: [UInt8], with key: AgentKey, _ codec: inout EnvelopeCodec) throws
        -> ReceivedMessage
    {
        let opened = try codec.unpack(envelope) { $0 == key.verkey ? key : nil }
        guard case .authenticated(let inner) = opened else { throw Refused(code: "anonymous") }
        return ReceivedMessage(
            try Message(
                parsing: inner.plaintext, limits: JSONLimits(maximumBytes: 4 << 20, maximumStringBytes: 4 << 20)),
            sender: .authenticated(inner.sender, isExclusive: inner.isSenderExclusive),
            recipient: inner.recipient, arrival: Wallet.time())
    }

    /// Packs a message of the mediator's protocols for the cloud agent.
    func packed(_ type: String, _ body: JSONObject = [:], id: String? = nil) throws -> [UInt8] {
        let message = Message(
            try MessageType(parsing: "https://didcomm.org/" + type), id: id ?? Message.makeID(from: &random), body: body
        ).askingForReturnRoute
        let service = try connection.theirs.service()
        return try codec.pack(message.encoded, from: key, to: service.recipientKeys, random: &random)
    }

    /// Packs a message as `packed` does, but without a sender's key (anonymous encryption).
    func packedWithoutSender(_ type: String) throws -> [UInt8] {
        let message = Message(
            try MessageType(parsing: "https://didcomm.org/" + type), id: Message.makeID(from: &random)
        ).askingForReturnRoute
        let service = try connection.theirs.service()
        return try codec.packAnonymously(message.encoded, to: service.recipientKeys, random: &random)
    }

    func opened(_ envelope: [UInt8]) throws -> Message { try Self.open(envelope, with: key, &codec).message }

    func post(_ envelope: [UInt8]) async throws -> HTTPResponse {
        try await Poster(service: service, target: target).post(envelope)
    }

    /// Sends a message by HTTP; returns the answer, or nil when there is none.
    @discardableResult
    func ask(_ type: String, _ body: JSONObject = [:], id: String? = nil) async throws -> Message? {
        let response = try await post(try packed(type, body, id: id))
        return response.status == 200 ? try opened(response.body) : nil
    }

    /// Requests mediation; returns the routing key that all keys share.
    func mediate() async throws -> Verkey {
        let grant = try await ask("coordinate-mediation/1.0/mediate-request")
        return try Verkey(parsing: grant?.object["routing_keys"]?.array?.first?.string ?? "")
    }

    /// Adds or removes a recipient key at the cloud agent; returns the result.
    func change(_ key: Verkey, _ action: String = "add") async throws -> String? {
        let body: JSONObject = ["updates": [["recipient_key": .string(key.didKey), "action": .string(action)]]]
        let answer = try await ask("coordinate-mediation/1.0/keylist-update", body)
        return answer?.object["updated"]?.array?.first?["result"]?.string
    }

    /// Requests a delivery; returns the envelopes with their identifiers.
    func deliver(_ limit: Int = 50) async throws -> [(id: String, envelope: [UInt8])] {
        let answer = try await ask("messagepickup/2.0/delivery-request", ["limit": .int(limit)])
        return Self.attachments(of: answer)
    }

    static func attachments(of delivery: Message?) -> [(id: String, envelope: [UInt8])] {
        (delivery?.object["~attach"]?.array ?? []).compactMap { entry in
            guard let id = entry["@id"]?.string, let text = entry["data"]?["base64"]?.string,
                let bytes = Base64URL.decode(text, acceptsBothAlphabets: true)
            else { return nil }
            return (id, bytes)
        }
    }

    func acknowledge(_ ids: [String]) async throws -> Int? {
        let answer = try await ask("messagepickup/2.0/messages-received", ["message_id_list": .strings(ids)])
        return answer?.object["message_count"]?.int
    }

    /// Opens a WebSocket to the cloud agent.
    func socket(limits: WebSocketLimits = WebSocketLimits()) async throws -> WebSocketConnection {
        try await WebSocketClient(service).connect(
            to: target, HTTPRequest(.get, try RequestTarget(parsing: "/")), limits: limits)
    }

    /// Opens a WebSocket and turns live delivery on.
    func liveSocket(limits: WebSocketLimits = WebSocketLimits()) async throws -> WebSocketConnection {
        let socket = try await socket(limits: limits)
        let text = try packed("messagepickup/2.0/live-delivery-change", ["live_delivery": true])
        try await socket.send(.text(text))
        for try await message in socket.messages {
            guard case .text(let bytes) = message else { continue }
            if try opened(bytes).object["live_delivery"]?.bool == true { return socket }
        }
        throw Refused(code: "closed")
    }
}

/// Posts envelopes to a cloud agent by HTTP.
struct Poster: Sendable {
    let service: WebService
    let target: WebConnectionTarget

    init(service: WebService, port: UInt16) {
        self.init(service: service, target: WebConnectionTarget(.v4(IPv4Address(127, 0, 0, 1)), port: port))
    }

    init(service: WebService, target: WebConnectionTarget) { (self.service, self.target) = (service, target) }

    func post(_ envelope: [UInt8]) async throws -> HTTPResponse {
        var limits = ClientRequestLimits()
        limits.maximumBodyBytes = 4 << 20
        limits.deadline = .seconds(60)
        return try await HTTPClient(service).send(
            HTTPRequest(
                .post, try RequestTarget(parsing: "/"), headers: ["Content-Type": EnvelopeMediaType.envelope.rawValue],
                body: envelope),
            to: target, limits: limits)
    }

    /// Packs an envelope for a key into a forward message through a routing key, without a sender's key.
    static func forward(_ envelope: [UInt8], to key: Verkey, through routing: Verkey) throws -> [UInt8] {
        var (codec, random) = (EnvelopeCodec(), SystemRandom())
        return try codec.wrap(envelope, for: key, via: [routing], random: &random)
    }

    func forward(_ text: String, to key: Verkey, through routing: Verkey) async throws -> Int {
        let envelope = Array("{\"text\":\"\(text)\"}".utf8)
        return try await post(try Self.forward(envelope, to: key, through: routing)).status
    }
}

/// Makes a new recipient key.
func freshKey() -> Verkey {
    var random = SystemRandom()
    return AgentKey.make(from: &random).verkey
}
