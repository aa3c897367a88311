public import DIDComm
import JSON

/// A request attached to an invitation, or received on a connection, with the one way to answer it.
///
/// A request of an unsupported protocol is kept and shown; when the user declines it, its sender gets a report.
public struct AttachedRequest: Hashable, Sendable {
    /// The one way in which an attached request may be answered.
    public enum Binding: Hashable, Sendable {
        /// The request may only be answered on this connection.
        case connection(String)
        /// The request may only be answered without a connection, at the address that it or its invitation names.
        case connectionless
    }

    /// The message that is attached to the invitation.
    public let message: Message

    /// The `@id` of the invitation with the request; nil for a request without invitation.
    public let invitationID: String?

    /// The one way in which this request may be answered.
    public let binding: Binding

    /// Makes an attached request from a message that was parsed before.
    public init(_ message: Message, invitationID: String?, binding: Binding) {
        self.message = message
        self.invitationID = invitationID
        self.binding = binding
    }

    /// Makes a request of a message of an unsupported protocol on a connection; nil when it is no request.
    ///
    /// A report, an acknowledgement, or a later message of another thread is none.
    public init?(arriving message: Message, on connection: String) {
        let names = ["ack", "problem-report", "problem_report"]
        guard message.threadID == message.id, !names.contains(message.type.name) else { return nil }
        self.init(message, invitationID: nil, binding: .connection(connection))
    }

    /// Reads the attached requests of an invitation, in their order.
    ///
    /// Throws `aries.invitation.malformed` when one is no message, because an answer to a part of the requests would
    /// answer another question.
    public static func all(
        of invitation: Invitation, boundTo binding: Binding
    ) throws(AriesError) -> [AttachedRequest] {
        var requests: [AttachedRequest] = []
        for attachment in invitation.requests {
            let message = try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in
                let value = try attachment.json()
                guard let object = value.object else {
                    throw DIDCommError(.messageMalformed, "an attached request is not an object")
                }
                return try Message(object)
            }
            requests.append(AttachedRequest(message, invitationID: invitation.id, binding: binding))
        }
        return requests
    }

    /// The protocols that have a problem report of their own, each with the code that ends an exchange.
    ///
    /// Source: RFC 0037 and RFC 0454; RFC 0036 and RFC 0453.
    private static let ownReports = ["present-proof": "abandoned", "issue-credential": "issuance-abandoned"]

    /// Returns the report that declines the request to its sender.
    ///
    /// It is that of the request's own protocol where it has one, and otherwise the general one of RFC 0035.
    public func refusal(id: String, explanation: String = "The request was declined.") -> Message {
        let `protocol` = message.type.protocol
        let own = `protocol`.namespace == .community ? Self.ownReports[`protocol`.family] : nil
        let report = ProblemReport(
            code: own ?? "request_declined", explanation: explanation, threadID: message.threadID)
        let type = MessageType(own == nil ? .notification10 : `protocol`, "problem-report")
        return report.message(type, id: id, parentID: invitationID)
    }

    /// Makes the answer to a connectionless request, from a fresh key of this agent.
    ///
    /// - Parameter fallback: the service that the request's invitation names, for a request that names none itself.
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

    /// Returns the service in the request's decorator `~service` (RFC 0056); nil when it has none.
    ///
    /// The invitation's service is used then.
    ///
    /// Throws `aries.invitation.malformed`.
    public func ownService() throws(AriesError) -> DIDResolution? {
        guard let value = message.object["~service"], !value.isNull else { return nil }
        return try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in
            DIDResolution(try DIDDocument(inlineService: JSONValueReader(value, at: ["~service"])))
        }
    }
}
