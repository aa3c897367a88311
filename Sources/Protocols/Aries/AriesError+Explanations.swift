public import CodedErrors

extension AriesErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .invitationUnrecognised: ErrorExplanation(
            .dataInvalid, "The text is not an invitation in any form that is known.",
            nextStep: "Copy the whole link or text that the inviter shows."),
        .invitationIsPage: ErrorExplanation(
            .dataInvalid, "The link leads to a web page, and not to an invitation.",
            nextStep: "Open the link in a browser, and copy the link or text of the invitation that it shows."),
        .invitationTooLarge: ErrorExplanation(
            .limit, "The text is longer than an invitation may be.",
            nextStep: "Ask the sender for less, or raise the limit if you trust it."),
        .invitationMalformed: ErrorExplanation(
            .dataInvalid, "The text looks like an invitation, but a part of it cannot be parsed.",
            nextStep: "Copy the whole link or text that the inviter shows."),
        .invitationUnsupported: ErrorExplanation(
            .dataInvalid, "It is an invitation of a version that is not understood.",
            nextStep: "Ask the inviter for one of connections 1.0 or out-of-band 1.x."),
        .invitationIncomplete: ErrorExplanation(
            .dataInvalid, "The invitation lacks a required member.",
            nextStep: "Ask the other side to mend what the message names."),
        .invitationContradictory: ErrorExplanation(
            .dataInvalid, "Two members of the invitation contradict each other.",
            nextStep: "Ask the other side to mend what the message names."),
        .invitationPurposeless: ErrorExplanation(
            .dataInvalid, "It offers neither a handshake nor a request.",
            nextStep: "Ask the inviter for a new invitation."),
        .invitationExpired: ErrorExplanation(
            .dataInvalid, "The invitation has expired.",
            nextStep: "Ask the inviter for a new invitation."),
        .handshakeUnsupported: ErrorExplanation(
            .dataInvalid, "None of its handshake protocols is spoken here.",
            nextStep: "Ask the inviter to offer connections 1.0 or DID exchange 1.x."),
        .profileUnsupported: ErrorExplanation(
            .dataInvalid, "The invitation asks for an envelope format that is not supported.",
            nextStep: "Ask the other side to accept didcomm/aip1 or didcomm/aip2;env=rfc19."),
        .notAuthentic: ErrorExplanation(
            .authentication, "A message does not prove who sent it.",
            nextStep: "Nothing is lost: it was passed over."),
        .senderNotExclusive: ErrorExplanation(
            .authentication, "A message was encrypted for several keys, so the owner of each could have forged it.",
            nextStep: "Nothing is lost: it was passed over."),
        .wrongSender: ErrorExplanation(
            .authentication, "A message came from a key that does not belong to the other side.",
            nextStep:
                "Nothing is lost: it was passed over. An attacker may have tried to answer in the name of the other side."
        ),
        .wrongRecipient: ErrorExplanation(
            .authentication, "A message came to a key of another connection.",
            nextStep: "Nothing is lost: it was passed over."),
        .wrongThread: ErrorExplanation(
            .dataInvalid, "A message belongs to another exchange.",
            nextStep: "Nothing is lost: it was passed over."),
        .unexpected: ErrorExplanation(
            .dataInvalid, "A message came when it was not expected.",
            nextStep: "Nothing is lost: it was passed over."),
        .messageMalformed: ErrorExplanation(
            .dataInvalid, "A message of a known kind lacks a member, or holds an impossible value.",
            nextStep: "Ask the other side to mend what the message names."),
        .replayed: ErrorExplanation(
            .dataInvalid, "The same message came before.",
            nextStep: "Nothing is lost: it was passed over."),
        .versionUnsupported: ErrorExplanation(
            .dataInvalid, "A message is of a version that is not understood.",
            nextStep: "The other side was told; it may try an older version."),
        .rotationUnusable: ErrorExplanation(
            .dataInvalid, "The other side's new DID cannot be used, and the old one goes on.",
            nextStep: "The other side was told; ask it for a did:peer:2 or did:peer:4."),
        .signatureInvalid: ErrorExplanation(
            .authentication, "A response is not signed by the inviter.",
            nextStep:
                "Nothing is lost: it was passed over. An attacker may have tried to answer in the name of the other side."
        ),
        .responseUnusable: ErrorExplanation(
            .dataInvalid, "The inviter's response is authentic and cannot be used.",
            nextStep: "Ask the other side to mend what the message names."),
        .requestUnusable: ErrorExplanation(
            .dataInvalid, "A request is authentic and cannot be used.",
            nextStep: "Ask the other side to mend what the message names."),
        .invitationUsed: ErrorExplanation(
            .refused, "A single-use invitation was used before.",
            nextStep: "Make a new invitation for the requester."),
        .invitationWithdrawn: ErrorExplanation(
            .refused, "The inviter has taken the invitation back.",
            nextStep: "Make a new invitation for the requester."),
        .invitationUnknown: ErrorExplanation(
            .notFound, "A request refers to an invitation that is not known.",
            nextStep: "Make a new invitation for the requester."),
        .rejected: ErrorExplanation(
            .refused, "The other side answered with a problem.",
            nextStep: "Read what it says; its own code is the wire code. Ask for a new invitation."),
        .timeout: ErrorExplanation(
            .timeout, "The other side did not answer in time.",
            nextStep: "Let symbolon listen run, or accept the same invitation again: the connection goes on."),
        .cancelled: ErrorExplanation(
            .interrupted, "The user cancelled the connection.",
            nextStep: "Accept the invitation again if that was a mistake."),
        .unreachable: ErrorExplanation(
            .notFound, "The other side names no address that messages can be sent to.",
            nextStep: "Ask the other side for an address that is reached by http, https, ws or wss."),
        .mediationRefused: ErrorExplanation(
            .refused, "The mediator did not do what it was asked for.",
            nextStep: "Ask the mediator's operator, or use another mediator."),
        .stateMalformed: ErrorExplanation(
            .dataInvalid, "A stored state cannot be parsed.",
            nextStep: "Restore a backup of the store, or delete the connection and make a new one."),
    ]
}
