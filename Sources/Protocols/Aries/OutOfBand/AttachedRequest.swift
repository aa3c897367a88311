public import DIDComm
import JSON

/// A request that came with an invitation, or on a connection, bound to where it may be answered.
///
/// A request of a family that nothing here answers is kept and shown; when the user declines it, its sender is told.
public struct AttachedRequest: Hashable, Sendable {
    /// Where it may be answered, and nowhere else.
    public enum Binding: Hashable, Sendable {
        /// On this connection.
        case connection(String)
        /// Without one, at the address that the request or its invitation names.
        case connectionless
    }

    /// The request.
    public let message: Message

    /// The `@id` of the invitation that it came with; nil for a request that stood alone.
    public let invitationID: String?

    /// Where it may be answered.
    public let binding: Binding

    /// Binds a request that was read before.
    public init(_ message: Message, invitationID: String?, binding: Binding) {
        self.message = message
        self.invitationID = invitationID
        self.binding = binding
    }

    /// Binds a message of a protocol that nothing here speaks, which came on a connection; nil for what is no request: a
    /// report, an acknowledgement, or a message that goes on in a thread that another one began.
    public init?(arriving message: Message, on connection: String) {
        let names = ["ack", "problem-report", "problem_report"]
        guard message.threadID == message.id, !names.contains(message.type.name) else { return nil }
        self.init(message, invitationID: nil, binding: .connection(connection))
    }

    /// Reads the requests of an invitation, in their order.
    ///
    /// Throws `aries.invitation.malformed` when one is no message, because answering a part of what was asked would
    /// answer another question.
    public static func all(
        of invitation: Invitation, boundTo binding: Binding
    ) throws(AriesError) -> [AttachedRequest] {
        var requests: [AttachedRequest] = []
        for attachment in invitation.requests {
            let message = try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in
                let value = try attachment.json()
                guard let object = value.object else {
                    throw DIDCommError(.messageMalformed, "an attached request is no object")
                }
                return try Message(object)
            }
            requests.append(AttachedRequest(message, invitationID: invitation.id, binding: binding))
        }
        return requests
    }

    /// The families with a report of their own, each with the code in it that ends an exchange.
    ///
    /// Source: RFC 0037 and RFC 0454; RFC 0036 and RFC 0453.
    private static let ownReports = ["present-proof": "abandoned", "issue-credential": "issuance-abandoned"]

    /// The report by which its sender is told that it is declined: that of the request's own protocol where it has one, and
    /// else the one that belongs to none.
    public func refusal(id: String, explanation: String = "The request was declined.") -> Message {
        let `protocol` = message.type.protocol
        let own = `protocol`.namespace == .community ? Self.ownReports[`protocol`.family] : nil
        let report = ProblemReport(
            code: own ?? "request_declined", explanation: explanation, threadID: message.threadID)
        let type = MessageType(own == nil ? .notification10 : `protocol`, "problem-report")
        return report.message(type, id: id, parentID: invitationID)
    }

    /// A message that answers a request which stands alone, from a key of ours that is used for nothing else.
    ///
    /// - Parameter fallback: how its invitation says to be reached, for a request that does not say it itself.
    ///
    /// Throws `aries.invitation.malformed` and `aries.connection.unreachable` when neither can be used.
    public func outgoing(
        _ answer: Message, from address: AgentAddress, fallback: PeerService?
    ) throws(AriesError) -> OutgoingMessage {
        var service = fallback
        if let own = try ownService() {
            service = try AriesError.checking(.unreachable) { () throws(DIDCommError) in
                guard case .resolved(let document) = try own.progress() else { return nil }
                return try document.service()
            }
        }
        guard let service else {
            throw AriesError(.unreachable, "The request does not say where it is answered.")
        }
        return OutgoingMessage(answer, from: address, by: address.key, to: service)
    }

    /// How a request that is answered alone says to be reached, the decorator `~service` of RFC 0056; nil when it does
    /// not, and its invitation's service counts.
    ///
    /// Throws `aries.invitation.malformed`.
    public func ownService() throws(AriesError) -> DIDResolution? {
        guard let value = message.object["~service"], !value.isNull else { return nil }
        return try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in
            DIDResolution(try DIDDocument(inlineService: JSONReader(value, at: ["~service"])))
        }
    }
}
