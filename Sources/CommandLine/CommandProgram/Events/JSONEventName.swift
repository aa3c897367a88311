/// The kinds of lines that `--json` writes; the manual lists the fields of each.
package enum JSONEventName: String, CaseIterable, Sendable {
    /// The program and its version.
    case program
    /// A verifier is ready for a wallet; the event holds the code to scan.
    case invitation
    /// The verifier that a wallet is about to connect to.
    case verifier
    /// A verifier was found on the air.
    case found
    /// A Bluetooth link is connected, or ready for the transfer.
    case connected
    /// Wallet and verifier have derived the keys of the session.
    case secureChannel = "secure-channel"
    /// Chunks were transferred.
    case progress
    /// Missing chunks are requested or sent again.
    case retry
    /// An invalid message of the other side was ignored.
    case refused
    /// A device disconnected from a verifier whose session continues.
    case left
    /// Presentation that a wallet is about to send to a verifier that asked.
    case disclosure
    /// The wallet knows that everything arrived.
    case sent
    /// The verifier holds the payload.
    case received
    /// The payload was checked: it is a genuine credential or not.
    case checked
    /// The received payload is stored under its final file name.
    case kept
    /// The verifier's decision about the credential.
    case status
    /// A verifier desk serves its pages.
    case desk
    /// The one-time code that opens the page of a station next.
    case deskCode = "desk-code"
    /// An event at a station of a verifier desk.
    case deskSession = "desk-session"
    /// A state of a session in which a mobile document is read or shown.
    case phone
    /// A reader asks for elements of a mobile document.
    case mobileRequest = "mobile-request"
    /// A mobile document that a phone returned, with its elements and checks.
    case mobileDocument = "mobile-document"
    /// A mobile document of a vault was listed, added or removed.
    case heldDocument = "held-document"
    /// The measurements of a radio link at the end of a session.
    case link
    /// A Tuvali URI was parsed.
    case uri
    /// Advertising data were parsed.
    case advertisement
    /// One structure of advertising data.
    case structure
    /// An advertisement is that of a Tuvali verifier.
    case tuvaliAdvertisement = "tuvali-advertisement"
    /// One packet or event of a capture file.
    case packet
    /// A capture file was read to its end.
    case capture
    /// A structure of a mobile document's session was recognised, or a message of a captured session.
    case mobileMessage = "mobile-message"
    /// One item of such a structure.
    case mobileItem = "mobile-item"
    /// A deviation of such a structure, or of a captured link.
    case mobileDeviation = "mobile-deviation"
    /// A file or folder was recognised.
    case file
    /// An invitation to connect was understood.
    case connectionInvitation = "connection-invitation"
    /// A request without an invitation was understood.
    case attachedRequest = "attached-request"
    /// A link has to be fetched before it is an invitation.
    case shortLink = "short-link"
    /// An invitation in the vault that this agent issued.
    case issuedInvitation = "issued-invitation"
    /// An invitation to connect was made.
    case invitationMade = "invitation-made"
    /// A connection in the vault.
    case connection
    /// The result of accepting an invitation.
    case acceptance
    /// Both sides agreed to use a connection again.
    case connectionReused = "connection-reused"
    /// A request arrived with an invitation or a text, and is stored.
    case request
    /// A request was answered.
    case requestAnswered = "request-answered"
    /// A request was declined.
    case requestDeclined = "request-declined"
    /// The other side answered a ping.
    case ping
    /// The other side listed the protocols it supports.
    case features
    /// One side of a connection has a new DID.
    case rotated
    /// Connections were exported to a file, or imported from one.
    case connectionsArchive = "connections-archive"
    /// The other side asked a question.
    case question
    /// The other side answered a question.
    case answer
    /// A connection reached the next stage of its handshake.
    case connectionStage = "connection-stage"
    /// A connection was ended by the other side.
    case connectionEnded = "connection-ended"
    /// A connection was deleted.
    case connectionDeleted = "connection-deleted"
    /// A message of a connection, of either side.
    case message
    /// A message that this agent sent was delivered, or failed.
    case delivery
    /// A received message was ignored.
    case passedOver = "passed-over"
    /// This agent listens at an endpoint for messages.
    case listening
    /// The mediator that takes messages for us.
    case mediator
    /// An event of the mediator.
    case mediatorNews = "mediator-news"
    /// The way in which the mediator wakes this wallet is shown or changed.
    case mediatorWake = "mediator-wake"
    /// The mediator is no longer used.
    case mediatorLeft = "mediator-left"
    /// A cloud agent is ready and accepts messages.
    case cloudAgent = "cloud-agent"
    /// The invitation of a name on the list of a cloud agent.
    case cloudAgentInvitation = "cloud-agent-invitation"
    /// The counts of a cloud agent since the last such event.
    case cloudAgentCounts = "cloud-agent-counts"
    /// The store of a cloud agent fails, or works again.
    case cloudAgentStore = "cloud-agent-store"
    /// The store of a cloud agent is in an earlier state than before.
    case cloudAgentStoreWentBack = "cloud-agent-store-went-back"
    /// A cloud agent takes no new messages and is stopping.
    case cloudAgentStopping = "cloud-agent-stopping"
    /// The status of a cloud agent or of its store.
    case cloudAgentStatus = "cloud-agent-status"
    /// An account of a cloud agent.
    case cloudAccount = "cloud-account"
    /// The result of an operation on the store of a cloud agent.
    case cloudStore = "cloud-store"
    /// A setting of a cloud agent or of a user, and its source.
    case setting
    /// The demonstration of a connection ended.
    case connectDemo = "connect-demo"
    /// A vault was made, examined or given another key, or records were exported or imported.
    case vault
    /// A finding of a check of a vault.
    case finding
    /// A sensor began to scan.
    case sensing
    /// A sensor measured the signal strength of a device.
    case reading
    /// A sensor estimated the distance of a device.
    case distance
    /// A contact with a device began or ended.
    case contact
    /// An event of a proximity sensor for which there is no other name.
    case proximity
    /// A sensor received or sent a message of an application.
    case proximityMessage = "proximity-message"
    /// A fact about the Bluetooth of this machine.
    case diagnosis
    /// A line of the trust file trusts everyone, or has a fault that a person should mend.
    case trustWarning = "trust-warning"
    /// An entry of a trust file was listed, added or removed.
    case trustEntry = "trust-entry"
    /// The run failed.
    case error
    /// The end of the run: always the last line, in every run.
    case finished
}
