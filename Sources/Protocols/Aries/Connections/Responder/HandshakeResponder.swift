public import DIDComm
public import Determinism

/// The inviter's side of a handshake with one who asked: checks the request, responds, waits for a confirmation.
///
/// Made of a request that `IssuedInvitation.admit` took. The response is made once and sent again as it is. Any message
/// that proves to come from the other side to the new key confirms; such a message is then to be handled on the connection.
/// One that was given up because no confirmation came in time is taken up again when the other side confirms later, or asks
/// again.
/// Source: RFC 0160, RFC 0023.
public struct HandshakeResponder: Sendable {
    /// What a response is made of.
    public struct Configuration: Sendable {
        /// The name under which the caller keeps the connection.
        public let connectionID: String
        /// The invitation that was used.
        public let invitation: Invitation
        /// The key of the invitation, which signs and sends the response.
        public let invitationKey: Verkey
        /// Our address of the new connection, whose key is used for nothing else and is registered with our mediator.
        public let address: AgentAddress
        /// Waits and resends.
        public let policy: HandshakePolicy

        /// Makes a configuration.
        public init(
            connectionID: String, issued: IssuedInvitation, address: AgentAddress,
            policy: HandshakePolicy = HandshakePolicy(giveUpAfter: .seconds(3600))
        ) {
            self.init(
                connectionID: connectionID, invitation: issued.invitation, invitationKey: issued.address.key,
                address: address, policy: policy)
        }

        init(
            connectionID: String, invitation: Invitation, invitationKey: Verkey, address: AgentAddress,
            policy: HandshakePolicy
        ) {
            self.connectionID = connectionID
            self.invitation = invitation
            self.invitationKey = invitationKey
            self.address = address
            self.policy = policy
        }
    }

    /// Where the handshake is; each case holds what is true then.
    enum Phase: Hashable, Sendable {
        /// The request was read, and the document of the other side may have to be looked for.
        case ready
        /// The response was sent, `resends` times again.
        case responded(Connection, resends: Int)
        /// The other side confirmed.
        case completed(Connection)
        /// Given up; the connection when the response had been sent.
        case abandoned(AriesError, Connection?)
    }

    /// What it was made of.
    public let configuration: Configuration

    let request: Message
    let sender: Verkey
    let party: HandshakeParty
    /// Our DID of the connection, from the beginning on.
    public let ourDID: DID
    let response: Message
    var phase = Phase.ready
    var resolution: DIDResolution
    var isResolving = false
    var resendAt: MonotonicInstant?
    var giveUpAt: MonotonicInstant?

    /// Makes the answer to a request; nothing is sent before `start`.
    ///
    /// - Parameter key: the key of the invitation; another one traps.
    ///
    /// Throws `aries.request.unusable`, `aries.message.not-authentic` and `aries.message.sender-not-exclusive`.
    public init(
        _ configuration: Configuration, answering received: ReceivedMessage, key: AgentKey,
        random: inout some RandomSource
    ) throws(AriesError) {
        precondition(key.verkey == configuration.invitationKey, "the key is the one of the invitation")
        let sender = try received.exclusiveSender()
        let party = try Self.party(in: received.message)
        let isLegacy = received.message.type.protocol.isCompatible(with: .connections10)
        let form = isLegacy ? DIDForm.legacy : DIDForm.mirroring(party.did)
        let did = try form.did(of: configuration.address)
        let id = Message.makeID(from: &random)
        do {
            response =
                isLegacy
                ? try ConnectionsProtocol.response(
                    id: id, threadID: received.message.threadID, did: did, address: configuration.address,
                    invitationKey: key, now: received.arrival)
                : try DIDExchangeProtocol.response(
                    Self.version(of: received.message), id: id, threadID: received.message.threadID,
                    parentID: configuration.invitation.id, did: did, address: configuration.address, invitationKey: key)
        } catch {
            throw AriesError(.stateMalformed, "The response cannot be signed: \(error).")
        }
        self.configuration = configuration
        self.sender = sender
        self.party = party
        request = received.message
        ourDID = did
        resolution = party.resolution
    }

    init(
        _ configuration: Configuration, request: Message, sender: Verkey, ourDID: DID, response: Message,
        phase: Phase
    ) throws(AriesError) {
        self.configuration = configuration
        self.request = request
        self.sender = sender
        party = try Self.party(in: request)
        self.ourDID = ourDID
        self.response = response
        self.phase = phase
        resolution = party.resolution
    }

    static func party(in request: Message) throws(AriesError) -> HandshakeParty {
        do throws(HandshakeFault) {
            return request.type.protocol.isCompatible(with: .connections10)
                ? try ConnectionsProtocol.readRequest(request) : try DIDExchangeProtocol.readRequest(request)
        } catch {
            throw error.error
        }
    }

    /// The version to answer in: that of the request, at most the highest that is spoken here.
    private static func version(of request: Message) -> MessageProtocol {
        let asked = request.type.protocol
        return MessageProtocol(asked.family, asked.major, min(asked.minor, MessageProtocol.didExchange11.minor))
    }

    /// Where it is.
    public var stage: HandshakeStage {
        switch phase {
        case .ready: isResolving ? .resolving : .ready
        case .responded: .responded
        case .completed: .completed
        case .abandoned: .abandoned
        }
    }

    /// The thread of the handshake, which the request began.
    public var threadID: String { request.threadID }

    /// What the other side calls itself: untrusted text.
    public var theirLabel: String? { party.label }

    /// The connection as far as it is known: from the response on.
    public var connection: Connection? {
        switch phase {
        case .responded(let connection, _), .completed(let connection): connection
        case .ready, .abandoned: nil
        }
    }

    /// When `timeReached` is to be given; nil for not at all.
    public var nextDeadline: MonotonicInstant? {
        switch phase {
        case .ready, .responded: [resendAt, giveUpAt].compactMap(\.self).min()
        case .completed, .abandoned: nil
        }
    }

    /// Takes one event and appends what is to be done.
    public mutating func handle(
        _ input: HandshakeInput, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        switch input {
        case .start, .resume: begin(at: now, into: &outputs)
        case .received(let message): receive(message, at: now, into: &outputs)
        case .sent, .again: break
        case .sendFailed(let id, _): sendFailed(id, at: now)
        case .resolved(let document, let did): resolved(document, did, at: now, into: &outputs)
        case .unresolved(let did, let error):
            guard isResolving else { return }
            resolution.fail(did, error)
            proceed(at: now, into: &outputs)
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

    /// The report that tells the sender of a request why it is refused; nil when it cannot be told.
    ///
    /// Only a sender who proves to be the owner of the document that it sends along is told anything.
    public static func refusal(
        of received: ReceivedMessage, because error: AriesError, address: AgentAddress,
        random: inout some RandomSource
    ) -> OutgoingMessage? {
        guard let sender = try? received.exclusiveSender(), received.recipient == address.key,
            let party = try? party(in: received.message),
            case .resolved(let document)? = try? party.resolution.progress(), document.owns(sender),
            let service = try? document.service()
        else { return nil }
        let report = ProblemReport(
            code: "request_not_accepted", explanation: error.reason, threadID: received.message.threadID)
        let type = MessageType(received.message.type.protocol, "problem_report")
        return OutgoingMessage(
            report.message(type, id: Message.makeID(from: &random)), from: address, by: address.key, to: service)
    }
}
