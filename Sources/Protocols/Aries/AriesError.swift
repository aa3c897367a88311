@_exported public import CodedErrors
import DIDComm
import JSON

/// Why an invitation, a connection or an exchange on one failed.
public typealias AriesError = CodedFailure<AriesErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum AriesErrorCode: String, CaseIterable, Sendable {
    /// The code of the specification or of the other side, as in a problem report.
    public typealias Detail = String

    // Invitations.
    case invitationUnrecognised = "aries.invitation.not-recognised"
    case invitationIsPage = "aries.invitation.web-page"
    case invitationTooLarge = "aries.invitation.too-large"
    case invitationMalformed = "aries.invitation.malformed"
    case invitationUnsupported = "aries.invitation.version-unsupported"
    case invitationIncomplete = "aries.invitation.incomplete"
    case invitationContradictory = "aries.invitation.contradictory"
    case invitationPurposeless = "aries.invitation.purposeless"
    case invitationExpired = "aries.invitation.expired"
    case handshakeUnsupported = "aries.invitation.handshake-unsupported"
    case profileUnsupported = "aries.invitation.profile-unsupported"

    // Messages.
    case notAuthentic = "aries.message.not-authentic"
    case senderNotExclusive = "aries.message.sender-not-exclusive"
    case wrongSender = "aries.message.wrong-sender"
    case wrongRecipient = "aries.message.wrong-recipient"
    case wrongThread = "aries.message.wrong-thread"
    case unexpected = "aries.message.unexpected"
    case messageMalformed = "aries.message.malformed"
    case replayed = "aries.message.replayed"
    case versionUnsupported = "aries.message.version-unsupported"
    case rotationUnusable = "aries.rotation.unusable"

    // Handshakes.
    case signatureInvalid = "aries.response.signature-invalid"
    case responseUnusable = "aries.response.unusable"
    case requestUnusable = "aries.request.unusable"
    case invitationUsed = "aries.request.invitation-used"
    case invitationWithdrawn = "aries.request.invitation-withdrawn"
    case invitationUnknown = "aries.request.invitation-unknown"
    case rejected = "aries.connection.rejected"
    case timeout = "aries.connection.timeout"
    case cancelled = "aries.connection.cancelled"
    case unreachable = "aries.connection.unreachable"
    case mediationRefused = "aries.mediation.refused"
    case stateMalformed = "aries.state.malformed"
}

extension AriesErrorCode {
    /// The wire code, which the other side chose: sanitise it before showing it.
    public static func wireCodeText(of detail: String) -> String? { detail }
}

extension AriesError {
    /// The code of the specification or of the other side, as in a problem report; nil without one.
    public var wireCode: String? { detail }

    /// Makes an error with its code, a sentence, and the code of the other side.
    public init(_ code: Code, _ reason: String, wireCode: String?) { self.init(code, reason, detail: wireCode) }
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
