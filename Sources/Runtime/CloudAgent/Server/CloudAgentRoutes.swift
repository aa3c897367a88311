import DIDComm
import Determinism
import WebTransport

/// What is answered to whom.
enum CloudAgentRoutes {
    /// - Parameter office: nil before the agent is ready.
    static func router(_ office: @escaping @Sendable () -> AgentOffice?) -> Router {
        var router = Router()
        router.on(.post, "/*") { request in
            guard let office = office() else { return later }
            return await post(request, office)
        }
        router.on(.get, "/*") { _ in
            HTTPResponse(200, text: "This is a cloud agent. Open this link with a wallet, not with a browser.\n")
        }
        router.webSocket("/*", origins: .any, limits: CloudAgentConfiguration.socketLimits) { connection in
            guard let office = office() else { return connection.close(.tryAgainLater, reason: "Not ready yet.") }
            await serve(connection, office)
        }
        return router
    }

    private static var later: HTTPResponse {
        var response = HTTPResponse(503, text: "Try again later.\n")
        response.headers["Retry-After"] = "5"
        return response
    }

    private static func post(_ request: HTTPRequest, _ office: AgentOffice) async -> HTTPResponse {
        guard office.admits(request.peer) else {
            var response = HTTPResponse(429, text: "Come more slowly.\n")
            response.headers["Retry-After"] = "1"
            return response
        }
        let carrier = RequestCarrier()
        let line = ClientLine(carrier, office)
        let verdict = await EnvelopeDesk(office: office).take(request.body, on: line)
        switch verdict {
        case .later: return later
        case .refused: return HTTPResponse(400, text: "This is no message for this agent.\n")
        case .taken:
            guard let answer = carrier.answer else { return HTTPResponse(202) }
            return HTTPResponse(200, EnvelopeMediaType.envelope.rawValue, answer)
        }
    }

    private static func serve(_ connection: WebSocketConnection, _ office: AgentOffice) async {
        let line = ClientLine(SocketCarrier(connection), office)
        let desk = EnvelopeDesk(office: office)
        office.tally.add(1, to: \.sockets)
        do {
            for try await message in connection.messages {
                let bytes: [UInt8] =
                    switch message {
                    case .text(let text): Array(text.utf8)
                    case .binary(let bytes): bytes
                    }
                // Whoever is too fast on a WebSocket is read more slowly.
                while !office.admits(connection.request.peer) {
                    try await office.timekeeper.wait(until: office.timekeeper.now() + .milliseconds(100))
                }
                // A WebSocket has no answer that says so, but its end.
                guard await desk.take(bytes, on: line) != .later else {
                    connection.close(.tryAgainLater, reason: "A message could not be kept; bring it again.")
                    break
                }
            }
        } catch {
            // It was lost; what was not acknowledged stays in the queue.
        }
        await line.end()
        office.tally.add(-1, to: \.sockets)
    }
}
