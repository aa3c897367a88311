import Aries
import ByteCoding
import CommandProgram
import CryptoSuite
import DIDComm
import Determinism
import JSON
import WebAddressing
import WebTransport

/// A client of a mediator, for measurements: it builds its messages without an agent and stores nothing.
actor BenchClient {
    /// A delivered message.
    struct DeliveredMessage: Hashable, Sendable {
        let id: String
        let envelope: [UInt8]
    }

    /// The address, path and host of a cloud agent's endpoint.
    struct Endpoint: Sendable {
        let target: WebConnectionTarget
        let path: String

        /// - Throws: `web.message.malformed` for an endpoint that names its host.
        init(_ endpoint: ServiceEndpoint) throws {
            guard let web = endpoint.address, case .address(let address) = web.host else {
                throw WebError(.messageMalformed, "A measured agent is reached by an address in numbers.")
            }
            target = WebConnectionTarget(address, for: web)
            path = web.requestTarget
        }

        init(_ target: WebConnectionTarget, path: String) { (self.target, self.path) = (target, path) }
    }

    nonisolated let endpoint: Endpoint
    private let key: AgentKey
    private let connection: Connection
    private let service: WebService
    private var codec = EnvelopeCodec(limits: EnvelopeLimits(maximumBytes: 4 << 20))
    private var random = SystemRandom()

    private init(_ key: AgentKey, _ connection: Connection, _ endpoint: Endpoint, _ service: WebService) {
        (self.key, self.connection, self.endpoint, self.service) = (key, connection, endpoint, service)
    }

    /// Connects by an invitation; answers arrive in the responses of its requests.
    ///
    /// - Throws: `aries.request.unusable` when the agent answers with another message, or not at all.
    static func connect(_ invitation: Aries.Invitation, service: WebService) async throws -> BenchClient {
        var random = SystemRandom()
        let key = AgentKey.make(from: &random)
        guard case .resolved(let document)? = try invitation.services.first?.resolution.progress() else {
            throw Self.refused
        }
        let inviter = try document.service()
        let endpoint = try Endpoint(inviter.endpoint)
        let isExchange = invitation.handshakeProtocols.contains(where: MessageProtocol.didExchange11.isCompatible)
        var requester = try HandshakeRequester(
            .init(
                connectionID: "bench", handshake: isExchange ? .didExchange11 : .connections10, invitation: invitation,
                inviter: inviter, address: AgentAddress(key: key.verkey, endpoint: .queue), label: "Bench"),
            key: key, random: &random)
        var codec = EnvelopeCodec()
        var outputs = requester.handle(.start, at: .zero)
        while true {
            var answer: [UInt8]?
            for case .send(let outgoing) in outputs {
                let envelope = try codec.pack(
                    outgoing.message.askingForReturnRoute.encoded, from: key, to: outgoing.service.recipientKeys,
                    random: &random)
                let response = try await post(envelope, to: endpoint, service)
                if response.status == 200, !response.body.isEmpty { answer = response.body }
            }
            for case .completed(let connection) in outputs {
                return BenchClient(key, connection, endpoint, service)
            }
            guard let answer else { throw Self.refused }
            outputs = requester.handle(.received(try open(answer, with: key, &codec)), at: .zero)
        }
    }

    /// The same client, for the same agent in another process.
    nonisolated func moved(to agent: MeasuredProcess) throws -> BenchClient {
        BenchClient(key, connection, try Endpoint(agent.invitation.address()), service)
    }

    /// The same client, connected over TLS.
    nonisolated func moved(to endpoint: Endpoint) -> BenchClient { BenchClient(key, connection, endpoint, service) }

    static var refused: AriesError {
        AriesError(.requestUnusable, "The agent did not answer as a mediator does.")
    }

    static func post(_ envelope: [UInt8], to endpoint: Endpoint, _ service: WebService) async throws -> HTTPResponse {
        var limits = ClientRequestLimits()
        limits.maximumBodyBytes = 4 << 20
        limits.deadline = .seconds(60)
        return try await HTTPClient(service).send(
            HTTPRequest(
                .post, try RequestTarget(parsing: endpoint.path),
                headers: ["Content-Type": EnvelopeMediaType.envelope.rawValue], body: envelope),
            to: endpoint.target, limits: limits)
    }

    private static func open(
        _ envelope: [UInt8], with key: AgentKey, _ codec: inout EnvelopeCodec
    ) throws -> ReceivedMessage {
        let opened = try codec.unpack(envelope) { $0 == key.verkey ? key : nil }
        guard case .authenticated(let inner) = opened else { throw Self.refused }
        return ReceivedMessage(
            try Message(
                parsing: inner.plaintext, limits: JSONLimits(maximumBytes: 4 << 20, maximumStringBytes: 4 << 20)),
            sender: .authenticated(inner.sender, isExclusive: inner.isSenderExclusive), recipient: inner.recipient,
            arrival: WallClock.now())
    }

    /// A message of one of the mediator's protocols, packed.
    private func packed(_ message: Message) throws -> [UInt8] {
        try codec.pack(
            message.askingForReturnRoute.encoded, from: key, to: try connection.theirs.service().recipientKeys,
            random: &random)
    }

    private func message(_ type: String, _ body: JSONObject) throws -> Message {
        Message(
            try MessageType(parsing: "https://didcomm.org/" + type), id: Message.makeID(from: &random), body: body)
    }

    private func opened(_ envelope: [UInt8]) throws -> Message { try Self.open(envelope, with: key, &codec).message }

    /// Sends a request by HTTP; returns the answer, nil when there is none.
    @discardableResult
    private func ask(_ type: String, _ body: JSONObject = [:]) async throws -> Message? {
        let response = try await Self.post(try packed(try message(type, body)), to: endpoint, service)
        guard response.status < 300 else {
            throw WebError(.responseMalformed, "The agent answered with status \(response.status).")
        }
        return response.body.isEmpty ? nil : try opened(response.body)
    }

    /// Requests mediation; returns the routing key.
    func requestMediation() async throws -> Verkey {
        let grant = try await ask("coordinate-mediation/1.0/mediate-request")
        return try Verkey(parsing: grant?.object["routing_keys"]?.array?.first?.string ?? "")
    }

    /// Registers keys, or removes them.
    func change(_ keys: [Verkey], _ action: String) async throws {
        var rest = keys[...]
        while !rest.isEmpty {
            let updates = rest.prefix(50).map { key -> JSONValue in
                ["recipient_key": .string(key.didKey), "action": .string(action)]
            }
            rest = rest.dropFirst(50)
            let answer = try await ask("coordinate-mediation/1.0/keylist-update", ["updates": .array(updates)])
            let results = answer?.object["updated"]?.array ?? []
            guard results.count == updates.count, results.allSatisfy({ $0["result"]?.string == "success" }) else {
                throw Self.refused
            }
        }
    }

    /// Fetches messages, the oldest first.
    func deliver(_ limit: Int) async throws -> [DeliveredMessage] {
        Self.mail(in: try await ask("messagepickup/2.0/delivery-request", ["limit": .int(limit)]))
    }

    /// Acknowledges messages; returns the number that still wait.
    @discardableResult
    func acknowledge(_ mail: [DeliveredMessage]) async throws -> Int? {
        let answer = try await ask(
            "messagepickup/2.0/messages-received", ["message_id_list": .strings(mail.map(\.id))])
        return answer?.object["message_count"]?.int
    }

    /// Asks the cloud agent for the number of messages that wait.
    func waiting() async throws -> Int {
        guard let count = try await ask("messagepickup/2.0/status-request")?.object["message_count"]?.int else {
            throw Self.refused
        }
        return count
    }

    /// Ends the connection, and with it the account.
    func hangUp() async throws {
        _ = try await Self.post(try packed(DIDRotate.hangup(id: Message.makeID(from: &random))), to: endpoint, service)
    }

    private static func mail(in delivery: Message?) -> [DeliveredMessage] {
        (delivery?.object["~attach"]?.array ?? []).compactMap { entry in
            guard let id = entry["@id"]?.string, let text = entry["data"]?["base64"]?.string,
                let bytes = Base64URL.decode(text, acceptsBothAlphabets: true)
            else { return nil }
            return DeliveredMessage(id: id, envelope: bytes)
        }
    }

    // WebSockets.

    /// Opens a WebSocket with live delivery, and waits for the agent's answer; no message may be waiting.
    func openLive() async throws -> WebSocketConnection {
        let socket = try await openSocket()
        try await socket.send(try liveRequest())
        var messages = socket.messages.makeAsyncIterator()
        guard let answer = try await messages.next() else { throw Self.refused }
        _ = try read(answer)
        return socket
    }

    /// Opens WebSockets with live delivery, `width` at a time.
    static func openLive(_ clients: ArraySlice<BenchClient>, width: Int) async throws -> [WebSocketConnection] {
        try await withThrowingTaskGroup(of: WebSocketConnection.self) { group in
            var held: [WebSocketConnection] = []
            for (number, client) in clients.enumerated() {
                if number >= width, let socket = try await group.next() { held.append(socket) }
                group.addTask { try await client.openLive() }
            }
            for try await socket in group { held.append(socket) }
            return held
        }
    }

    /// The request for live delivery.
    func liveRequest() throws -> WebSocketMessage {
        try text("messagepickup/2.0/live-delivery-change", ["live_delivery": true])
    }

    /// Opens a WebSocket, at another endpoint than the client's own where one is given.
    func openSocket(at other: Endpoint? = nil) async throws -> WebSocketConnection {
        let endpoint = other ?? endpoint
        var limits = WebSocketLimits()
        limits.maximumMessageBytes = 4 << 20
        limits.maximumFrameBytes = 4 << 20
        return try await WebSocketClient(service).connect(
            to: endpoint.target, HTTPRequest(.get, try RequestTarget(parsing: endpoint.path)), limits: limits)
    }

    /// Reads a WebSocket message: deliveries, and the number of waiting messages if it states one.
    ///
    /// - Throws: also for a problem report. The agent could not do what was asked: a client that went on would wait for
    /// an answer, or for messages whose acknowledgement failed, as long as the WebSocket is open.
    func read(_ message: WebSocketMessage) throws -> (mail: [DeliveredMessage], waiting: Int?) {
        let message = try opened(message.bytes)
        guard !message.type.isProblemReport else { throw Self.refused }
        return (Self.mail(in: message), message.object["message_count"]?.int)
    }

    /// The acknowledgement of messages, to be sent on a WebSocket.
    func receipt(_ mail: [DeliveredMessage]) throws -> WebSocketMessage {
        try text("messagepickup/2.0/messages-received", ["message_id_list": .strings(mail.map(\.id))])
    }

    /// The request for messages that waited before live delivery, which are not delivered unasked.
    func deliveryRequest(_ limit: Int) throws -> WebSocketMessage {
        try text("messagepickup/2.0/delivery-request", ["limit": .int(limit)])
    }

    private func text(_ type: String, _ body: JSONObject) throws -> WebSocketMessage {
        .text(try packed(try message(type, body)))
    }
}
