public import CodedErrors

extension AgentErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .stopped: ErrorExplanation(
            .permission, "The agent was not started, was stopped, or stopped because its store failed.",
            nextStep: "Start it again; see the log for why it stopped."),
        .busy: ErrorExplanation(
            .timeout, "The agent's job queue is full, or too many connections are being made.",
            nextStep: "Wait until some have ended, and try again."),
        .connectionUnknown: ErrorExplanation(
            .notFound, "There is no connection of that name.",
            nextStep: "List the connections, and check the name."),
        .connectionIncomplete: ErrorExplanation(
            .dataInvalid, "The connection is not complete, so nothing can be sent on it yet.",
            nextStep: "Wait until it is complete."),
        .connectionAbandoned: ErrorExplanation(
            .dataInvalid, "The connection failed before it was complete, so nothing can be sent on it.",
            nextStep: "Accept the same invitation again if it was for want of time, or ask for a new one."),
        .connectionEnded: ErrorExplanation(
            .dataInvalid, "The other side has ended the connection.",
            nextStep: "Ask for a new invitation; delete the connection when it is not needed for its messages."),
        .connectionBroken: ErrorExplanation(
            .dataInvalid,
            "The other side uses a key that it never announced, so that neither side takes the other's "
                + "messages.",
            nextStep: "Ask for a new invitation; connections delete removes this connection when its messages are not "
                + "needed."),
        .invitationUnknown: ErrorExplanation(
            .notFound, "There is no invitation of that name.",
            nextStep: "List the invitations, and check the name: invite list."),
        .requestUnknown: ErrorExplanation(
            .notFound, "There is no such request, or it does not belong to a connection.",
            nextStep: "List the requests; one without a connection can only be declined."),
        .requestUnhandled: ErrorExplanation(
            .refused, "No handler answers requests of this protocol.",
            nextStep:
                "Decline it: requests decline; or answer it with a message of your own: requests answer --message FILE."
        ),
        .keyMissing: ErrorExplanation(
            .notFound, "The store has no key to send with, or the connection was deleted.",
            nextStep: "Check the store; if the key is gone, connect anew."),
        .recordMalformed: ErrorExplanation(
            .dataInvalid, "A record of the store cannot be read.",
            nextStep: "Check the store; a newer program may have written it."),
        .deliveryFailed: ErrorExplanation(
            .notFound, "The other side could not be reached; the message stays queued and is sent again.",
            nextStep: "Nothing; if it goes on, ask whether the other side is there."),
        .deliveryLate: ErrorExplanation(
            .timeout, "The message did not go out in the time allowed; it stays queued and is sent later.",
            nextStep: "Nothing: the next command that sends takes it along; a longer --timeout waits for it."),
        .answerMissing: ErrorExplanation(
            .timeout, "The other side did not answer in the time allowed.",
            nextStep: "Try again with a longer --timeout; the other side may be away, or may not know the question."),
        .deliveryWaits: ErrorExplanation(
            .notFound, "The other side has no address and is not connected now; the message stays queued.",
            nextStep: "Nothing: it is sent when the other side asks for its messages."),
        .deliveryForeign: ErrorExplanation(
            .notFound, "The server at the other side's address answered with something else than a DIDComm message.",
            nextStep: "Check the address in the invitation, and ask who made it whether an agent is there."),
        .deliveryTransport: ErrorExplanation(
            .refused,
            "The other side has no address for the transports that this wallet sends by; the message stays queued.",
            nextStep:
                "Set SYMBOLON_TRANSPORTS, or transports in the file of settings, to http, ws; or ask the other side "
                + "for an address that fits."),
        .mediatorUnknown: ErrorExplanation(
            .notFound, "No mediator is in use.",
            nextStep: "Connect with one: mediator use."),
        .mediatorInUse: ErrorExplanation(
            .refused, "Another mediator is in use, or the one that is to be left is still needed.",
            nextStep: "See mediator show; mediator leave --force leaves one that is still needed."),
        .mediatorReplaced: ErrorExplanation(
            .refused, "Another program of this wallet has taken over the connection to the mediator.",
            nextStep: "Let one symbolon listen run for each wallet, on one machine; end the other one, then "
                + "start this again."),
        .mediatorClosed: ErrorExplanation(
            .refused, "The mediator has closed the account of this wallet.",
            nextStep: "Ask the mediator's operator; to begin anew: mediator leave --force, then mediator use."),
        .mediatorUnreachable: ErrorExplanation(
            .timeout, "The mediator could not be reached, or did not answer, in the time allowed.",
            nextStep: "Run the command again when the mediator is reachable, or leave it."),
        .mediatorKeyMissing: ErrorExplanation(
            .timeout, "The mediator has confirmed no free key for a new connection yet.",
            nextStep: "Run the command again when the mediator is reachable, or leave it."),
        .mediatorQuarantine: ErrorExplanation(
            .dataInvalid, "A message from a mediator cannot be decrypted, and is quarantined.",
            nextStep: "Nothing else is held up by it; mediator show counts what is kept aside."),
    ]
}
