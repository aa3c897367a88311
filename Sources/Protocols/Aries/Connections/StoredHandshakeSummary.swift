public import DIDComm
public import JSON

/// The parts of a handshake's stored state that can be read without a key, to list unfinished connections.
public struct StoredHandshakeSummary: Hashable, Sendable {
    /// The DID of this agent on the connection; nil when an older program stored the state without it.
    public let ourDID: DID?

    /// The other side's DID; nil while an inviter does not know it yet.
    public let theirDID: DID?

    /// The label of the requester when this agent invited it: untrusted text.
    public let theirLabel: String?

    /// The reason why the transport could not deliver the last request; nil when it could.
    public let deliveryFailure: HandshakeDeliveryFailure?

    /// True when a late answer can reach this agent, not only one on the request's own transport connection; always for
    /// an inviter, which waits for none.
    public let takesLateAnswers: Bool

    /// Reads the stored state of `HandshakeRequester` or `HandshakeResponder`; absent parts are nil.
    public init(stored reader: JSONValueReader, role: Connection.Role) {
        let phase = try? reader.member("phase")
        takesLateAnswers =
            role == .inviter || reader.value["address"]?["endpoint"]?.string != ServiceEndpoint.queue.text
        switch role {
        case .invitee:
            ourDID = Self.did(reader.value["did"]) ?? Self.formerDID(reader)
            (theirDID, theirLabel) = (nil, nil)
            let failure = try? phase?.optional("failure")
            deliveryFailure = failure.flatMap { try? HandshakeDeliveryFailure(stored: $0) }
        case .inviter:
            ourDID = Self.did(reader.value["did"])
            let connection = try? phase?.optional("connection")
            theirDID = connection.flatMap { try? Connection(stored: $0) }?.theirs.did
            theirLabel = reader.value["request"]?["label"]?.string
            deliveryFailure = nil
        }
    }

    private static func did(_ value: JSONValue?) -> DID? { value?.string.flatMap { try? DID(parsing: $0) } }

    /// Derives this agent's DID from its address when an older program did not store it.
    private static func formerDID(_ reader: JSONValueReader) -> DID? {
        guard let form = reader.value["form"]?.string.flatMap(DIDForm.init(rawValue:)),
            let address = try? AgentAddress(stored: reader.member("address"))
        else { return nil }
        return try? form.did(of: address)
    }
}
