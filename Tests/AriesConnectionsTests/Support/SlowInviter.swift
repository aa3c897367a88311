import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON

@testable import AriesConnections

/// An inviter that answers a request only when the test says so, and refuses the same request again, as deployed
/// agents do whose operator accepts by hand.
final class SlowInviter: NetPeer {
    fileprivate struct State: Sendable {
        var random = SeededRandom(seed: 5)
        var codec = EnvelopeCodec()
        let invitationKey: AgentKey
        let connectionKey: AgentKey
        var issued: IssuedInvitation
        var request: ReceivedMessage?
        var requests = 0
        var responder: HandshakeResponder?
    }

    let endpoint: ServiceEndpoint
    let invitation: Invitation
    fileprivate let state: Lock<State>

    /// The number of connection requests that came, repeated ones included.
    var requests: Int { state.withLock { $0.requests } }
    var isComplete: Bool { state.withLock { $0.responder?.stage == .completed } }

    /// The DID document of the inviter, whose DID the response names.
    var document: DIDDocument {
        get throws {
            let key = state.withLock { $0.connectionKey.verkey }
            return try DIDDocument(
                reading: JSONValueReader(object: AgentAddress(key: key, endpoint: endpoint).legacyDocument))
        }
    }

    init(
        _ kind: Invitation.Kind = .connections, handshake: MessageProtocol? = nil, net: MemoryNet
    ) throws {
        var random = SeededRandom(seed: 6)
        endpoint = try ServiceEndpoint(parsing: "http://slow.example")
        let keys = (0..<2).map { _ in AgentKey.make(from: &random) }
        let address = AgentAddress(key: keys[0].verkey, endpoint: endpoint)
        var draft = InvitationDraft(kind, label: "Slow")
        if let handshake { draft.handshakeProtocols = [handshake] }
        invitation = try draft.invitation(id: "slow-1", address: address)
        state = Lock(
            State(
                invitationKey: keys[0], connectionKey: keys[1],
                issued: IssuedInvitation(invitation, address: address, isMultiUse: false)))
        net.put(self, at: endpoint)
    }

    func ended(_ socket: MemorySocket) {}

    func take(_ envelope: [UInt8], on socket: MemorySocket?) -> [UInt8]? {
        state.withLock { $0.take(envelope) }
    }

    /// Makes the response to the received request, for the test to deliver.
    ///
    /// - Parameter attachesDocument: True to attach the document of its DID, which the other side resolves otherwise.
    func answer(attachesDocument: Bool = true) throws -> [UInt8]? {
        try state.withLock { try $0.answer(attachesDocument) }
    }
}

extension SlowInviter.State {
    fileprivate mutating func take(_ envelope: [UInt8]) -> [UInt8]? {
        let keys = [invitationKey, connectionKey]
        guard
            case .authenticated(let opened)? = try? codec.unpack(
                envelope, ownKey: { key in keys.first { $0.verkey == key } }),
            let message = try? Message(parsing: opened.plaintext)
        else { return nil }
        let received = ReceivedMessage(
            message, sender: .authenticated(opened.sender, isExclusive: true), recipient: opened.recipient,
            arrival: WallTime(millisecondsSinceEpoch: 1_760_000_000_000))
        guard IssuedInvitation.isRequest(message) else {
            _ = responder?.handle(.received(received), at: .zero)
            return nil
        }
        requests += 1
        guard request != nil else {
            request = received
            return nil
        }
        let report = ProblemReport(code: "request_not_accepted", explanation: "Unknown.", threadID: message.threadID)
        let type = MessageType(message.type.protocol, "problem_report")
        return try? codec.pack(
            report.message(type, id: Message.makeID(from: &random)).encoded, from: invitationKey, to: [opened.sender],
            random: &random)
    }

    fileprivate mutating func answer(_ attachesDocument: Bool) throws -> [UInt8]? {
        guard let request else { return nil }
        _ = try issued.admit(request)
        var responder = try HandshakeResponder(
            .init(
                connectionID: "c", issued: issued,
                address: AgentAddress(key: connectionKey.verkey, endpoint: issued.address.endpoint)),
            answering: request, key: invitationKey, random: &random)
        var outputs: [HandshakeOutput] = []
        responder.handle(.start, at: .zero, into: &outputs)
        self.responder = responder
        for case .send(let outgoing) in outputs {
            var message = outgoing.message.object
            if !attachesDocument { message["did_doc~attach"] = nil }
            return try codec.pack(
                message.encoded, from: invitationKey, to: outgoing.service.recipientKeys, random: &random)
        }
        return nil
    }
}
