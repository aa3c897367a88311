/// Takes the messages of one WebSocket, one after the other.
///
/// In place of a task that waits for each message, which costs more memory than all else that a silent WebSocket holds.
public protocol WebSocketReceiver: Sendable {
    /// Takes a message; the next one is given after the return.
    func received(_ message: WebSocketMessage) async

    /// The socket has ended; called once, after all messages.
    func ended() async
}
