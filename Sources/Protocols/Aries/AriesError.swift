public import CodedErrors
import DIDComm
import JSON

/// Why an invitation, a connection or an exchange on one failed.
public struct AriesError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        // Invitations.
        /// The text is not an invitation in any form that is known.
        case invitationUnrecognised = "aries.invitation.not-recognised"
        /// The link leads to a web page, and not to an invitation.
        case invitationIsPage = "aries.invitation.web-page"
        /// The text is longer than an invitation may be.
        case invitationTooLarge = "aries.invitation.too-large"
        /// The text looks like an invitation, but a part of it cannot be parsed.
        case invitationMalformed = "aries.invitation.malformed"
        /// It is an invitation of a version that is not understood.
        case invitationUnsupported = "aries.invitation.version-unsupported"
        /// The invitation lacks a required member.
        case invitationIncomplete = "aries.invitation.incomplete"
        /// Two members of the invitation contradict each other.
        case invitationContradictory = "aries.invitation.contradictory"
        /// It offers neither a handshake nor a request.
        case invitationPurposeless = "aries.invitation.purposeless"
        /// The invitation has expired.
        case invitationExpired = "aries.invitation.expired"
        /// None of its handshake protocols is spoken here.
        case handshakeUnsupported = "aries.invitation.handshake-unsupported"
        /// The invitation asks for an envelope format that is not supported.
        case profileUnsupported = "aries.invitation.profile-unsupported"

        // Messages.
        /// A message does not prove who sent it.
        case notAuthentic = "aries.message.not-authentic"
        /// A message was encrypted for several keys, so the owner of each could have forged it.
        case senderNotExclusive = "aries.message.sender-not-exclusive"
        /// A message came from a key that does not belong to the other side.
        case wrongSender = "aries.message.wrong-sender"
        /// A message came to a key of another connection.
        case wrongRecipient = "aries.message.wrong-recipient"
        /// A message belongs to another exchange.
        case wrongThread = "aries.message.wrong-thread"
        /// A message came when it was not expected.
        case unexpected = "aries.message.unexpected"
        /// A message of a known kind lacks a member, or holds an impossible value.
        case messageMalformed = "aries.message.malformed"
        /// The same message came before.
        case replayed = "aries.message.replayed"
        /// A message is of a version that is not understood.
        case versionUnsupported = "aries.message.version-unsupported"
        /// The other side's new DID cannot be used, and the old one goes on.
        case rotationUnusable = "aries.rotation.unusable"

        // Handshakes.
        /// A response is not signed by the inviter.
        case signatureInvalid = "aries.response.signature-invalid"
        /// The inviter's response is authentic and cannot be used.
        case responseUnusable = "aries.response.unusable"
        /// A request is authentic and cannot be used.
        case requestUnusable = "aries.request.unusable"
        /// A single-use invitation was used before.
        case invitationUsed = "aries.request.invitation-used"
        /// The inviter has taken the invitation back.
        case invitationWithdrawn = "aries.request.invitation-withdrawn"
        /// A request refers to an invitation that is not known.
        case invitationUnknown = "aries.request.invitation-unknown"
        /// The other side answered with a problem.
        case rejected = "aries.connection.rejected"
        /// The other side did not answer in time.
        case timeout = "aries.connection.timeout"
        /// The user cancelled the connection.
        case cancelled = "aries.connection.cancelled"
        /// The other side names no address that messages can be sent to.
        case unreachable = "aries.connection.unreachable"
        /// The mediator did not do what it was asked for.
        case mediationRefused = "aries.mediation.refused"
        /// A stored state cannot be parsed.
        case stateMalformed = "aries.state.malformed"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    ///
    /// It may quote text of the other side, which must be sanitised before it is shown.
    public let reason: String

    /// The code of the specification or of the other side, as in a problem report; nil without one.
    public let wireCode: String?

    /// The wire code, which the other side chose: sanitise it before showing it.
    public var wireCodeText: String? { wireCode }

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String, wireCode: String? = nil) {
        self.code = code
        self.reason = reason
        self.wireCode = wireCode
    }
}

extension AriesError {
    /// Runs `body`; an error of JSON becomes an `AriesError` with `code`.
    static func reading<Value>(
        _ code: Code, _ read: () throws(JSONError) -> Value
    ) throws(AriesError) -> Value {
        do throws(JSONError) {
            return try read()
        } catch {
            throw AriesError(code, "It cannot be read: \(error).")
        }
    }

    /// Runs `body`; an error of DIDComm becomes an `AriesError` with `code`.
    static func checking<Value>(
        _ code: Code, _ check: () throws(DIDCommError) -> Value
    ) throws(AriesError) -> Value {
        do throws(DIDCommError) {
            return try check()
        } catch {
            throw AriesError(code, "It cannot be used: \(error).", wireCode: error.code.rawValue)
        }
    }
}
