public import DIDComm
import JSON

/// Changing the DID of a connection, and ending it, RFC 0794.
public enum DIDRotate {
    /// Tells the other side our new DID; until its acknowledgement comes, the old one counts.
    public static func rotation(to did: DID, id: String) -> Message {
        Message(MessageType(.didRotate10, "rotate"), id: id, body: ["to_did": .string(did.text)])
    }

    /// Tells the other side that we end the connection.
    public static func hangup(id: String) -> Message { Message(MessageType(.didRotate10, "hangup"), id: id) }

    /// The result of a rotation.
    enum Outcome {
        /// The connection with the new document, and the acknowledgement.
        case rotated(Connection, Message)
        /// The report of the cause, with the code of RFC 0794.
        case refused(Message, AriesError)
    }

    static func follow(_ message: Message, on connection: Connection, id: String) -> Outcome {
        do throws(DIDCommError) {
            let did = try DID(parsing: message.object["to_did"]?.string ?? "")
            let document = try StaticDIDResolver().resolve(did)
            _ = try document.service()
            let ack = Message(MessageType(.didRotate10, "ack"), id: id, thread: MessageThread(id: message.threadID))
            return .rotated(connection.rotated(to: document), ack)
        } catch {
            let code = wireCode(of: error)
            let report = ProblemReport(code: code, explanation: error.reason, threadID: message.threadID)
            return .refused(
                report.message(MessageType(.didRotate10, "problem-report"), id: id),
                AriesError(.rotationUnusable, "The other side's new DID cannot be used: \(error).", wireCode: code))
        }
    }

    private static func wireCode(of error: DIDCommError) -> String {
        switch error.code {
        case .didMethodUnsupported: "e.did.method_unsupported"
        case .didUnresolved, .didNotFound, .didDeactivated, .didMalformed, .messageMalformed: "e.did.unresolvable"
        case .keyMalformed, .keyUnsupported, .keyWrongKind, .keyUnsafe, .envelopeTooLarge, .envelopeTooManyRecipients,
            .envelopeMalformed, .envelopeUnsupported, .envelopeNotForUs, .envelopeNotOpened, .forwardMalformed,
            .didTooLong, .didHashMismatch, .typeMalformed, .attachmentMalformed, .attachmentTooLarge,
            .attachmentTooMany, .documentMalformed, .documentTooLarge, .documentWrongID, .documentKeyMissing,
            .serviceMalformed, .serviceKeyless, .serviceProfile, .serviceNone, .endpointMalformed, .endpointTransport,
            .signatureMalformed, .signatureType, .signatureWrongSigner, .signatureInvalid, .signatureTime,
            .jwsMalformed, .jwsAlgorithm, .jwsKeyDisagreement, .jwsWrongSigner, .jwsInvalid, .jwsMissing:
            "e.did.doc_unsupported"
        }
    }
}

extension Connection {
    func rotated(to document: PeerDocument) -> Connection {
        Connection(
            id: id, role: role, handshake: handshake, threadID: threadID, invitationID: invitationID, label: label,
            ourDID: ourDID, ours: ours, theirs: document)
    }
}
