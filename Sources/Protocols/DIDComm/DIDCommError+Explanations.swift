public import CodedErrors

extension DIDCommErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .keyMalformed: ErrorExplanation(
            .dataInvalid, "The text or the bytes are not a public key in any form that is known.",
            nextStep: "Give a base58 key of 32 bytes, a did:key or a multibase key of Ed25519 or X25519."),
        .keyUnsupported: ErrorExplanation(
            .dataInvalid, "The key is well-formed and of a kind that this program does not use.",
            nextStep: "Ask the other side to sign with Ed25519."),
        .keyWrongKind: ErrorExplanation(
            .dataInvalid, "The key is an Ed25519 key where an X25519 key is needed, or the reverse.",
            nextStep: "Ask the other side to sign with Ed25519."),
        .keyUnsafe: ErrorExplanation(
            .authentication,
            "The key is not a point of the curve's large group: a secret agreed with it"
                + " is the same for all peers.",
            nextStep: "Do not trust the sender."),
        .envelopeTooLarge: ErrorExplanation(
            .limit, "The envelope, or its header, has more bytes than the limits allow.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .envelopeTooManyRecipients: ErrorExplanation(
            .limit, "The envelope has more recipients than the limits allow, or is to be packed for none.",
            nextStep: "Pack one envelope for each recipient."),
        .envelopeMalformed: ErrorExplanation(
            .dataInvalid,
            "The bytes are not an envelope, or one whose parts are missing, contradict each other or "
                + "have wrong lengths.",
            nextStep: "Ask the other side to mend what the message names."),
        .envelopeUnsupported: ErrorExplanation(
            .dataInvalid, "The envelope names another form, algorithm or type than those of DIDComm version 1.",
            nextStep: "Ask the other side to accept didcomm/aip1 or didcomm/aip2;env=rfc19."),
        .envelopeNotForUs: ErrorExplanation(
            .notFound, "No recipient of the envelope is known here.",
            nextStep: "Check that the connection it is meant for was not deleted."),
        .envelopeNotOpened: ErrorExplanation(
            .authentication,
            "The envelope does not open with our key: something in it was changed, or was never "
                + "right.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .forwardMalformed: ErrorExplanation(
            .dataInvalid, "The message is not a forward, or one without recipient or envelope.",
            nextStep: "Ask the other side to mend what the message names."),
        .didMalformed: ErrorExplanation(
            .dataInvalid, "The text is not a DID, or breaks the rules of its method.",
            nextStep: "Copy the whole of it; did:METHOD:ID or the base58 of 16 bytes is taken."),
        .didTooLong: ErrorExplanation(
            .limit,
            "The DID is longer than 12,000 characters, its document than 8 KiB, or it has more than "
                + "32 parts.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .didHashMismatch: ErrorExplanation(
            .authentication, "The long form of a did:peer:4 does not have the hash that it names.",
            nextStep: "Do not trust the sender."),
        .didUnresolved: ErrorExplanation(
            .notFound,
            "The DID does not hold its document, as a short did:peer or a did:sov, and the document is "
                + "not known here.",
            nextStep: "Add --resolver URL or --did-document FILE, or ask the other side for an invitation with a "
                + "did:peer:2, with the long form of a did:peer:4, or with keys and an address in it."),
        .didMethodUnsupported: ErrorExplanation(
            .dataInvalid,
            "Nothing here resolves DIDs of this method: no resolver was given, or it does not know the method.",
            nextStep: "Add --resolver URL of a resolver that knows the method, or --did-document FILE, or ask for an "
                + "invitation with a did:peer or an inline service."),
        .didNotFound: ErrorExplanation(
            .notFound, "There is no document of the DID where its method or the resolver looks for it.",
            nextStep: "Check the DID for slips; ask its owner whether it is published."),
        .didDeactivated: ErrorExplanation(
            .notFound, "The owner of the DID has deactivated it.",
            nextStep: "Ask the inviter for a new invitation."),
        .messageMalformed: ErrorExplanation(
            .dataInvalid,
            "The text is not a message: no JSON object, or without identifier or thread as they should "
                + "be.",
            nextStep: "Ask the other side to mend what the message names."),
        .typeMalformed: ErrorExplanation(
            .dataInvalid, "The type of a message or the name of a protocol does not have its form.",
            nextStep: "Ask the other side to mend what the message names."),
        .attachmentMalformed: ErrorExplanation(
            .dataInvalid, "An attachment has no content, or one that cannot be decoded.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .attachmentTooLarge: ErrorExplanation(
            .limit, "An attachment is longer than is decoded.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .attachmentTooMany: ErrorExplanation(
            .limit, "A message has more attachments than are read.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .documentMalformed: ErrorExplanation(
            .dataInvalid,
            "The document is not a JSON object with the members that its format asks for, or contradicts"
                + " itself.",
            nextStep: "Ask the other side to mend what the message names."),
        .documentTooLarge: ErrorExplanation(
            .limit, "The document has more bytes, keys, services or addresses than are read.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .documentWrongID: ErrorExplanation(
            .authentication, "The document is that of another DID than the one it came with.",
            nextStep: "Do not trust it; ask the other side to mend its document."),
        .documentKeyMissing: ErrorExplanation(
            .notFound, "The document refers to a key that it does not have.",
            nextStep: "Ask the other side to mend what the message names."),
        .serviceMalformed: ErrorExplanation(
            .dataInvalid, "A service lacks its address, is of another kind, or has members of the wrong kind.",
            nextStep: "Ask the other side to mend what the message names."),
        .serviceKeyless: ErrorExplanation(
            .dataInvalid, "A service names no key to encrypt to.",
            nextStep: "Ask the other side to mend what the message names."),
        .serviceProfile: ErrorExplanation(
            .dataInvalid, "A service takes only envelopes of a kind that is not written here.",
            nextStep: "Ask the other side to accept didcomm/aip1 or didcomm/aip2;env=rfc19."),
        .serviceNone: ErrorExplanation(
            .notFound, "No service has an address that messages can be sent to.",
            nextStep: "Ask the other side for an address that is reached by http, https, ws or wss."),
        .endpointMalformed: ErrorExplanation(
            .dataInvalid,
            "The address of a service has no host, a bad port, credentials, or characters that no "
                + "address has.",
            nextStep: "Ask the other side to mend what the message names."),
        .endpointTransport: ErrorExplanation(
            .dataInvalid, "A service is reached by something else than http, https, ws or wss.",
            nextStep: "Ask the other side for an address that is reached by http, https, ws or wss."),
        .signatureMalformed: ErrorExplanation(
            .dataInvalid, "A signature decorator lacks a member, or one is not in base64url.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .signatureType: ErrorExplanation(
            .dataInvalid, "A signature decorator is of another type than ed25519Sha512_single.",
            nextStep: "Ask the other side to sign with Ed25519."),
        .signatureWrongSigner: ErrorExplanation(
            .authentication, "A signature decorator names a signer that is not expected here.",
            nextStep: "Do not trust the sender."),
        .signatureInvalid: ErrorExplanation(
            .authentication, "The signature was not made over these bytes by the signer that it names.",
            nextStep: "Do not trust the sender."),
        .signatureTime: ErrorExplanation(
            .dataInvalid,
            "The time in a signature decorator is more than a day from now; a warning, nothing was "
                + "refused.",
            nextStep: "Check the clocks of both sides."),
        .jwsMalformed: ErrorExplanation(
            .dataInvalid, "The signature of an attachment lacks a member, names no key, or is not in base64url.",
            nextStep: "Try again; if it happens again, the other side or an attacker in between is at fault."),
        .jwsAlgorithm: ErrorExplanation(
            .dataInvalid,
            "The signature of an attachment is not one of EdDSA with Ed25519, or asks for an unknown "
                + "extension.",
            nextStep: "Ask the other side to sign with Ed25519."),
        .jwsKeyDisagreement: ErrorExplanation(
            .authentication, "Jwk.x, jwk.kid and header.kid of the signature do not name one key.",
            nextStep: "Do not trust the sender."),
        .jwsWrongSigner: ErrorExplanation(
            .authentication, "An attachment is signed by a key that is not expected here.",
            nextStep: "Do not trust the sender."),
        .jwsInvalid: ErrorExplanation(
            .authentication, "The signature was not made over this attachment by the key that it names.",
            nextStep: "Do not trust the sender."),
        .jwsMissing: ErrorExplanation(
            .authentication, "An attachment is not signed where it has to be.",
            nextStep: "Ask the other side to sign with Ed25519."),
    ]
}
