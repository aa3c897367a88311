public import DIDComm
public import JSON

/// What the stored state of a handshake tells without any key, for lists and displays of connections that are being made.
public struct HandshakeOutline: Hashable, Sendable {
    /// Our DID of the connection, from the beginning on; nil when the state is of an older program and cannot tell it.
    public let ourDID: DID?

    /// The other side's DID, once an inviter has it.
    public let theirDID: DID?

    /// What the one who asked calls itself, where we invited: untrusted text.
    public let theirLabel: String?

    /// Why the request could not be handed over the last time; nil when it was.
    public let deliveryFailure: DeliveryFailure?

    /// Whether an answer that comes later than on the connection of the request reaches us.
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

    /// Older programs did not write it; it follows from the address and the form.
    private static func formerDID(_ reader: JSONReader) -> DID? {
        guard let form = reader.value["form"]?.string.flatMap(DIDForm.init(rawValue:)),
            let address = try? AgentAddress(stored: reader.member("address"))
        else { return nil }
        return try? form.did(of: address)
    }
}
