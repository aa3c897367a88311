import CryptoSuite
public import DIDComm
import Determinism
import JSON

/// Writes and reads the messages of the protocol connections 1.0, RFC 0160.
enum ConnectionsProtocol {
    static func type(_ name: String) -> MessageType { MessageType(.connections10, name) }

    static func request(
        id: String, invitation: Invitation, label: String, did: DID, address: AgentAddress
    ) -> Message {
        let parent = invitation.kind == .outOfBand ? invitation.id : nil
        return Message(
            type("request"), id: id, thread: MessageThread(parentID: parent),
            body: ["label": .string(label), "connection": party(did, address)])
    }

    static func response(
        id: String, threadID: String, did: DID, address: AgentAddress, invitationKey: AgentKey, now: WallTime
    ) throws(CryptoError) -> Message {
        let payload = party(did, address).encoded
        return Message(
            type("response"), id: id, thread: MessageThread(id: threadID),
            body: ["connection~sig": .object(try SignatureDecorator.sign(payload, at: now, seed: invitationKey.seed))])
    }

    /// Makes the confirmation of a response: an acknowledgement if it asks for one, else a ping without an answer.
    static func confirmation(id: String, of response: Message) -> Message {
        if response.asksForAck {
            return Message(
                MessageType(.notification10, "ack"), id: id, thread: MessageThread(id: response.threadID),
                body: ["status": "OK"])
        }
        return Message(MessageType(.trustPing10, "ping"), id: id, body: ["response_requested": false])
    }

    private static func party(_ did: DID, _ address: AgentAddress) -> JSONValue {
        ["DID": .string(did.text), "DIDDoc": .object(address.legacyDocument)]
    }

    static func readRequest(_ message: Message) throws(HandshakeRejection) -> HandshakeParty {
        try HandshakeRejection.reading(.requestUnusable) {
            var party = try readParty(message.reader.member("connection"))
            party.label = try message.reader.optionalString("label")
            return party
        }
    }

    /// Reads a connection response whose sender was checked.
    ///
    /// A wrong signature, or one by another key, comes from an attacker; what the right key signed is the other side's
    /// statement.
    static func readResponse(_ received: ReceivedMessage, signedBy key: Verkey) throws(HandshakeRejection)
        -> HandshakeParty
    {
        let verified: SignatureDecorator.VerifiedSignature
        do {
            verified = try SignatureDecorator.verify(
                received.message.reader.member("connection~sig"), by: [key], now: received.arrival)
        } catch {
            throw .outsider(AriesError(.signatureInvalid, "A response is not signed by the inviter: \(error)."))
        }
        return try HandshakeRejection.reading(.responseUnusable) {
            let value = try JSONValue(parsing: verified.payload, limits: DIDDocument.limits)
            return try readParty(JSONValueReader(value))
        }
    }

    private static func readParty(_ reader: JSONValueReader) throws -> HandshakeParty {
        let did = try DID(parsing: try reader.optionalString("DID") ?? reader.string("did"))
        guard let document = try reader.optional("DIDDoc") ?? reader.optional("did_doc") else {
            return HandshakeParty(did: did, document: nil)
        }
        return HandshakeParty(did: did, document: try DIDDocument(reading: document, of: did))
    }
}

extension MessageProtocol {
    /// The protocol notification 1.0 of RFC 0015, for acknowledgements.
    public static let notification10 = MessageProtocol("notification", 1, 0)
    /// The protocol trust_ping 1.0 of RFC 0048.
    public static let trustPing10 = MessageProtocol("trust_ping", 1, 0)
}
