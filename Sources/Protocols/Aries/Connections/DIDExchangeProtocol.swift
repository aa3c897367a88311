import CryptoSuite
import DIDComm
import JSON

/// Writes and reads the messages of DID exchange 1.0 and 1.1, RFC 0023.
enum DIDExchangeProtocol {
    static func type(_ version: MessageProtocol, _ name: String) -> MessageType { MessageType(version, name) }

    /// Makes a DID exchange request.
    ///
    /// - Parameter key: signs the document when the DID does not contain it.
    static func request(
        _ version: MessageProtocol, id: String, invitation: Invitation, label: String, did: DID, address: AgentAddress,
        key: AgentKey
    ) throws(CryptoError) -> Message {
        var body: JSONObject = ["label": .string(label), "did": .string(did.text)]
        body["goal_code"] = invitation.goalCode.map { .string($0) }
        if case .sov = did.method { body["did_doc~attach"] = try document(address, signedBy: key) }
        return Message(
            type(version, "request"), id: id, thread: MessageThread(id: id, parentID: invitation.id), body: body)
    }

    static func response(
        _ version: MessageProtocol, id: String, threadID: String, parentID: String, did: DID, address: AgentAddress,
        invitationKey: AgentKey
    ) throws(CryptoError) -> Message {
        var body: JSONObject = ["did": .string(did.text)]
        if case .sov = did.method {
            body["did_doc~attach"] = try document(address, signedBy: invitationKey)
        } else if version.minor > 0 {
            let rotation = try MessageAttachment.signed(
                id: "did-rotate", mimeType: "text/string", bytes: Array(did.text.utf8), seed: invitationKey.seed)
            body["did_rotate~attach"] = rotation.value
        }
        return Message(
            type(version, "response"), id: id, thread: MessageThread(id: threadID, parentID: parentID), body: body)
    }

    static func complete(_ version: MessageProtocol, id: String, threadID: String, parentID: String) -> Message {
        Message(type(version, "complete"), id: id, thread: MessageThread(id: threadID, parentID: parentID))
    }

    /// Attaches the signed document of the qualified DID, which deployed agents require with an unqualified DID.
    private static func document(_ address: AgentAddress, signedBy key: AgentKey) throws(CryptoError) -> JSONValue {
        try MessageAttachment.signed(
            id: "did-doc", mimeType: "application/json", bytes: address.qualifiedLegacyDocument.encoded, seed: key.seed
        ).value
    }

    /// Reads a DID exchange request; the signers of its document are compared with the document's keys later.
    static func readRequest(_ message: Message) throws(HandshakeRejection) -> HandshakeParty {
        try HandshakeRejection.reading(.requestUnusable) {
            let did = try DID(parsing: message.reader.string("did"))
            let label = try message.reader.optionalString("label")
            guard let attachment = try attachment("did_doc~attach", of: message) else {
                return HandshakeParty(did: did, document: nil, label: label)
            }
            let signers = try attachment.verifySignatures()
            let document = try DIDDocument(parsing: attachment.payload(), of: did)
            return HandshakeParty(did: did, document: document, label: label, signers: signers)
        }
    }

    /// Reads a DID exchange response whose sender was checked; the invitation's key must sign its attachments.
    ///
    /// - Parameter invitation: whose DIDs need no further proof, because the invitation named them.
    static func readResponse(
        _ message: Message, signedBy key: Verkey, invitation: Invitation
    ) throws(HandshakeRejection) -> HandshakeParty {
        let did = try HandshakeRejection.reading(.responseUnusable) { try DID(parsing: message.reader.string("did")) }
        let parts = try HandshakeRejection.reading(.responseUnusable) {
            (
                document: try attachment("did_doc~attach", of: message),
                rotation: try attachment("did_rotate~attach", of: message)
            )
        }
        for part in [parts.document, parts.rotation].compactMap(\.self) { try check(part, signedBy: key) }
        if let rotation = parts.rotation {
            let payload = try HandshakeRejection.reading(.responseUnusable) { try rotation.payload() }
            guard payload == Array(did.text.utf8) else {
                throw .authentic(AriesError(.responseUnusable, "The response signs another DID than it names."))
            }
        }
        guard let document = parts.document else {
            guard parts.rotation != nil || isKnown(did, invitation) || message.type.protocol.minor == 0 else {
                throw .authentic(
                    AriesError(.responseUnusable, "The response does not prove that its DID is the inviter's."))
            }
            return HandshakeParty(
                did: did, document: nil, isProven: parts.rotation != nil || isKnown(did, invitation))
        }
        return try HandshakeRejection.reading(.responseUnusable) {
            HandshakeParty(did: did, document: try DIDDocument(parsing: document.payload(), of: did))
        }
    }

    private static func isKnown(_ did: DID, _ invitation: Invitation) -> Bool {
        invitation.dids.contains { $0.isSame(as: did) }
    }

    private static func check(_ attachment: MessageAttachment, signedBy key: Verkey) throws(HandshakeRejection) {
        do {
            try attachment.verifySignatures(by: [key])
        } catch {
            throw .outsider(AriesError(.signatureInvalid, "A response is not signed by the inviter: \(error)."))
        }
    }

    private static func attachment(_ name: String, of message: Message) throws -> MessageAttachment? {
        try message.attachments(name, maximum: 1).first
    }
}
