// The lines of the failure table for envelopes, DIDs, their documents and signatures.
extension FailureTable {
    static let envelopes = [
        Entry(
            "didcomm.key.malformed", .dataInvalid,
            "The text or the bytes are no public key in any form that is known.",
            "Give a base58 key of 32 bytes, a did:key or a multibase key of Ed25519 or X25519."),
        Entry(
            "didcomm.key.unsupported", .dataInvalid,
            "The key is well-formed and of a kind that this program does not use.",
            "Ask the other side for a key of Ed25519 or X25519."),
        Entry(
            "didcomm.key.wrong-kind", .dataInvalid,
            "The key is of the other kind than is needed here, such as one for key agreement where a "
                + "signature is checked.",
            "Ask the other side which of its keys is meant."),
        Entry(
            "didcomm.key.unsafe", .authentication,
            "The key is no point of the curve's large group: whoever agrees with it shares his secret "
                + "with everybody.",
            "Do not trust this peer: no honest one has such a key."),
        Entry(
            "didcomm.envelope.too-large", .limit,
            "The envelope, or its header, has more bytes than the limits allow.",
            "Ask the sender for a smaller message, or raise the limit."),
        Entry(
            "didcomm.envelope.too-many-recipients", .limit,
            "The envelope has more recipients than the limits allow, or is to be packed for none.",
            "Pack one envelope for each recipient."),
        Entry(
            "didcomm.envelope.malformed", .dataInvalid,
            "The bytes are no envelope, or one with parts that are missing, contradict each other or have "
                + "wrong lengths.",
            "Check the sender's version; an error page of a server is no envelope either."),
        Entry(
            "didcomm.envelope.unsupported", .dataInvalid,
            "The envelope names another form, algorithm or type than those of DIDComm version 1.",
            "Ask the sender to use the envelope of RFC 0019."),
        Entry(
            "didcomm.envelope.not-for-us", .notFound,
            "No recipient of the envelope is a key of ours.",
            "Check that the connection it is meant for was not deleted."),
        Entry(
            "didcomm.envelope.not-opened", .authentication,
            "The envelope does not open with our key: something in it was changed, or was never right.",
            "Ask the sender to send it again; if it happens again, the sender or somebody between is at "
                + "fault."),
        Entry(
            "didcomm.forward.malformed", .dataInvalid,
            "The message is no forward, or one without recipient or envelope.",
            "Check the version of the sender, who wraps for this mediator."),
        Entry(
            "didcomm.did.malformed", .dataInvalid,
            "The text is no DID, or breaks the rules of its method.",
            "Copy the whole of it; did:METHOD:ID or the base58 of 16 bytes is taken."),
        Entry(
            "didcomm.did.too-long", .limit,
            "The DID is longer than 12,000 characters, its document than 8 KiB, or it has more than 32 "
                + "parts.",
            "Do not use this DID; ask its owner for a smaller one."),
        Entry(
            "didcomm.did.hash-mismatch", .authentication,
            "The long form of a did:peer:4 does not have the hash that it names.",
            "Do not trust it: it was altered on the way, or made by a faulty program."),
        Entry(
            "didcomm.message.malformed", .dataInvalid,
            "The text is no message: no JSON object, or without identifier or thread as they should be.",
            "Tell the sender which place is wrong; the reason names it."),
        Entry(
            "didcomm.message.type-malformed", .dataInvalid,
            "The type of a message or the name of a protocol does not have its form.",
            "Tell the sender; a type is PREFIX/FAMILY/MAJOR.MINOR/NAME."),
        Entry(
            "didcomm.attachment.malformed", .dataInvalid,
            "An attachment has no content, or one that cannot be decoded.",
            "Ask the sender to attach it anew, as base64 or JSON."),
        Entry(
            "didcomm.attachment.too-large", .limit,
            "An attachment is longer than is decoded.",
            "Ask the sender for a smaller one."),
        Entry(
            "didcomm.attachment.too-many", .limit,
            "A message has more attachments than are read.",
            "Ask the sender for several messages."),
        Entry(
            "didcomm.did.unresolved", .notFound,
            "The DID does not hold its document, as a short did:peer or a did:sov, and nobody has brought "
                + "it.",
            "Ask the other side for an invitation with a did:peer:2, with the long form of a did:peer:4, or with keys and an "
                + "address in it."),
        Entry(
            "didcomm.did.method-unsupported", .dataInvalid,
            "Nothing here resolves DIDs of this method, such as did:web.",
            "Give a resolver that knows the method, or ask for an invitation with a did:peer or an inline "
                + "service."),
        Entry(
            "didcomm.document.malformed", .dataInvalid,
            "The document is no JSON object with the members that its format asks for, or contradicts "
                + "itself.",
            "Ask the other side to mend it; the message names the place."),
        Entry(
            "didcomm.document.too-large", .limit,
            "The document has more bytes, keys, services or addresses than are read.",
            "Ask the other side for a smaller one."),
        Entry(
            "didcomm.document.wrong-id", .authentication,
            "The document is that of another DID than the one it came with.",
            "Do not trust it; ask the other side to mend its document."),
        Entry(
            "didcomm.document.key-missing", .notFound,
            "The document refers to a key that it does not have.",
            "Ask the other side to mend its document."),
        Entry(
            "didcomm.service.malformed", .dataInvalid,
            "A service lacks its address, is of another kind, or has members of the wrong kind.",
            "Ask the other side to mend its document or invitation."),
        Entry(
            "didcomm.service.no-key", .dataInvalid,
            "A service names no key to encrypt to.",
            "Ask the other side to mend its document or invitation."),
        Entry(
            "didcomm.service.profile-unsupported", .dataInvalid,
            "A service takes only envelopes of a kind that is not written here.",
            "Ask the other side to accept didcomm/aip1 or didcomm/aip2;env=rfc19."),
        Entry(
            "didcomm.service.none", .notFound,
            "No service has an address that messages can be sent to.",
            "Let the other side fetch its messages, or ask it for an address."),
        Entry(
            "didcomm.endpoint.malformed", .dataInvalid,
            "The address of a service has no host, a bad port, credentials, or characters that no address "
                + "has.",
            "Ask the other side to mend its address."),
        Entry(
            "didcomm.endpoint.transport-unsupported", .dataInvalid,
            "A service is reached by something else than http, https, ws or wss.",
            "Ask the other side for an address of one of these."),
        Entry(
            "didcomm.signature.malformed", .dataInvalid,
            "A signature decorator lacks a member, or one is not in base64url.",
            "Ask the other side to send it again; if it happens again, its program is at fault."),
        Entry(
            "didcomm.signature.type-unsupported", .dataInvalid,
            "A signature decorator is of another type than ed25519Sha512_single.",
            "Ask the other side to sign with Ed25519."),
        Entry(
            "didcomm.signature.wrong-signer", .authentication,
            "A signature decorator names a signer that is not expected here.",
            "Do not trust the message: it is not from the side that invited."),
        Entry(
            "didcomm.signature.invalid", .authentication,
            "The signature was not made over these bytes by the signer that it names.",
            "Do not trust the message: it was altered or forged."),
        Entry(
            "didcomm.signature.time", .dataInvalid,
            "The time in a signature decorator is more than a day from now; a warning, nothing was "
                + "refused.",
            "Check the clocks of both sides."),
        Entry(
            "didcomm.jws.malformed", .dataInvalid,
            "The signature of an attachment lacks a member, names no key, or is not in base64url.",
            "Ask the other side to send it again; if it happens again, its program is at fault."),
        Entry(
            "didcomm.jws.algorithm-unsupported", .dataInvalid,
            "The signature of an attachment is not one of EdDSA with Ed25519, or asks for an unknown "
                + "extension.",
            "Ask the other side to sign with Ed25519."),
        Entry(
            "didcomm.jws.key-disagreement", .authentication,
            "Jwk.x, jwk.kid and header.kid of the signature do not name one key.",
            "Do not trust the message: it was forged or made by a faulty program."),
        Entry(
            "didcomm.jws.wrong-signer", .authentication,
            "An attachment is signed by a key that is not expected here.",
            "Do not trust the message: it is not from the side that invited."),
        Entry(
            "didcomm.jws.invalid", .authentication,
            "The signature was not made over this attachment by the key that it names.",
            "Do not trust the message: it was altered or forged."),
        Entry(
            "didcomm.jws.missing", .authentication,
            "An attachment is not signed where it has to be.",
            "Ask the other side to sign it."),
    ]
}
