import Aries
import Determinism
import WebTransport

/// The time in which live clients are back and have their mail after their cloud agent was killed.
///
/// Each client is live and has a message that it did not acknowledge. The agent ends by SIGKILL and is started anew on
/// its store; the clients connect again, ask for live delivery and for what waits, and acknowledge it. The time counts
/// from the signal until each client has its message.
struct ClientReturn {
    /// How many clients connect at a time.
    private static let connectingAtOnce = 64

    let bench: CloudAgentBench
    let service: WebService

    /// Measures it; `quantiles` are the times of the clients, and the rate is that of their return.
    func measure() async throws -> CloudAgentBenchLine {
        let store = "sqlite:\(bench.plan.folder)/return.sqlite"
        var agent = try bench.start(store, "return")
        defer { agent.stop() }
        let boxes = try await BenchAccounts.open(bench.plan.returning, by: agent.invitation, service, width: 16)
        let load = try boxes.load(of: boxes.clients.count)
        let sockets = try await BenchClient.openLive(boxes.clients[...], width: Self.connectingAtOnce)
        // Somewhat longer than needed, so that no client is left out; a few get a second message.
        let rate = 500.0
        _ = try await load.run(connections: 16, seconds: Double(boxes.clients.count + 50) / rate, rate: rate)
        let clock = ContinuousClock()
        let start = clock.now
        agent.kill()
        agent = try bench.start(store, "return")
        let clients = try boxes.clients.map { try $0.moved(to: agent) }
        let times = try await returned(clients, since: start, by: clock)
        for socket in sockets { socket.close() }
        var result = ForwardLoadGenerator.Result()
        result.seconds = times.sorted()
        var line = CloudAgentBenchLine("client.return", "sqlite")
        (line.sockets, line.residentBytes) = (times.count, agent.residentBytes)
        line.perSecond = result.seconds.last.map { Double(times.count) / $0 }
        line.take(result)
        line.longestSeconds = result.seconds.last
        return line
    }

    private func returned(
        _ clients: [BenchClient], since start: ContinuousClock.Instant, by clock: ContinuousClock
    ) async throws -> [Double] {
        let held = Lock<[WebSocketConnection]>([])
        defer { for socket in held.withLock({ $0 }) { socket.close() } }
        return try await withThrowingTaskGroup(of: Double.self) { group in
            var rest = clients[...]
            var times: [Double] = []
            for _ in 0..<Self.connectingAtOnce {
                guard let client = rest.popFirst() else { break }
                group.addTask { try await Self.fetch(client, held, since: start, by: clock) }
            }
            while let time = try await group.next() {
                times.append(time)
                if let client = rest.popFirst() {
                    group.addTask { try await Self.fetch(client, held, since: start, by: clock) }
                }
            }
            return times
        }
    }

    /// Connects, and returns the seconds until the message was there.
    private static func fetch(
        _ client: BenchClient, _ held: Lock<[WebSocketConnection]>, since start: ContinuousClock.Instant,
        by clock: ContinuousClock
    ) async throws -> Double {
        let socket = try await client.openSocket()
        held.withLock { $0.append(socket) }
        try await socket.send(try await client.deliveryRequest(10))
        try await socket.send(try await client.liveRequest())
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
