/// The parts of an agent that handle the messages of envelopes.
struct MessageHandlers {
    let handshakes: ConnectionHandshakes
    let reuse: ConnectionReuse
    let messages: ConnectionMessages
    let invitations: Invitations
}
