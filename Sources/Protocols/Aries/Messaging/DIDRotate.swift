public import DIDComm
import JSON

/// Changing the DID of a connection, and ending it, RFC 0794.
public enum DIDRotate {
    /// Tells the other side our new DID; until its acknowledgement comes, the old one counts.
    public static func rotation(to did: DID, id: String) -> Message {
        Message(MessageType(.didRotate10, "rotate"), id: id, body: ["to_did": .string(did.text)])
    }

    /// True for a message that changes a DID, or answers one that does.
    ///
    /// A sender does not keep these back while it waits for an acknowledgement: two sides may wait for each other.
    public static func isExchange(_ message: Message) -> Bool {
        message.type.protocol.isCompatible(with: .didRotate10) && message.type.name != "hangup"
    }

    /// True for the message that announces a new DID.
    public static func isRotation(_ message: Message) -> Bool {
        message.type.isSame(as: MessageType(.didRotate10, "rotate"))
    }

    /// Tells the other side that we end the connection.
    public static func hangup(id: String) -> Message { Message(MessageType(.didRotate10, "hangup"), id: id) }

    /// The result of a rotation.
    enum DIDRotationResult {
        /// The document stands on the connection already: the acknowledgement, once more.
        case known(Message)
        /// The connection with the new document, and the acknowledgement.
        case rotated(Connection, Message)
        /// The report of the cause, with the code of RFC 0794.
        case refused(Message, AriesError)
    }

    static func follow(_ message: Message, on connection: Connection, id: String) -> DIDRotationResult {
        do throws(DIDCommError) {
            let did = try DID(parsing: message.object["to_did"]?.string ?? "")
            let ack = Message(MessageType(.didRotate10, "ack"), id: id, thread: MessageThread(id: message.threadID))
            if did.isSame(as: connection.theirs.did) { return .known(ack) }
            let document = try StaticDIDResolver().resolve(did)
            _ = try document.service()
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
