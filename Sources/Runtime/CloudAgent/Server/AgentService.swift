package import Aries
package import AriesRuntime
import DIDComm
package import Determinism
package import WebTransport

/// All of a running cloud agent but its listener: what is answered to envelopes, who is told of mail, and the upkeep.
package final class AgentService: Sendable {
    let office: AgentOffice
    private let upkeep = Lock<[Task<Void, Never>]>([])

    /// Makes a service; nothing happens by itself before `begin`.
    ///
    /// - Throws: `aries.*` for a name or an address that no invitation holds.
    package init(
        _ configuration: CloudAgentConfiguration, store: any AgentStore, secret: AgentSecret, endpoints: AgentEndpoints,
        wire: any MessageTransport, post: WebPost? = nil, timekeeper: any Timekeeper,
        wallTime: @escaping @Sendable () -> WallTime
    ) throws {
        office = try AgentOffice(
            configuration, store, secret, endpoints, wire: wire, post: post, timekeeper: timekeeper, wallTime: wallTime)
    }

    /// Begins to tell of mail, and to look after the store.
    ///
    /// - Throws: what the store throws.
    package func begin() async throws(CloudAgentError) {
        let office = office
        try await office.neighbours?.begin()
        office.store.listen { [weak office] news in office?.hear(news) }
        office.hear(.anyMail)
        upkeep.withLock { tasks in
            tasks = [Task { await Upkeep(office: office).run() }, Task { await office.neighbours?.run() }]
        }
    }

    /// Ends what goes on by itself; what came is still answered.
    package func end() async {
        for task in upkeep.withLock({ $0 }) { task.cancel() }
        await office.delivery?.end()
        await office.wakes?.end()
    }

    /// Ends everything, and is not counted on by other instances any more.
    package func leave() async { await office.end() }

    /// The invitation that opens an account, by out-of-band 1.1.
    package var invitation: Invitation? { office.invitations.current.invitation }

    /// What has happened since it began.
    package var counts: AgentCounts {
        var counts = office.tally.counts
        counts.live = office.live.count
        return counts
    }

    /// Answers an envelope that came by HTTP.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard office.admits(request.peer) else {
            var response = HTTPResponse(429, text: "Come more slowly.\n")
            response.headers["Retry-After"] = "1"
            return response
        }
        let carrier = RequestCarrier()
        let line = ClientLine(carrier, from: request.peer, office)
        let verdict = await EnvelopeDesk(office: office).take(request.body, on: line)
        switch verdict {
        case .later: return Self.later
        case .refused: return HTTPResponse(400, text: "This is no message for this agent.\n")
        case .taken:
            guard let answer = carrier.answer else { return HTTPResponse(202) }
            return HTTPResponse(200, EnvelopeMediaType.envelope.rawValue, answer)
        }
    }

    /// The answer to what may be brought again.
    static var later: HTTPResponse {
        var response = HTTPResponse(503, text: "Try again later.\n")
        response.headers["Retry-After"] = "5"
        return response
    }

    /// Serves a line until it ends.
    package func serve(_ socket: any ClientSocket) async {
        let line = ClientLine(SocketCarrier(socket), from: socket.peer, office)
        let desk = EnvelopeDesk(office: office)
        office.tally.add(1, to: \.sockets)
        do {
            while let envelope = try await socket.next() {
                // Whoever is too fast on a line is read more slowly.
                while !office.admits(socket.peer) {
                    try await office.timekeeper.wait(until: office.timekeeper.now() + .milliseconds(100))
                }
                // A line has no answer that says so, but its end.
                guard await desk.take(envelope, on: line) != .later else {
                    socket.close(.tryAgainLater, "A message could not be kept; bring it again.")
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
