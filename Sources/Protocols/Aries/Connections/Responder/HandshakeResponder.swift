public import DIDComm
public import Determinism
public import JSON

/// The inviter's state machine of a handshake: checks the request, responds, waits for a confirmation.
///
/// Made from a request that `IssuedInvitation.admit` took. The response is made once and sent again unchanged. Any
/// message that provably comes from the other side to the new key confirms; the caller then handles that message on the
/// connection. A handshake that failed because no confirmation came in time continues when the other side confirms
/// later, or sends the request again.
/// Source: RFC 0160, RFC 0023.
public struct HandshakeResponder: StateMachine, Sendable {
    /// The configuration that the handshake responder was made with.
    public let configuration: Configuration

    private let request: Message
    private let sender: Verkey
    private let party: HandshakeParty
    /// The DID of this agent on the connection.
    public let ourDID: DID
    private let response: Message
    private var phase = Phase.ready
    private var resolution: DIDResolution
    private var resendAt: MonotonicInstant?
    private var giveUpAt: MonotonicInstant?

    /// Makes a handshake of the inviter that answers a request; nothing is sent before `start`.
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

    private init(
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

    private static func party(in request: Message) throws(AriesError) -> HandshakeParty {
        do throws(HandshakeRejection) {
            return request.type.protocol.isCompatible(with: .connections10)
                ? try ConnectionsProtocol.readRequest(request) : try DIDExchangeProtocol.readRequest(request)
        } catch {
            throw error.error
        }
    }

    /// Returns the protocol version of the answer: that of the request, at most the highest supported one.
    private static func version(of request: Message) -> MessageProtocol {
        let asked = request.type.protocol
        return MessageProtocol(asked.family, asked.major, min(asked.minor, MessageProtocol.didExchange11.minor))
    }

    /// The stage that the handshake responder has reached.
    public var stage: HandshakeStage {
        switch phase {
        case .ready: .ready
        case .resolving: .resolving
        case .responded: .responded
        case .completed: .completed
        case .abandoned: .abandoned
        }
    }

    /// The thread of the handshake, which the request began.
    public var threadID: String { request.threadID }

    /// The label of the requester: untrusted text.
    public var theirLabel: String? { party.label }

    /// The connection that the handshake made; nil before the response.
    public var connection: Connection? {
        switch phase {
        case .responded(let connection, _), .completed(let connection): connection
        case .ready, .resolving, .abandoned: nil
        }
    }

    /// The time at which the caller gives the input `timeReached`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? {
        switch phase {
        case .ready, .resolving, .responded: [resendAt, giveUpAt].compactMap(\.self).min()
        case .completed, .abandoned: nil
        }
    }

    /// Handles one input and appends the outputs that it causes.
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
            guard case .resolving = phase else { return }
            resolution.fail(did, error)
            proceed(at: now, into: &outputs)
        case .timeReached: timeReached(at: now, into: &outputs)
        case .cancel: abandon(AriesError(.cancelled, "The connection was cancelled."), into: &outputs)
        }
    }

    /// Returns the problem report to the sender of a refused request; nil when it cannot be sent.
    ///
    /// Only a sender who proves to own the document that it sends gets a report.
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
            report.message(type, id: Message.makeID(from: &random)), from: address, by: address.key, to: service,
            or: document)
    }

    // Resolving, responding, being confirmed, giving up.

    private mutating func begin(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .ready, .resolving:
            giveUpAt = now + configuration.policy.giveUpAfter
            phase = .resolving
            outputs.append(.persist)
            proceed(at: now, into: &outputs)
        case .responded(let connection, let resends):
            giveUpAt = now + configuration.policy.giveUpAfter
            respond(on: connection, resends: resends, at: now, into: &outputs)
        case .completed, .abandoned: break
        }
    }

    private mutating func proceed(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        guard case .resolving = phase else { return }
        do throws(DIDCommError) {
            switch try resolution.progress() {
            case .needs(let did): outputs.append(.resolve(did))
            case .resolved(let document): accept(document, at: now, into: &outputs)
            }
        } catch {
            let reason = "The requester's document cannot be used: \(error)."
            abandon(AriesError(.requestUnusable, reason, wireCode: error.code.rawValue), into: &outputs)
        }
    }

    private mutating func resolved(
        _ document: DIDDocument, _ did: DID, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        guard case .resolving = phase else { return }
        do throws(DIDCommError) {
            try resolution.provide(document, for: did)
        } catch {
            resolution.fail(did, error)
        }
        proceed(at: now, into: &outputs)
    }

    /// Accepts the requester's document, which must hold the keys of the sender and of the document's signatures.
    private mutating func accept(
        _ document: PeerDocument, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        guard document.owns(sender), party.signers.map({ $0.contains(where: document.owns) }) ?? true else {
            return abandon(.wrongSender(request), into: &outputs)
        }
        let connection = Connection(
            id: configuration.connectionID, role: .inviter, handshake: response.type.protocol, threadID: threadID,
            invitationID: configuration.invitation.id, label: party.label, ourDID: ourDID, ours: configuration.address,
            theirs: document)
        do throws(DIDCommError) { _ = try document.service() } catch {
            return abandon(AriesError(.unreachable, "The requester cannot be answered: \(error)."), into: &outputs)
        }
        phase = .responded(connection, resends: 0)
        outputs.append(.persist)
        respond(on: connection, resends: 0, at: now, into: &outputs)
    }

    private mutating func respond(
        on connection: Connection, resends: Int, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        let waits = configuration.policy.resendAfter
        resendAt = resends < waits.count ? now + waits[resends] : nil
        sendResponse(on: connection, into: &outputs)
    }

    /// Sends the response with the invitation's key, the only key of this agent that the other side knows.
    private func sendResponse(on connection: Connection, into outputs: inout [HandshakeOutput]) {
        guard let service = try? connection.theirs.service() else { return }
        outputs.append(
            .send(
                OutgoingMessage(
                    response, from: configuration.address, by: configuration.invitationKey, to: service,
                    or: connection.theirs)))
    }

    private mutating func timeReached(at now: MonotonicInstant, into outputs: inout [HandshakeOutput]) {
        if let giveUpAt, now >= giveUpAt {
            return abandon(AriesError(.timeout, "The requester did not confirm in time."), into: &outputs)
        }
        guard case .responded(let connection, let resends) = phase, let resendAt, now >= resendAt else { return }
        phase = .responded(connection, resends: resends + 1)
        outputs.append(.persist)
        respond(on: connection, resends: resends + 1, at: now, into: &outputs)
    }

    private mutating func sendFailed(_ id: String, at now: MonotonicInstant) {
        guard case .responded(_, let resends) = phase, id == response.id,
            resends < configuration.policy.resendAfter.count
        else { return }
        let retryAt = now + configuration.policy.retryAfter
        resendAt = min(resendAt ?? retryAt, retryAt)
    }

    private mutating func receive(
        _ received: ReceivedMessage, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        do throws(AriesError) {
            switch phase {
            case .responded(let connection, _): try receive(received, on: connection, into: &outputs)
            case .completed(let connection): try repeatResponse(to: received, on: connection, into: &outputs)
            case .abandoned(let error, let connection) where error.code == .timeout:
                try takeUp(received, connection, error, at: now, into: &outputs)
            case .ready, .resolving, .abandoned: throw .unexpected(received.message)
            }
        } catch {
            outputs.append(.ignored(error))
        }
    }

    private mutating func receive(
        _ received: ReceivedMessage, on connection: Connection, into outputs: inout [HandshakeOutput]
    ) throws(AriesError) {
        if received.message.type == request.type {
            return try repeatResponse(to: received, on: connection, into: &outputs)
        }
        try check(received, on: connection)
        if let report = ProblemReport(received.message), report.threadID == threadID, !report.isWarning {
            return abandon(.rejected(report), into: &outputs)
        }
        let isComplete = received.message.type.isSame(as: MessageType(.didExchange11, "complete"))
        guard isComplete || received.recipient == configuration.address.key else {
            throw .unexpected(received.message)
        }
        if isComplete { try received.checkThread(threadID) }
        phase = .completed(connection)
        (resendAt, giveUpAt) = (nil, nil)
        outputs.append(.persist)
        outputs.append(.completed(connection))
    }

    /// Continues after a time-out when the other side repeats the request or confirms; otherwise does nothing.
    private mutating func takeUp(
        _ received: ReceivedMessage, _ connection: Connection?, _ end: AriesError, at now: MonotonicInstant,
        into outputs: inout [HandshakeOutput]
    ) throws(AriesError) {
        if received.message.type == request.type {
            try checkRepeated(received)
            phase = .ready
            return begin(at: now, into: &outputs)
        }
        guard let connection else { throw .unexpected(received.message) }
        phase = .responded(connection, resends: configuration.policy.resendAfter.count)
        do throws(AriesError) {
            try receive(received, on: connection, into: &outputs)
        } catch {
            phase = .abandoned(end, connection)
            throw error
        }
    }

    /// Checks that the sender is a key of the other side, and the recipient our new key or the invitation's key.
    private func check(_ received: ReceivedMessage, on connection: Connection) throws(AriesError) {
        guard connection.theirs.owns(try received.exclusiveSender()) else { throw .wrongSender(received.message) }
        try received.checkRecipient(configuration.address.key, configuration.invitationKey)
    }

    /// Sends the response again, because a repeated request means that it was lost.
    private func repeatResponse(
        to received: ReceivedMessage, on connection: Connection, into outputs: inout [HandshakeOutput]
    ) throws(AriesError) {
        try checkRepeated(received)
        sendResponse(on: connection, into: &outputs)
    }

    private func checkRepeated(_ received: ReceivedMessage) throws(AriesError) {
        guard received.message.type == request.type else { throw .unexpected(received.message) }
        guard try received.exclusiveSender() == sender else { throw .wrongSender(received.message) }
        try received.checkRecipient(configuration.invitationKey)
        try received.checkThread(threadID)
    }

    private mutating func abandon(_ error: AriesError, into outputs: inout [HandshakeOutput]) {
        switch phase {
        case .completed, .abandoned: return
        case .ready, .resolving: phase = .abandoned(error, nil)
        case .responded(let connection, _): phase = .abandoned(error, connection)
        }
        (resendAt, giveUpAt) = (nil, nil)
        outputs.append(.persist)
        outputs.append(.abandoned(error))
    }

    // Storing.

    /// The state of the handshake as JSON for a store, which contains no keys.
    ///
    /// It holds no secret but the two sides of the connection.
    public var state: JSONObject {
        [
            "version": .int(StoredStateReader.version), "kind": "responder",
            "connection": .string(configuration.connectionID),
            "invitation": .object(configuration.invitation.object),
            "invitationKey": .string(configuration.invitationKey.base58),
            "address": .object(configuration.address.json), "request": .object(request.object),
            "sender": .string(sender.base58), "did": .string(ourDID.text), "response": .object(response.object),
            "phase": .object(phase.json),
        ]
    }

    /// Reads a stored handshake that `state` wrote; its next input is `resume`.
    ///
    /// Throws `aries.state.malformed`.
    public init(
        stored reader: JSONValueReader, policy: HandshakePolicy = HandshakePolicy(giveUpAfter: .seconds(3600))
    ) throws(AriesError) {
        self = try StoredStateReader.reading {
            try StoredStateReader.check(reader, kind: "responder")
            return try HandshakeResponder(
                Configuration(
                    connectionID: try reader.string("connection"),
                    invitation: try Invitation(reader.object("invitation")),
                    invitationKey: try Verkey(parsing: reader.string("invitationKey")),
                    address: try AgentAddress(stored: reader.member("address")), policy: policy),
                request: try Message(reader.object("request")), sender: try Verkey(parsing: reader.string("sender")),
                ourDID: try DID(parsing: reader.string("did")), response: try Message(reader.object("response")),
                phase: try Phase(stored: reader.member("phase")))
        }
    }
}
