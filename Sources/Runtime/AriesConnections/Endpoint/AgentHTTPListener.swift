import DIDComm
import Determinism
public import WebTransport

/// The listener of an agent: HTTP and WebSocket on one port, any path.
///
/// Start it first, make the agent with its address, then let the agent serve. The answer to a post is 202, however the
/// envelope is processed; the answer itself when the sender asked for answers on the same connection; and 503 when it
/// could not be taken and should be sent again. A GET below `/i/` answers with an open invitation of the agent.
public final class AgentHTTPListener: Sendable {
    private let server: HTTPServer
    private let agent: Lock<Agent?>

    /// Makes an endpoint; nothing listens before `start`.
    ///
    /// - Parameter answerWait: how long a request is kept open for an answer that its sender asked for, where something
    ///   is on its way to it or an application may answer; a text alone is confirmed at once.
    public init(_ configuration: ServerConfiguration = ServerConfiguration(), answerWait: Duration = .seconds(5)) {
        let agent = Lock<Agent?>(nil)
        self.agent = agent
        var router = HTTPRouter()
        let take: HTTPRouter.Handler = { request in
            await Self.answer(request, agent.withLock { $0 }, wait: answerWait)
        }
        router.on(.post, "/*", take)
        router.on(.get, "/*") { request in await ShortInvitationLinks.response(to: request, agent.withLock { $0 }) }
        router.webSocket("/*") { connection in
            guard let agent = agent.withLock({ $0 }) else { return connection.close(.tryAgainLater) }
            await Self.listen(connection, agent)
        }
        server = HTTPServer(configuration, router: router)
    }

    /// Begins to listen; once.
    ///
    /// - Returns: where, with the real port.
    /// - Throws: as `HTTPServer.start`.
    public func start() async throws -> SocketAddress { try await server.start() }

    /// Gives every envelope to `agent` from now on.
    public func serve(_ agent: Agent) { self.agent.withLock { $0 = agent } }

    /// Stops listening; requests under way may finish.
    public func stop(within duration: Duration = .seconds(5)) async {
        agent.withLock { $0 = nil }
        await server.stop(within: duration)
    }

    private static func answer(_ request: HTTPRequest, _ agent: Agent?, wait: Duration) async -> HTTPResponse {
        let path = HTTPReturnRoute()
        do {
            guard let agent else { throw AgentError(.stopped, "No agent serves here yet.") }
            let isAwaited = try await agent.receive(request.body, path: path)
            // Nothing that the route has taken may be lost, so it closes before the request ends without an answer.
            let answer = isAwaited ? await path.value(within: wait) : path.close()
            guard let envelope = answer else { return HTTPResponse(202) }
            return HTTPResponse(200, EnvelopeMediaType.envelope.rawValue, envelope)
        } catch {
            path.close()
            return HTTPResponse(503, text: "Try again later.\n")
        }
    }

    private static func listen(_ connection: WebSocketConnection, _ agent: Agent) async {
        let path = WebSocketReturnRoute(connection)
        do {
            for try await message in connection.messages { try await agent.receive(message.bytes, path: path) }
        } catch {
            connection.close(.tryAgainLater)
        }
    }
}

/// The reply channel of one HTTP request: one answer.
final class HTTPReturnRoute: ReturnRoute {
    private enum HTTPReplyState {
        case open
        case awaited(CheckedContinuation<[UInt8]?, Never>)
        case given([UInt8])
        case closed
    }

    private let state = Lock(HTTPReplyState.open)

    func offer(_ envelope: [UInt8]) -> Bool {
        let (isTaken, waiter): (Bool, CheckedContinuation<[UInt8]?, Never>?) = state.withLock { state in
            switch state {
            case .open:
                state = .given(envelope)
                return (true, nil)
            case .awaited(let waiter):
                state = .closed
                return (true, waiter)
            case .given, .closed: return (false, nil)
            }
        }
        waiter?.resume(returning: envelope)
        return isTaken
    }

    /// Waits for the answer to the request; nil after `duration`, and no answer is taken from then on.
    func value(within duration: Duration) async -> [UInt8]? {
        let timer = Task {
            try? await Task.sleep(for: duration)
            expire()
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { attach($0) }
    }

    private func attach(_ waiter: CheckedContinuation<[UInt8]?, Never>) {
        let early: [UInt8]?? = state.withLock { state in
            switch state {
            case .open:
                state = .awaited(waiter)
                return nil
            case .given(let envelope):
                state = .closed
                return .some(envelope)
            case .awaited, .closed: return .some(nil)
            }
        }
        if let early { waiter.resume(returning: early) }
    }

    /// Ends the wait for an answer that has not come.
    private func expire() {
        let waiter: CheckedContinuation<[UInt8]?, Never>? = state.withLock { state in
            if case .given = state { return nil }
            defer { state = .closed }
            if case .awaited(let waiter) = state { return waiter }
            return nil
        }
        waiter?.resume(returning: nil)
    }

    /// Closes the reply channel; returns an answer that was taken but not sent yet, nil without one.
    @discardableResult
    func close() -> [UInt8]? {
        state.withLock { state in
            defer { state = .closed }
            if case .given(let envelope) = state { return envelope }
            return nil
        }
    }
}

/// The reply channel of a WebSocket, as long as it is open.
private final class WebSocketReturnRoute: ReturnRoute {
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) { self.connection = connection }

    func offer(_ envelope: [UInt8]) -> Bool { connection.offer(.text(envelope)) }
}
