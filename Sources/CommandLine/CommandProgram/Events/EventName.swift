/// The kinds of lines that `--json` writes; the manual lists the fields of each.
package enum EventName: String, CaseIterable, Sendable {
    /// A verifier can be found: its code.
    case invitation
    /// The verifier that a wallet was sent to, before anything is sent.
    case verifier
    /// A verifier was found on the air.
    case found
    /// A link is up.
    case connected
    /// Both ends have the keys of the session.
    case secureChannel = "secure-channel"
    /// A transfer goes on.
    case progress
    /// Missing chunks are asked for or sent again.
    case retry
    /// Something odd came from the other side and was passed over.
    case refused
    /// A device disconnected from a verifier whose session goes on.
    case left
    /// The wallet knows that everything arrived.
    case sent
    /// The verifier holds the payload.
    case received
    /// The payload has its final name.
    case kept
    /// The verifier's decision.
    case status
    /// How the link did.
    case link
    /// A Tuvali URI was understood.
    case uri
    /// Advertising data were taken apart.
    case advertisement
    /// One structure of advertising data.
    case structure
    /// An advertisement is that of a Tuvali verifier.
    case tuvaliAdvertisement = "tuvali-advertisement"
    /// One event of a capture.
    case packet
    /// A capture was read to its end.
    case capture
    /// An invitation to connect was understood.
    case connectionInvitation = "connection-invitation"
    /// A request that stands alone was understood.
    case attachedRequest = "attached-request"
    /// A link has to be fetched before it is an invitation.
    case shortLink = "short-link"
    /// An invitation of ours, as the vault has it.
    case issuedInvitation = "issued-invitation"
    /// An invitation to connect was made.
    case invitationMade = "invitation-made"
    /// A connection as the vault has it.
    case connection
    /// Accepting an invitation came to its end.
    case acceptance
    /// Both sides agreed to use a connection again.
    case connectionReused = "connection-reused"
    /// An invitation or a text came with a request, which is kept.
    case request
    /// A request was declined.
    case requestDeclined = "request-declined"
    /// The other side answered a ping.
    case ping
    /// The other side told what it can do.
    case features
    /// One side of a connection has a new DID.
    case rotated
    /// Connections were written to a file, or taken from one.
    case connectionsArchive = "connections-archive"
    /// The other side asked a question.
    case question
    /// The other side answered a question.
    case answer
    /// A connection that is being made went on.
    case connectionStage = "connection-stage"
    /// A connection was ended by the other side.
    case connectionEnded = "connection-ended"
    /// A connection was deleted.
    case connectionDeleted = "connection-deleted"
    /// A message of a connection, of either side.
    case message
    /// A message of ours was delivered, or could not be.
    case delivery
    /// Something that came was passed over.
    case passedOver = "passed-over"
    /// An endpoint of ours is open.
    case listening
    /// The mediator that takes messages for us.
    case mediator
    /// Something happened with the mediator.
    case mediatorNews = "mediator-news"
    /// How the mediator wakes this wallet.
    case mediatorWake = "mediator-wake"
    /// The mediator was left.
    case mediatorLeft = "mediator-left"
    /// A cloud agent takes messages.
    case cloudAgent = "cloud-agent"
    /// The invitation of a name on the list of a cloud agent.
    case cloudAgentInvitation = "cloud-agent-invitation"
    /// What a cloud agent did since it was told last.
    case cloudAgentCounts = "cloud-agent-counts"
    /// A cloud agent takes nothing new and is about to end.
    case cloudAgentStopping = "cloud-agent-stopping"
    /// How a cloud agent, or its store, does.
    case cloudAgentStatus = "cloud-agent-status"
    /// An account of a cloud agent.
    case cloudAccount = "cloud-account"
    /// Something was done with the store of a cloud agent.
    case cloudStore = "cloud-store"
    /// A setting of a cloud agent, and who decided it.
    case setting
    /// The demonstration of a connection is over.
    case connectDemo = "connect-demo"
    /// A vault was made, looked at, or given another key; or records went out of it or into it.
    case vault
    /// Something is wrong in a vault.
    case finding
    /// A sensor begins to listen.
    case sensing
    /// A sensor measured how strong a device is heard.
    case reading
    /// A sensor estimated how far a device is.
    case distance
    /// A contact with a device began or ended.
    case contact
    /// Something else that a sensor noticed.
    case proximity
    /// A message of an application came to a sensor, or went from it.
    case proximityMessage = "proximity-message"
    /// Something about the Bluetooth of this machine.
    case diagnosis
    /// The run failed.
    case error
    /// The run is over; always the last line, always there.
    case finished
}
