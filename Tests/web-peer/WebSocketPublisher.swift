import Determinism
import WebTransport

/// Sends each message to many WebSockets.
///
/// Publishing never waits. Each socket has its own queue, as long as its limits allow; a reader so slow that its queue
/// is full is closed with 1008, because a page that lacks a message without knowing it would show what is not so. It
/// connects again and begins with the greeting.
final class WebSocketPublisher: Sendable {
    private struct State {
        var sockets: [UInt64: WebSocketConnection] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Lock(State())

    /// The number of WebSockets that receive the published messages.
    var count: Int { state.withLock { $0.sockets.count } }

    /// Sends a message to all subscribed WebSockets.
    ///
    /// - Returns: The number of readers that were too slow and are closed.
    @discardableResult func publish(_ message: WebSocketMessage) -> Int {
        let sockets = state.withLock { state in state.sockets.sorted { $0.key < $1.key } }
        var slow = 0
        for (number, socket) in sockets where !socket.offer(message) {
            state.withLock { $0.sockets[number] = nil }
            if !socket.isClosed { slow += 1 }
            socket.close(.policy, reason: "The reader is too slow.")
        }
        return slow
    }

    /// Subscribes a WebSocket until it is closed; messages that it sends are ignored.
    ///
    /// - Parameter greeting: The first message to it, such as the present state; made when nothing can be published
    ///   between it and what follows.
    func serve(
        _ socket: WebSocketConnection, greeting: @Sendable () -> WebSocketMessage? = { nil }
    ) async {
        let number = state.withLock { state in
            state.nextNumber += 1
            if let first = greeting() { _ = socket.offer(first) }
            state.sockets[state.nextNumber] = socket
            return state.nextNumber
        }
        // The way in which one socket ends makes no difference to the others.
        do { for try await _ in socket.messages {} } catch {}
        state.withLock { _ = $0.sockets.removeValue(forKey: number) }
    }
}
