import Aries
import WebTransport

/// The memory that live clients cost a cloud agent: its resident memory less that at the start, by client.
///
/// The accounts are opened first. Then the clients connect, each by a WebSocket with live delivery, in steps on one
/// agent. The start is when the first `warmUp` of them are there: code and buffers that the first ones bring into
/// memory are no cost of a client.
struct LiveClientMemory {
    /// The clients that are there when the memory at the start is read; they are not counted.
    private static let warmUp = 20
    /// How many clients open an account or connect at a time.
    private static let width = 16

    /// The wait before the memory of `count` clients is read.
    ///
    /// The agent looks every 15 seconds whether a load has left 8 MiB unused, and returns them. Fewer than a thousand
    /// clients leave less.
    private static func pause(after count: Int) -> Duration { count < 1000 ? .seconds(2) : .seconds(35) }

    let bench: CloudAgentBench
    let service: WebService

    /// A line for each step, plain and, with a certificate, over TLS; the accounts are the same ones.
    func measure(_ report: @Sendable (CloudAgentBenchLine) -> Void) async throws {
        let agent = try bench.start(store, "live", [])
        let accounts = try await BenchAccounts.open(
            Self.warmUp + (bench.plan.live.last ?? 0), by: agent.invitation, service, width: Self.width)
        agent.stop()
        try await measure(accounts.clients, isTLS: false, report)
        if bench.plan.certificate != nil { try await measure(accounts.clients, isTLS: true, report) }
    }

    private var store: String { "sqlite:\(bench.plan.folder)/live.sqlite" }

    private func measure(
        _ accounts: [BenchClient], isTLS: Bool, _ report: @Sendable (CloudAgentBenchLine) -> Void
    ) async throws {
        // A new process, so that its memory at the start is not what opening the accounts left.
        let agent = try bench.start(store, "live", isTLS ? bench.certificateOptions : [])
        defer { agent.stop() }
        var endpoint = try BenchClient.Endpoint(agent.invitation.address())
        if isTLS, let certificate = bench.plan.certificate {
            endpoint = .init(bench.overTLS(endpoint.target, certificate), path: endpoint.path)
        }
        let clients = accounts.map { $0.moved(to: endpoint) }
        var held: [WebSocketConnection] = []
        defer { for socket in held { socket.close() } }
        held += try await Self.openLive(clients[..<Self.warmUp])
        try await Task.sleep(for: .seconds(2))
        let before = agent.residentBytes
        for count in bench.plan.live {
            held += try await Self.openLive(clients[held.count..<(Self.warmUp + count)])
            try await Task.sleep(for: Self.pause(after: count))
            var line = CloudAgentBenchLine("idle.live", "sqlite")
            (line.sockets, line.isTLS, line.residentBytes) = (count, isTLS, agent.residentBytes)
            if let before, let after = line.residentBytes { line.bytesEach = (after - before) / count }
            report(line)
        }
    }

    private static func openLive(_ clients: ArraySlice<BenchClient>) async throws -> [WebSocketConnection] {
        try await withThrowingTaskGroup(of: WebSocketConnection.self) { group in
            var held: [WebSocketConnection] = []
            for (number, client) in clients.enumerated() {
                if number >= width, let socket = try await group.next() { held.append(socket) }
                group.addTask { try await client.openLive() }
            }
            for try await socket in group { held.append(socket) }
            return held
        }
    }
}
