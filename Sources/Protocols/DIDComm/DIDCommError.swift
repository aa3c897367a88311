public import CodedErrors
import JSON

/// Why an envelope, a key, a DID, a document or a signature was refused.
///
/// Equality is by code. The reason holds no private key and no plaintext; text of others in it is sanitised where it
/// is shown.
public struct DIDCommError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        // Keys.
        /// The text or the bytes are not a public key in any form that is known.
        case keyMalformed = "didcomm.key.malformed"
        /// The key is well-formed and of a kind that this program does not use.
        case keyUnsupported = "didcomm.key.unsupported"
        /// The key is an Ed25519 key where an X25519 key is needed, or the reverse.
        case keyWrongKind = "didcomm.key.wrong-kind"
        /// The key is not a point of the curve's large group: a secret agreed with it is the same for all peers.
        case keyUnsafe = "didcomm.key.unsafe"

        // Envelopes.
        /// The envelope, or its header, has more bytes than the limits allow.
        case envelopeTooLarge = "didcomm.envelope.too-large"
        /// The envelope has more recipients than the limits allow, or is to be packed for none.
        case envelopeTooManyRecipients = "didcomm.envelope.too-many-recipients"
        /// The bytes are not an envelope, or one whose parts are missing, contradict each other or have wrong lengths.
        case envelopeMalformed = "didcomm.envelope.malformed"
        /// The envelope names another form, algorithm or type than those of DIDComm version 1.
        case envelopeUnsupported = "didcomm.envelope.unsupported"
        /// No recipient of the envelope is known here.
        case envelopeNotForUs = "didcomm.envelope.not-for-us"
        /// The envelope does not open with our key: something in it was changed, or was never right.
        case envelopeNotOpened = "didcomm.envelope.not-opened"
        /// The message is not a forward, or one without recipient or envelope.
        case forwardMalformed = "didcomm.forward.malformed"

        // DIDs.
        /// The text is not a DID, or breaks the rules of its method.
        case didMalformed = "didcomm.did.malformed"
        /// The DID is longer than 12,000 characters, its document than 8 KiB, or it has more than 32 parts.
        case didTooLong = "didcomm.did.too-long"
        /// The long form of a did:peer:4 does not have the hash that it names.
        case didHashMismatch = "didcomm.did.hash-mismatch"
        /// The DID does not hold its document, as a short did:peer or a did:sov, and the document is not known here.
        case didUnresolved = "didcomm.did.unresolved"
        /// Nothing here resolves DIDs of this method: no resolver was given, or it does not know the method.
        case didMethodUnsupported = "didcomm.did.method-unsupported"
        /// There is no document of the DID where its method or the resolver looks for it.
        case didNotFound = "didcomm.did.not-found"
        /// The owner of the DID has deactivated it.
        case didDeactivated = "didcomm.did.deactivated"

        // Messages.
        /// The text is not a message: no JSON object, or without identifier or thread as they should be.
        case messageMalformed = "didcomm.message.malformed"
        /// The type of a message or the name of a protocol does not have its form.
        case typeMalformed = "didcomm.message.type-malformed"
        /// An attachment has no content, or one that cannot be decoded.
        case attachmentMalformed = "didcomm.attachment.malformed"
        /// An attachment is longer than is decoded.
        case attachmentTooLarge = "didcomm.attachment.too-large"
        /// A message has more attachments than are read.
        case attachmentTooMany = "didcomm.attachment.too-many"

        // Documents.
        /// The document is not a JSON object with the members that its format asks for, or contradicts itself.
        case documentMalformed = "didcomm.document.malformed"
        /// The document has more bytes, keys, services or addresses than are read.
        case documentTooLarge = "didcomm.document.too-large"
        /// The document is that of another DID than the one it came with.
        case documentWrongID = "didcomm.document.wrong-id"
        /// The document refers to a key that it does not have.
        case documentKeyMissing = "didcomm.document.key-missing"
        /// A service lacks its address, is of another kind, or has members of the wrong kind.
        case serviceMalformed = "didcomm.service.malformed"
        /// A service names no key to encrypt to.
        case serviceKeyless = "didcomm.service.no-key"
        /// A service takes only envelopes of a kind that is not written here.
        case serviceProfile = "didcomm.service.profile-unsupported"
        /// No service has an address that messages can be sent to.
        case serviceNone = "didcomm.service.none"
        /// The address of a service has no host, a bad port, credentials, or characters that no address has.
        case endpointMalformed = "didcomm.endpoint.malformed"
        /// A service is reached by something else than http, https, ws or wss.
        case endpointTransport = "didcomm.endpoint.transport-unsupported"

        // Signatures.
        /// A signature decorator lacks a member, or one is not in base64url.
        case signatureMalformed = "didcomm.signature.malformed"
        /// A signature decorator is of another type than ed25519Sha512_single.
        case signatureType = "didcomm.signature.type-unsupported"
        /// A signature decorator names a signer that is not expected here.
        case signatureWrongSigner = "didcomm.signature.wrong-signer"
        /// The signature was not made over these bytes by the signer that it names.
        case signatureInvalid = "didcomm.signature.invalid"
        /// The time in a signature decorator is more than a day from now; a warning, nothing was refused.
        case signatureTime = "didcomm.signature.time"
        /// The signature of an attachment lacks a member, names no key, or is not in base64url.
        case jwsMalformed = "didcomm.jws.malformed"
        /// The signature of an attachment is not one of EdDSA with Ed25519, or asks for an unknown extension.
        case jwsAlgorithm = "didcomm.jws.algorithm-unsupported"
        /// Jwk.x, jwk.kid and header.kid of the signature do not name one key.
        case jwsKeyDisagreement = "didcomm.jws.key-disagreement"
        /// An attachment is signed by a key that is not expected here.
        case jwsWrongSigner = "didcomm.jws.wrong-signer"
        /// The signature was not made over this attachment by the key that it names.
        case jwsInvalid = "didcomm.jws.invalid"
        /// An attachment is not signed where it has to be.
        case jwsMissing = "didcomm.jws.missing"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
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
