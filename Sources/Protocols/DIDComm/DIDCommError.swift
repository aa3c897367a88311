@_exported public import CodedErrors
import JSON

/// Why an envelope, a key, a DID, a document or a signature was refused.
///
/// Equality is by code. The reason holds no private key and no plaintext; text of others in it is sanitised where it
/// is shown.
public typealias DIDCommError = CodedFailure<DIDCommErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum DIDCommErrorCode: String, CaseIterable, Sendable {
    // Keys.
    case keyMalformed = "didcomm.key.malformed"
    case keyUnsupported = "didcomm.key.unsupported"
    case keyWrongKind = "didcomm.key.wrong-kind"
    case keyUnsafe = "didcomm.key.unsafe"

    // Envelopes.
    case envelopeTooLarge = "didcomm.envelope.too-large"
    case envelopeTooManyRecipients = "didcomm.envelope.too-many-recipients"
    case envelopeMalformed = "didcomm.envelope.malformed"
    case envelopeUnsupported = "didcomm.envelope.unsupported"
    case envelopeNotForUs = "didcomm.envelope.not-for-us"
    case envelopeNotOpened = "didcomm.envelope.not-opened"
    case forwardMalformed = "didcomm.forward.malformed"

    // DIDs.
    case didMalformed = "didcomm.did.malformed"
    case didTooLong = "didcomm.did.too-long"
    case didHashMismatch = "didcomm.did.hash-mismatch"
    case didUnresolved = "didcomm.did.unresolved"
    case didMethodUnsupported = "didcomm.did.method-unsupported"
    case didNotFound = "didcomm.did.not-found"
    case didDeactivated = "didcomm.did.deactivated"

    // Messages.
    case messageMalformed = "didcomm.message.malformed"
    case typeMalformed = "didcomm.message.type-malformed"
    case attachmentMalformed = "didcomm.attachment.malformed"
    case attachmentTooLarge = "didcomm.attachment.too-large"
    case attachmentTooMany = "didcomm.attachment.too-many"

    // Documents.
    case documentMalformed = "didcomm.document.malformed"
    case documentTooLarge = "didcomm.document.too-large"
    case documentWrongID = "didcomm.document.wrong-id"
    case documentKeyMissing = "didcomm.document.key-missing"
    case serviceMalformed = "didcomm.service.malformed"
    case serviceKeyless = "didcomm.service.no-key"
    case serviceProfile = "didcomm.service.profile-unsupported"
    case serviceNone = "didcomm.service.none"
    case endpointMalformed = "didcomm.endpoint.malformed"
    case endpointTransport = "didcomm.endpoint.transport-unsupported"

    // Signatures.
    case signatureMalformed = "didcomm.signature.malformed"
    case signatureType = "didcomm.signature.type-unsupported"
    case signatureWrongSigner = "didcomm.signature.wrong-signer"
    case signatureInvalid = "didcomm.signature.invalid"
    case signatureTime = "didcomm.signature.time"
    case jwsMalformed = "didcomm.jws.malformed"
    case jwsAlgorithm = "didcomm.jws.algorithm-unsupported"
    case jwsKeyDisagreement = "didcomm.jws.key-disagreement"
    case jwsWrongSigner = "didcomm.jws.wrong-signer"
    case jwsInvalid = "didcomm.jws.invalid"
    case jwsMissing = "didcomm.jws.missing"
}

extension DIDCommError {
    /// Runs `body`, and throws an error of JSON as `code`, with its position in the reason.
    static func reading<Value>(
        _ code: Code = .documentMalformed, _ body: () throws(JSONError) -> Value
    ) throws(DIDCommError) -> Value {
        do throws(JSONError) {
            return try body()
        } catch {
            throw DIDCommError(code, "\(error)")
        }
    }
}
