package import WebTransport

/// A WebSocket that the mediator serves: takes its envelopes one after the other, until it ends.
package final class ServedWebSocket: WebSocketReceiver {
    private let client: MediatorClientConnection
    private let service: MediatorService

    init(_ client: MediatorClientConnection, _ service: MediatorService) {
        self.client = client
        self.service = service
    }

    package func received(_ message: WebSocketMessage) async { await take(message.bytes) }

    /// Takes an envelope; returns when the next one may be given.
    package func take(_ envelope: [UInt8]) async {
        // The client sends again an envelope that is not taken before the close.
        guard !client.reply.isClosed else { return }
        do { try await service.waitForAdmission(of: client.source) } catch { return }
        // A WebSocket has no answer with that meaning, except closing it.
        guard await service.handler.take(envelope, on: client) == .later else { return }
        client.reply.close(.tryAgainLater, "A message could not be kept; bring it again.")
    }

    /// Ends the client's connection after its WebSocket ended; unacknowledged messages stay in the queue.
    package func ended() async {
        await client.end()
        service.counters.add(-1, to: \.sockets)
    }
}
