import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import JSON
import WebTransport

/// A mediator of this machine that knows mediation, and no other service for its clients.
final class ScriptedMediator: Sendable {
    /// A fault of the first connection; a second one is served.
    enum Fault: CaseIterable {
        /// It rejects a request for mediation as one that it has answered.
        case rejects
        /// It grants, and answers nothing about keys.
        case confirmsNoKey
        /// It grants, and answers nothing more at all.
        case fallsSilent
    }

    private let fault: Fault?
    private let key: AgentKey
    private let own: AgentKey
    private let connections = Lock(0)

    var connectionCount: Int { connections.withLock { $0 } }

    init(_ fault: Fault? = nil) {
        var random = SystemRandom()
        self.fault = fault
        (key, own) = (.make(from: &random), .make(from: &random))
    }

    func link(at base: String) throws -> String {
        let address = AgentAddress(key: key.verkey, endpoint: try ServiceEndpoint(parsing: base))
        return try InvitationDraft(.connections, label: "Mediator").invitation(id: "mediator", address: address).link(
            base: base)
    }

    func answer(_ body: [UInt8], at base: String) throws -> HTTPResponse {
        var codec = EnvelopeCodec()
        let keys = [key, own]
        let opened = try codec.unpack(body, ownKey: { name in keys.first { $0.verkey == name } })
        guard case .authenticated(let envelope) = opened,
            let (reply, signer) = try reply(to: Message(parsing: envelope.plaintext), at: base)
        else { return HTTPResponse(202) }
        var random = SystemRandom()
        let bytes = try codec.pack(reply.encoded, from: signer, to: [envelope.sender], random: &random)
        return HTTPResponse(200, "application/didcomm-envelope-enc", bytes)
    }

    private func reply(to message: Message, at base: String) throws -> (Message, AgentKey)? {
        func made(_ version: MessageProtocol, _ name: String, _ body: JSONObject) -> (Message, AgentKey) {
            let type = MessageType(version, name)
            return (Message(type, id: UUID().uuidString, thread: MessageThread(id: message.id), body: body), own)
        }
        let isFaulty = connectionCount == 1 && fault != nil
        switch (message.type.protocol.family, message.type.name) {
        case ("connections", "request"):
            connections.withLock { $0 += 1 }
            return (try response(to: message, at: base), key)
        case ("coordinate-mediation", "mediate-request") where isFaulty && fault == .rejects:
            let report = ProblemReport(code: "repeat", explanation: "It already exists.", threadID: message.id)
            return (report.message(MessageType(.notification10, "problem-report"), id: UUID().uuidString), own)
        case ("coordinate-mediation", "mediate-request"):
            return made(
                .mediation10, "mediate-grant",
                ["endpoint": .string(base), "routing_keys": [.string(own.verkey.didKey)]])
        case _ where isFaulty && fault == .fallsSilent, ("coordinate-mediation", "keylist-update") where isFaulty:
            return nil
        case ("coordinate-mediation", "keylist-update"):
            let updates = (message.object["updates"]?.array ?? []).compactMap(\.object).map { update -> JSONValue in
                var done = update
                done["result"] = "success"
                return .object(done)
            }
            return made(.mediation10, "keylist-update-response", ["updated": .array(updates)])
        case ("coordinate-mediation", "keylist-query"): return made(.mediation10, "keylist", ["keys": []])
        case ("trust_ping", "ping"):
            return made(MessageProtocol("trust_ping", 1, 0), "ping_response", [:])
        case ("messagepickup", _): return made(.pickup20, "status", ["message_count": 0])
        case ("shorten-url", _):
            let report = ProblemReport(
                code: "message-parse-failure", explanation: "This is not known here.", threadID: message.id)
            return (report.message(MessageType(.notification10, "problem-report"), id: UUID().uuidString), own)
        default: return nil
        }
    }

    private func response(to request: Message, at base: String) throws -> Message {
        let address = AgentAddress(key: own.verkey, endpoint: try ServiceEndpoint(parsing: base))
        let party: JSONObject = [
            "DID": .string(address.unqualifiedDID.text), "DIDDoc": .object(address.legacyDocument),
        ]
        let signature = try SignatureDecorator.sign(
            party.encoded, at: WallTime(millisecondsSinceEpoch: 0), seed: key.seed)
        return Message(
            MessageType(.connections10, "response"), id: UUID().uuidString,
            thread: MessageThread(id: request.threadID), body: ["connection~sig": .object(signature)])
    }
}
