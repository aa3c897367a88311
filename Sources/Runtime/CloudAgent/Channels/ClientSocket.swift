package import WebTransport

/// A persistent connection with a client in both directions, such as a WebSocket.
package protocol ClientSocket: Sendable {
    /// The address of the other end.
    var peer: SocketAddress? { get }

    /// True when the connection is closed or closing.
    var isClosed: Bool { get }

    /// Queues an envelope, unless there is no room or the connection is closed; then false.
    func offer(_ envelope: [UInt8]) -> Bool

    /// Queues an envelope, after waiting for room.
    func send(_ envelope: [UInt8]) async throws

    /// Queues an envelope, and waits until it was written to the connection; throws when it was not.
    func handOver(_ envelope: [UInt8]) async throws

    /// Closes the connection with a reason, after the queue is sent.
    func close(_ code: WebSocketCloseCode, _ reason: String)
}

/// A WebSocket of a client.
struct WebClientSocket: ClientSocket {
    let connection: WebSocketConnection

    var peer: SocketAddress? { connection.request.peer }

    var isClosed: Bool { connection.isClosed }

    func offer(_ envelope: [UInt8]) -> Bool { connection.offer(.text(String(decoding: envelope, as: UTF8.self))) }

    func send(_ envelope: [UInt8]) async throws {
        try await connection.send(.text(String(decoding: envelope, as: UTF8.self)))
    }

    func handOver(_ envelope: [UInt8]) async throws {
        try await connection.handOver(.text(String(decoding: envelope, as: UTF8.self)))
    }

    func close(_ code: WebSocketCloseCode, _ reason: String) { connection.close(code, reason: reason) }
}
