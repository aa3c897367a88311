public import DIDComm
public import Determinism

/// The invitee's side of a handshake, connections 1.0 or DID exchange 1.x: asks, checks the response, confirms.
///
/// Its state can be stored at any time and is asked to be stored before anything is sent that depends on it; keys are not
/// in it and are given again. What an outsider may have written is passed over and ends nothing; what the inviter's key
/// proves to have written and cannot be used ends the handshake. A response may come from the key of the invitation, or from a
/// key that it hands over under a signature by that one, as deployed agents do. A request that was
/// not handed over is sent again a few times, always with the same `@id`; one that was is sent again only when the user wants
/// it, after a restart when we have no address for a late answer, or when a mediator of the inviter took it and a long silence
/// followed. A refusal of a repeated request is passed over, because
/// deployed agents refuse a request that they have taken before. After `giveUpAfter` it ends with
/// `aries.connection.timeout`, and `again` revives it.
/// Source: RFC 0160, RFC 0023.
public struct HandshakeRequester: Sendable {
    /// What a request is made of.
    public struct Configuration: Sendable {
        /// The name under which the caller keeps the connection.
        public let connectionID: String
        /// The protocol that the plan chose.
        public let handshake: MessageProtocol
        /// What was accepted.
        public let invitation: Invitation
        /// How the inviter is reached: one of the invitation's services.
        ///
        /// Its first recipient key has to answer.
        public let inviter: PeerService
        /// Our address of this connection, whose key is used for nothing else and is registered with our mediator.
        public let address: AgentAddress
        /// What we call ourselves.
        public let label: String
        /// In which form we say who we are; connections 1.0 knows the legacy form alone.
        public let form: DIDForm
        /// Waits and resends.
        public let policy: HandshakePolicy

        /// Makes a configuration; an inviter without a key traps.
        public init(
            connectionID: String, handshake: MessageProtocol, invitation: Invitation, inviter: PeerService,
            address: AgentAddress, label: String, form: DIDForm? = nil, policy: HandshakePolicy = HandshakePolicy()
        ) {
            precondition(!inviter.recipientKeys.isEmpty, "an inviter has a key")
            self.connectionID = connectionID
            self.handshake = handshake
            self.invitation = invitation
            self.inviter = inviter
            self.address = address
            self.label = label
            let isConnections = handshake.isCompatible(with: .connections10)
            self.form = isConnections ? .legacy : form ?? .preferred(for: handshake)
            self.policy = policy
        }
    }

    /// Where the handshake is; each case holds what is true then.
    enum Phase: Hashable, Sendable {
        /// Nothing was sent.
        case ready
        /// The request was sent.
        case requested(Sending)
        /// The response by `sender` is good as far as it goes, and a document is looked for.
        case resolving(response: Message, sender: Verkey)
        /// Done; `isConfirmed` once the confirmation of `response` was handed over.
        case completed(Connection, response: Message, isConfirmed: Bool)
        /// Given up.
        case abandoned(AriesError)
    }

    /// How often, and with what success, the request was sent.
    struct Sending: Hashable, Sendable {
        /// How many times again since the start, the last restart, or the last wish of the user.
        var resends = 0
        /// How many times again because the inviter's mediator took it and no answer came.
        var repeats = 0
        /// Whether it was sent more than once in all, so that the inviter may have it already.
        var isRepeated = false
        /// Whether it was handed over.
        var isHandedOver = false
        /// Why it could not be handed over the last time.
        var failure: DeliveryFailure?
        /// What the inviter said to the repeated request.
        var refusal: String?
    }

    /// What it was made of.
    public let configuration: Configuration

    /// Our DID of the connection, from the beginning on.
    public var ourDID: DID { did }

    /// Why the request could not be handed over the last time; nil when it was.
    public var deliveryFailure: DeliveryFailure? {
        if case .requested(let sending) = phase { sending.failure } else { nil }
    }

    /// Whether the request could not be handed over and nothing more is tried before `resume` or `again`.
    public internal(set) var isUndeliverable = false

    let did: DID
    /// The `@id` of the request, the confirmation and a report, drawn once so that sending again never makes new ones.
    let ids: [String]
    let request: Message
    var phase = Phase.ready
    var resolution: DIDResolution?
    var resendAt: MonotonicInstant?
    var giveUpAt: MonotonicInstant?
    var failedConfirmations = 0
    /// How the request had been sent when a response came that is looked into.
    var sendingBefore = Sending()
    /// When the request was sent the last time, and whether it is not known yet what came of that.
    var sentAt: MonotonicInstant?
    var isSending = false

    /// Makes a handshake that has not begun.
    ///
    /// - Parameter key: the key of `configuration.address`; another one traps.
    ///
    /// Throws `aries.state.malformed` when the address does not fit into a DID.
    public init(
        _ configuration: Configuration, key: AgentKey, random: inout some RandomSource
    ) throws(AriesError) {
        try self.init(configuration, key: key, ids: (0..<3).map { _ in Message.makeID(from: &random) })
    }

    init(_ configuration: Configuration, key: AgentKey, ids: [String]) throws(AriesError) {
        precondition(key.verkey == configuration.address.key, "the key is the one of the address")
        self.configuration = configuration
        self.ids = ids
        did = try configuration.form.did(of: configuration.address)
        request = try Self.request(configuration, did: did, id: ids[0], key: key)
    }

    private static func request(
        _ configuration: Configuration, did: DID, id: String, key: AgentKey
    ) throws(AriesError) -> Message {
        guard configuration.handshake.isCompatible(with: .didExchange11) else {
            return ConnectionsProtocol.request(
                id: id, invitation: configuration.invitation, label: configuration.label, did: did,
                address: configuration.address)
        }
        do {
            return try DIDExchangeProtocol.request(
                configuration.handshake, id: id, invitation: configuration.invitation, label: configuration.label,
                did: did, address: configuration.address, key: key)
        } catch {
            throw AriesError(.stateMalformed, "The request cannot be signed: \(error).")
        }
    }

    /// Where it is.
    public var stage: HandshakeStage {
        switch phase {
        case .ready: .ready
        case .requested: .requested
        case .resolving: .resolving
        case .completed: .completed
        case .abandoned: .abandoned
        }
    }

    /// The `@id` of the request, which is the thread of the handshake.
    public var threadID: String { request.threadID }

    /// When `timeReached` is to be given; nil for not at all.
    public var nextDeadline: MonotonicInstant? {
        switch phase {
        case .ready, .abandoned: nil
        case .requested, .resolving: [resendAt, giveUpAt].compactMap(\.self).min()
        case .completed: resendAt
        }
    }

    /// Takes one event and appends what is to be done.
    public mutating func handle(
        _ input: HandshakeInput, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        switch input {
        case .start: start(at: now, into: &outputs)
        case .resume: resume(at: now, into: &outputs)
        case .received(let message): receive(message, at: now, into: &outputs)
        case .sent(let id): sent(id, at: now, into: &outputs)
        case .sendFailed(let id, let failure): sendFailed(id, failure, at: now, into: &outputs)
        case .again: startAgain(at: now, into: &outputs)
        case .resolved(let document, let did): resolved(document, did, at: now, into: &outputs)
        case .unresolved(let did, let error): unresolved(did, error, at: now, into: &outputs)
        case .timeReached: timeReached(at: now, into: &outputs)
        case .cancel: abandon(AriesError(.cancelled, "The connection was cancelled."), into: &outputs)
        }
    }

    /// As `handle(_:at:into:)`, returning the outputs.
    public mutating func handle(_ input: HandshakeInput, at now: MonotonicInstant) -> [HandshakeOutput] {
        var outputs: [HandshakeOutput] = []
        handle(input, at: now, into: &outputs)
        return outputs
    }
}
