import Aries
import Determinism
import WebTransport

/// The reply channel to a client on its own connection.
protocol ReplyChannel: AnyObject, Sendable {
    /// The kind of channel, for the route of answers.
    var channel: IncomingChannel { get }

    /// Sends an envelope back; false when the connection is closed. Waits while the client reads nothing.
    func send(_ envelope: [UInt8]) async -> Bool

    /// Sends an envelope that is removed from the store afterwards: true only when it was written to the connection.
    func handOver(_ envelope: [UInt8]) async -> Bool

    /// Closes it with a reason.
    func close(_ code: WebSocketCloseCode, _ reason: String)
}

/// An HTTP request, which is answered once.
final class RequestReply: ReplyChannel {
    private let answered = Lock<[UInt8]?>(nil)

    var channel: IncomingChannel { .single }

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
final class SocketReplyChannel: ReplyChannel {
    private let socket: any ClientSocket

    init(_ socket: any ClientSocket) { self.socket = socket }

    var channel: IncomingChannel { .persistent }

    func send(_ envelope: [UInt8]) async -> Bool {
        if socket.offer(envelope) { return true }
        do {
            try await socket.send(envelope)
            return true
        } catch {
            return false
        }
    }

    func handOver(_ envelope: [UInt8]) async -> Bool {
        do {
            try await socket.handOver(envelope)
            return true
        } catch {
            return false
        }
    }

    func close(_ code: WebSocketCloseCode, _ reason: String) { socket.close(code, reason) }
}

extension WebSocketCloseCode {
    /// Close code: the client has opened a newer connection and should not reopen this one.
    static let replaced = WebSocketCloseCode(rawValue: 4001)
    /// Close code: the account of the client is closed.
    static let accountClosed = WebSocketCloseCode(rawValue: 4002)
}
