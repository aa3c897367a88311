public import DIDComm
import JSON

/// A change of our own DID that was sent, and that the other side has not acknowledged yet.
///
/// Until it does, the old DID counts; what comes to the new key is as good as an acknowledgement. Source: RFC 0794.
public struct OwnRotation: Hashable, Sendable {
    /// The DID that replaces our present one on the connection.
    public let did: DID

    /// The key, mediators and address that it stands for.
    public let address: AgentAddress

    /// The thread of the exchange.
    public let threadID: String

    /// The form that a store keeps.
    var json: JSONObject {
        ["did": .string(did.text), "address": .object(address.json), "thread": .string(threadID)]
    }

    init(did: DID, address: AgentAddress, threadID: String) {
        self.did = did
        self.address = address
        self.threadID = threadID
    }

    init(stored reader: JSONReader) throws {
        self.init(
            did: try DID(parsing: reader.string("did")), address: try AgentAddress(stored: reader.member("address")),
            threadID: try reader.string("thread"))
    }
}

extension Connection {
    /// The connection with our new DID.
    func rotated(by rotation: OwnRotation) -> Connection {
        Connection(
            id: id, role: role, handshake: handshake, threadID: threadID, invitationID: invitationID, label: label,
            ourDID: rotation.did, ours: rotation.address, theirs: theirs)
    }
}
