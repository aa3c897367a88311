import Aries
import Determinism
import WebTransport

/// The time in which live clients are back and have their mail after their cloud agent was killed.
///
/// Each client is live and has a message that it did not acknowledge. The agent ends by SIGKILL and is started anew on
/// its store; the clients connect again, ask for live delivery and for what waits, and acknowledge it. The time counts
/// from the signal until each client has its message. What they ask for was packed before, because clients are other
/// machines that work at the same time; opening their message and acknowledging it is part of the time.
struct ClientReconnectBench {
    /// The number of clients that connect at a time.
    private static let connectingAtOnce = 64

    /// A client, and its requests after it connected.
    private struct ReconnectingClient {
        let client: BenchClient
        let requests: [WebSocketMessage]
    }

    let bench: CloudAgentBench
    let service: WebService

    /// Measures it; `quantiles` are the times of the clients, and the rate is that of their return.
    func measure() async throws -> CloudAgentFigures {
        let store = "sqlite:\(bench.plan.folder)/return.sqlite"
        var agent = try bench.start(store, "return")
        defer { agent.stop() }
        let boxes = try await BenchAccounts.open(bench.plan.returning, by: agent.invitation, service, width: 16)
        let load = try boxes.load(of: boxes.clients.count)
        let sockets = try await BenchClient.openLive(boxes.clients[...], width: Self.connectingAtOnce)
        // Somewhat longer than needed, so that no client is left out; a few get a second message.
        let rate = 500.0
        _ = try await load.run(connections: 16, seconds: Double(boxes.clients.count + 50) / rate, rate: rate)
        var returning: [ReconnectingClient] = []
        for client in boxes.clients {
            let requests = [try await client.deliveryRequest(10), try await client.liveRequest()]
            returning.append(ReconnectingClient(client: client, requests: requests))
        }
        let clock = ContinuousClock()
        let start = clock.now
        agent.kill()
        agent = try bench.start(store, "return")
        let times = try await returned(
            returning, to: try BenchClient.Endpoint(agent.invitation.address()), since: start, by: clock)
        for socket in sockets { socket.close() }
        var result = ForwardLoadGenerator.Result()
        result.seconds = times.sorted()
        var line = CloudAgentFigures("client.return", "sqlite")
        (line.sockets, line.residentBytes) = (times.count, agent.residentBytes)
        line.perSecond = result.seconds.last.map { Double(times.count) / $0 }
        line.take(result)
        line.longestSeconds = result.seconds.last
        return line
    }

    private func returned(
        _ returning: [ReconnectingClient], to endpoint: BenchClient.Endpoint, since start: ContinuousClock.Instant,
        by clock: ContinuousClock
    ) async throws -> [Double] {
        let held = Lock<[WebSocketConnection]>([])
        defer { for socket in held.withLock({ $0 }) { socket.close() } }
        return try await withThrowingTaskGroup(of: Double.self) { group in
            var rest = returning[...]
            var times: [Double] = []
            for _ in 0..<Self.connectingAtOnce {
                guard let next = rest.popFirst() else { break }
                group.addTask { try await Self.fetch(next, from: endpoint, held, since: start, by: clock) }
            }
            while let time = try await group.next() {
                times.append(time)
                if let next = rest.popFirst() {
                    group.addTask { try await Self.fetch(next, from: endpoint, held, since: start, by: clock) }
                }
            }
            return times
        }
    }

    /// Connects, and returns the seconds until the message was there.
    private static func fetch(
        _ returning: ReconnectingClient, from endpoint: BenchClient.Endpoint, _ held: Lock<[WebSocketConnection]>,
        since start: ContinuousClock.Instant, by clock: ContinuousClock
    ) async throws -> Double {
        let client = returning.client
        let socket = try await client.openSocket(at: endpoint)
        held.withLock { $0.append(socket) }
        for request in returning.requests { try await socket.send(request) }
        for try await message in socket.messages {
            let mail = try await client.read(message).mail
            guard !mail.isEmpty else { continue }
            let time = (clock.now - start).inSeconds
            try await socket.send(try await client.receipt(mail))
            return time
        }
        throw BenchClient.refused
    }
}
