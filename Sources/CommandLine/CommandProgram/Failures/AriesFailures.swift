// The lines of the failure table for invitations, connections and the agent that keeps them.
extension FailureTable {
    static let connections = [
        Entry(
            "aries.invitation.not-recognised", .dataInvalid,
            "The text is no invitation in any form that is known.",
            "Copy the whole link or text that the inviter shows."),
        Entry(
            "aries.invitation.web-page", .dataInvalid,
            "The link leads to a web page, and not to an invitation.",
            "Open the link in a browser, and copy the link or text of the invitation that it shows."),
        Entry(
            "aries.invitation.too-large", .limit,
            "The text is longer than an invitation may be.",
            "Ask the inviter for an ordinary invitation; this one holds too much."),
        Entry(
            "aries.invitation.malformed", .dataInvalid,
            "The text looks like an invitation, but a part cannot be read.",
            "Copy the whole of it again; if it stays so, tell the inviter which part the message names."),
        Entry(
            "aries.invitation.version-unsupported", .dataInvalid,
            "It is an invitation of a version that is not understood.",
            "Ask the inviter for one of connections 1.0 or out-of-band 1.x."),
        Entry(
            "aries.invitation.incomplete", .dataInvalid,
            "Something that every such invitation has is not there.",
            "Tell the inviter what the message names, and ask for a new invitation."),
        Entry(
            "aries.invitation.contradictory", .dataInvalid,
            "Two parts say different things of one matter.",
            "Tell the inviter; nothing says which part is meant."),
        Entry(
            "aries.invitation.purposeless", .dataInvalid,
            "It offers neither a handshake nor a request.",
            "Ask the inviter for an invitation that offers something."),
        Entry(
            "aries.invitation.expired", .dataInvalid,
            "Its time is over.",
            "Ask the inviter for a new invitation."),
        Entry(
            "aries.invitation.handshake-unsupported", .dataInvalid,
            "None of its handshake protocols is spoken here.",
            "Ask the inviter to offer connections 1.0 or DID exchange 1.x."),
        Entry(
            "aries.invitation.profile-unsupported", .dataInvalid,
            "It asks for envelopes that are not written here.",
            "Ask the inviter to accept didcomm/aip1 or didcomm/aip2;env=rfc19."),
        Entry(
            "aries.message.not-authentic", .authentication,
            "A message does not prove who sent it.",
            "Nothing is lost: it was passed over. If the other side sent it, its program is faulty."),
        Entry(
            "aries.message.sender-not-exclusive", .authentication,
            "A message went to several keys, and the owner of each could have forged it.",
            "Nothing is lost: it was passed over. Ask the other side to send to one key alone."),
        Entry(
            "aries.message.wrong-sender", .authentication,
            "A message came from a key that does not belong to the other side.",
            "Nothing is lost: it was passed over. Somebody may have tried to answer in the place of the "
                + "other side."),
        Entry(
            "aries.message.wrong-recipient", .authentication,
            "A message came to a key of another connection.",
            "Nothing is lost: it was passed over."),
        Entry(
            "aries.message.wrong-thread", .dataInvalid,
            "A message belongs to another exchange.",
            "Nothing is lost: it was passed over."),
        Entry(
            "aries.message.unexpected", .dataInvalid,
            "A message came when it was not expected.",
            "Nothing is lost: it was passed over."),
        Entry(
            "aries.response.signature-invalid", .authentication,
            "A response is not signed by the inviter.",
            "It was passed over, and the wait goes on. Somebody may have tried to answer in the place of "
                + "the inviter."),
        Entry(
            "aries.response.unusable", .dataInvalid,
            "The inviter's response is authentic and cannot be used.",
            "Tell the inviter what the message says; the handshake has ended."),
        Entry(
            "aries.request.unusable", .dataInvalid,
            "A request is authentic and cannot be used.",
            "Tell the one who asked what the message says."),
        Entry(
            "aries.request.invitation-used", .refused,
            "An invitation for one was used before.",
            "Make a new invitation for the one who asked."),
        Entry(
            "aries.request.invitation-withdrawn", .refused,
            "The inviter has taken the invitation back.",
            "Make a new invitation for the one who asked."),
        Entry(
            "aries.request.invitation-unknown", .notFound,
            "A request refers to an invitation that is not known.",
            "Make a new invitation for the one who asked."),
        Entry(
            "aries.connection.rejected", .refused,
            "The other side answered with a problem.",
            "Read what it says; its own code is the wire code. Ask for a new invitation."),
        Entry(
            "aries.connection.timeout", .timeout,
            "The other side did not answer in time.",
            "Let symbolon listen run, or accept the same invitation again: the connection goes on. A wallet without "
                + "--endpoint needs a mediator for late answers: mediator use."),
        Entry(
            "aries.connection.cancelled", .interrupted,
            "The user ended it.",
            "Accept the invitation again if that was a mistake."),
        Entry(
            "aries.connection.unreachable", .notFound,
            "The other side names no address that messages can be sent to.",
            "Ask the other side for an address that is reached by http, https, ws or wss."),
        Entry(
            "aries.state.malformed", .dataInvalid,
            "What a store holds cannot be read.",
            "Restore a backup of the store, or delete the connection and make a new one."),
        Entry(
            "aries.message.malformed", .dataInvalid,
            "A message of a known kind lacks something, or holds something impossible.",
            "Tell the other side what the message says."),
        Entry(
            "aries.message.replayed", .dataInvalid,
            "The same message came before.",
            "Nothing is lost: it was passed over."),
        Entry(
            "aries.message.version-unsupported", .dataInvalid,
            "A message is of a version that is not understood.",
            "The other side was told; it may try an older version."),
        Entry(
            "aries.rotation.unusable", .dataInvalid,
            "The other side's new DID cannot be used, and the old one goes on.",
            "The other side was told; ask it for a did:peer:2 or did:peer:4."),
        Entry(
            "aries.mediation.refused", .refused,
            "The mediator did not do what it was asked for.",
            "Ask whoever runs the mediator, or use another one."),
        Entry(
            "agent.mediator.unknown", .notFound,
            "No mediator is in use.",
            "Connect with one: mediator use."),
        Entry(
            "agent.mediator.in-use", .refused,
            "Another mediator is in use, or the one that is to be left is still needed.",
            "See mediator show; mediator leave --force leaves one that is still needed."),
        Entry(
            "agent.mediator.replaced", .refused,
            "Another program of this wallet has taken over the connection to the mediator.",
            "Let one symbolon listen run for each wallet, on one machine; end the other one, then start this again."),
        Entry(
            "agent.mediator.closed", .refused,
            "The mediator has closed the account of this wallet.",
            "Ask whoever runs the mediator; to begin anew: mediator leave --force, then mediator use."),
        Entry(
            "agent.mediator.unreachable", .timeout,
            "The mediator did not do what it was asked for in time.",
            "Run the command again when the mediator is reachable, or leave it."),
        Entry(
            "agent.mediator.key-missing", .timeout,
            "The mediator knows no key of ours yet that is free for a new connection.",
            "Try again when the mediator is reachable, or leave it."),
        Entry(
            "agent.mediator.quarantined", .dataInvalid,
            "Something that a mediator handed over cannot be opened, and is kept aside.",
            "Nothing else is held up by it; mediator show counts what is kept aside."),
        Entry(
            "agent.stopped", .permission,
            "The agent was not started, was stopped, or stopped because its store failed.",
            "Start it again; see the log for why it stopped."),
        Entry(
            "agent.busy", .timeout,
            "More waits to be done, or more connections are being made, than the agent takes.",
            "Try again later, or raise the limit."),
        Entry(
            "agent.connection.unknown", .notFound,
            "There is no connection of that name.",
            "List the connections, and check the name."),
        Entry(
            "agent.connection.incomplete", .dataInvalid,
            "The connection is not complete, so nothing can be sent on it yet.",
            "Wait until it is complete."),
        Entry(
            "agent.connection.abandoned", .dataInvalid,
            "The connection was given up before it was complete, so nothing can be sent on it.",
            "Accept the same invitation again if it was for want of time, or ask for a new one."),
        Entry(
            "agent.invitation.unknown", .notFound,
            "There is no invitation of ours of that name.",
            "List the invitations, and check the name: invite list."),
        Entry(
            "agent.connection.ended", .dataInvalid,
            "The other side has ended the connection.",
            "Ask for a new invitation; delete the connection when it is not needed for its messages."),
        Entry(
            "agent.request.unknown", .notFound,
            "There is no such request, or it does not belong to a connection.",
            "List the requests; one without a connection can only be declined."),
        Entry(
            "agent.key.missing", .notFound,
            "There is no key for what is to be done; the store lost it, or the connection was deleted.",
            "Check the store; if the key is gone, connect anew."),
        Entry(
            "agent.record.malformed", .dataInvalid,
            "A record of the store cannot be read.",
            "Check the store; a newer program may have written it."),
        Entry(
            "agent.delivery.failed", .notFound,
            "The other side could not be reached; the message waits and is sent again.",
            "Nothing; if it goes on, ask whether the other side is there."),
        Entry(
            "agent.answer.missing", .timeout,
            "The other side did not answer in the time allowed.",
            "Try again with a longer --timeout; the other side may be away, or may not know the question."),
        Entry(
            "agent.delivery.waits", .notFound,
            "The other side has no address and is not connected now; the message waits for it.",
            "Nothing: it is sent when the other side asks for its messages."),
    ]
}
