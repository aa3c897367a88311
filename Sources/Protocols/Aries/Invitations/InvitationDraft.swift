import ByteCoding
public import DIDComm
public import Determinism
import JSON

/// The parameters of a new invitation.
public struct InvitationDraft: Hashable, Sendable {
    /// The form in which the invitation contains this agent's key and address.
    public enum ServiceForm: String, Hashable, Sendable, CaseIterable {
        /// The invitation contains the key and the address themselves.
        case inline
        /// The invitation contains the key as a did:peer:2.
        case peer2 = "did:peer:2"
        /// The invitation contains the key as a did:peer:4.
        case peer4 = "did:peer:4"
    }

    /// The specification that the invitation follows.
    public var kind: Invitation.Kind

    /// The minor version of out-of-band: 1 writes `services`, 0 writes `service`; unused for connections 1.0.
    public var minorVersion = 1

    /// The label of this agent in the invitation.
    public var label: String

    /// The purpose of the invitation as a code; not part of a connections 1.0 invitation.
    public var goalCode: String?

    /// The purpose of the invitation in words; not part of a connections 1.0 invitation.
    public var goal: String?

    /// The address of a picture of this agent; nil for none.
    public var imageURL: String?

    /// The offered handshake protocols, most preferred first; unused for connections 1.0.
    public var handshakeProtocols: [MessageProtocol] = [.didExchange11, .didExchange10, .connections10]

    /// The attached requests; unused for connections 1.0.
    public var requests: [MessageAttachment] = []

    /// The time at which the invitation expires; nil for never.
    public var expires: WallTime?

    /// The form of this agent's key and address; connections 1.0 supports only the inline form.
    public var service = ServiceForm.inline

    /// The public DID of this agent, which replaces `service`; nil for none.
    ///
    /// Its document has to name our key and address.
    public var publicDID: DID?

    /// Makes a draft with default values.
    public init(_ kind: Invitation.Kind, label: String) {
        self.kind = kind
        self.label = label
    }

    /// Makes the invitation of the draft; answers go to `address`.
    ///
    /// Throws `aries.invitation.purposeless` without handshake and request, and `aries.invitation.contradictory` for
    /// members that the chosen kind does not have.
    public func invitation(id: String, address: AgentAddress) throws(AriesError) -> Invitation {
        switch kind {
        case .connections: try Invitation(connections(id: id, address: address))
        case .outOfBand: try Invitation(outOfBand(id: id, address: address))
        }
    }

    private func connections(id: String, address: AgentAddress) throws(AriesError) -> JSONObject {
        guard service == .inline, publicDID == nil, requests.isEmpty, goal == nil, goalCode == nil else {
            throw AriesError(
                .invitationContradictory,
                "An invitation of connections 1.0 has no goal, no request and no DID; use out-of-band.")
        }
        let type = MessageType(.connections10, "invitation")
        return JSONObject(present: [
            "@type": .string(type.description), "@id": .string(id), "label": .string(label),
            "recipientKeys": .strings([address.key.base58]), "serviceEndpoint": .string(address.endpoint.text),
            "routingKeys": address.routingKeys.isEmpty ? nil : .strings(address.routingKeys.map(\.base58)),
            "imageUrl": imageURL.map { .string($0) }, "~timing": timing,
        ])
    }

    private func outOfBand(id: String, address: AgentAddress) throws(AriesError) -> JSONObject {
        let type = MessageType(MessageProtocol("out-of-band", 1, minorVersion), "invitation")
        let plural = minorVersion == 0 ? "" : "s"
        var object = JSONObject(present: [
            "@type": .string(type.description), "@id": .string(id), "label": .string(label),
            "goal_code": goalCode.map { .string($0) }, "goal": goal.map { .string($0) },
            "imageUrl": imageURL.map { .string($0) }, "accept": .strings(["didcomm/aip1", "didcomm/aip2;env=rfc19"]),
            "handshake_protocols": handshakeProtocols.isEmpty
                ? nil : .strings(handshakeProtocols.map(\.description)),
        ])
        if !requests.isEmpty { object["request\(plural)~attach"] = .array(requests.map(\.value)) }
        object["service\(plural)"] = .array([try serviceValue(address)])
        object["~timing"] = timing
        return object
    }

    private var timing: JSONValue? { expires.map { ["expires_time": .string($0.messageText)] } }

    private func serviceValue(_ address: AgentAddress) throws(AriesError) -> JSONValue {
        if let publicDID { return .string(publicDID.text) }
        return switch service {
        case .inline: .object(address.inlineService)
        case .peer2:
            .string(
                try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in try address.peer2().text })
        case .peer4:
            .string(
                try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in try address.peer4().text })
        }
    }
}

extension Invitation {
    /// Returns the invitation as a link: `base`, then the parameter of its kind with unpadded base64url.
    ///
    /// - Parameter base: an address without query and fragment that tells readers without an agent what to do.
    public func link(base: String) -> String {
        let parameter = kind == .connections ? "c_i" : "oob"
        return "\(base)\(base.holds("?") ? "&" : "?")\(parameter)=\(Base64URL.encode(object.encoded))"
    }
}

/// The protocols of invitations and handshakes.
extension MessageProtocol {
    /// The protocol connections 1.0 of RFC 0160.
    public static let connections10 = MessageProtocol("connections", 1, 0)
    /// The protocol didexchange 1.0 of RFC 0023, with attached documents.
    public static let didExchange10 = MessageProtocol("didexchange", 1, 0)
    /// The protocol didexchange 1.1 of RFC 0023, with DIDs that contain their documents.
    public static let didExchange11 = MessageProtocol("didexchange", 1, 1)
    /// The protocol out-of-band 1.1 of RFC 0434.
    public static let outOfBand11 = MessageProtocol("out-of-band", 1, 1)
}
