package import Aries
import Determinism
package import WebTransport

/// The reply channel to a client on its own connection.
package protocol ReplyChannel: AnyObject, Sendable {
    /// The kind of channel, for the route of answers.
    var channel: IncomingChannel { get }

    /// True when the connection is closed or closing.
    var isClosed: Bool { get }

    /// Sends an envelope back; false when the connection is closed. Waits while the client reads nothing.
    func send(_ envelope: [UInt8]) async -> Bool

    /// Sends an envelope that is removed from the store afterwards: true only when it was written to the connection.
    func handOver(_ envelope: [UInt8]) async -> Bool

    /// Closes it with a reason, after what waits to be sent.
    func close(_ code: WebSocketCloseCode, _ reason: String)
}

/// An HTTP request, which is answered once.
final class HTTPReplyChannel: ReplyChannel {
    private let answered = Lock<[UInt8]?>(nil)

    var channel: IncomingChannel { .single }

    var isClosed: Bool { false }

    /// The answer; nil for none.
    var answer: [UInt8]? { answered.withLock { $0 } }

    func send(_ envelope: [UInt8]) async -> Bool {
        answered.withLock { answer in
            guard answer == nil else { return false }
            answer = envelope
            return true
        }
    }

    func handOver(_ envelope: [UInt8]) async -> Bool { await send(envelope) }

    func close(_ code: WebSocketCloseCode, _ reason: String) {}
}

/// A reply channel on a WebSocket.
final class WebSocketReplyChannel: ReplyChannel {
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) { self.connection = connection }

    var channel: IncomingChannel { .persistent }

    var isClosed: Bool { connection.isClosed }

    func send(_ envelope: [UInt8]) async -> Bool {
        if connection.offer(.text(envelope)) { return true }
        do {
            try await connection.send(.text(envelope))
            return true
        } catch {
            return false
        }
    }

    func handOver(_ envelope: [UInt8]) async -> Bool {
        do {
            try await connection.handOver(.text(envelope))
            return true
        } catch {
            return false
        }
    }

    func close(_ code: WebSocketCloseCode, _ reason: String) { connection.close(code, reason: reason) }
}

extension WebSocketCloseCode {
    /// Close code: the client has opened a newer connection and should not reopen this one.
    static let replaced = WebSocketCloseCode(rawValue: 4001)
    /// Close code: the account of the client is closed.
    static let accountClosed = WebSocketCloseCode(rawValue: 4002)
}
