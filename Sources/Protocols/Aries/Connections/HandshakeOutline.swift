public import DIDComm
public import JSON

/// The parts of a handshake's stored state that need no key, for lists of connections that are being made.
public struct HandshakeOutline: Hashable, Sendable {
    /// Our DID of the connection; nil when an older program wrote the state without it.
    public let ourDID: DID?

    /// The other side's DID; nil until an inviter has it.
    public let theirDID: DID?

    /// The label of the requester, where we invited: untrusted text.
    public let theirLabel: String?

    /// The reason why the transport did not take the request the last time; nil when it did.
    public let deliveryFailure: DeliveryFailure?

    /// True when an answer reaches us that does not come on the transport connection of the request.
    public let takesLateAnswers: Bool

    /// Reads the state of `HandshakeRequester` or `HandshakeResponder`; what is not there is nil.
    public init(stored reader: JSONReader, role: Connection.Role) {
        let phase = try? reader.member("phase")
        takesLateAnswers = reader.value["address"]?["endpoint"]?.string != ServiceEndpoint.queue.text
        switch role {
        case .invitee:
            ourDID = Self.did(reader.value["did"]) ?? Self.formerDID(reader)
            (theirDID, theirLabel) = (nil, nil)
            let failure = try? phase?.optional("failure")
            deliveryFailure = failure.flatMap { try? DeliveryFailure(stored: $0) }
        case .inviter:
            ourDID = Self.did(reader.value["did"])
            let connection = try? phase?.optional("connection")
            theirDID = connection.flatMap { try? Connection(stored: $0) }?.theirs.did
            theirLabel = reader.value["request"]?["label"]?.string
            deliveryFailure = nil
        }
    }

    private static func did(_ value: JSONValue?) -> DID? { value?.string.flatMap { try? DID(parsing: $0) } }

    /// Our DID where an older program did not store it, derived from the address and the form.
    private static func formerDID(_ reader: JSONReader) -> DID? {
        guard let form = reader.value["form"]?.string.flatMap(DIDForm.init(rawValue:)),
            let address = try? AgentAddress(stored: reader.member("address"))
        else { return nil }
        return try? form.did(of: address)
    }
}
