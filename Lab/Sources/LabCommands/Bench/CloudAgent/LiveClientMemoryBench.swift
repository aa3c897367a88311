import Aries
import WebTransport

/// The memory that live clients cost a cloud agent: its resident memory less that at the start, by client.
///
/// The accounts are opened first. Then the clients connect, each by a WebSocket with live delivery, in steps on one
/// agent. The start is when the first `warmUp` of them are there: code, caches and the allocator's working space, which
/// the first ones bring into memory and the others use again, are no cost of a client.
struct LiveClientMemoryBench {
    /// The number of clients that open an account or connect at a time.
    private static let width = 16

    let bench: CloudAgentBench
    let service: WebService

    /// True when there are enough clients for their load to leave memory that the agent returns.
    private var isLarge: Bool { (bench.plan.live.last ?? 0) >= 1000 }

    /// The clients that are there when the memory at the start is read; they are not counted.
    private var warmUp: Int { isLarge ? 600 : 20 }

    /// The wait before the memory is read: the agent looks every 15 seconds whether a load has left 4 MiB unused, and
    /// returns them.
    private var pause: Duration { isLarge ? .seconds(35) : .seconds(2) }

    /// A line for each step, plain and, with a certificate, over TLS; the accounts are the same ones.
    func measure(_ report: @Sendable (CloudAgentFigures) -> Void) async throws {
        let agent = try bench.start(store, "live", [])
        let accounts = try await BenchAccounts.open(
            warmUp + (bench.plan.live.last ?? 0), by: agent.invitation, service, width: Self.width)
        agent.stop()
        try await measure(accounts.clients, isTLS: false, report)
        if bench.plan.certificate != nil { try await measure(accounts.clients, isTLS: true, report) }
    }

    private var store: String { "sqlite:\(bench.plan.folder)/live.sqlite" }

    private func measure(
        _ accounts: [BenchClient], isTLS: Bool, _ report: @Sendable (CloudAgentFigures) -> Void
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
        held += try await BenchClient.openLive(clients[..<warmUp], width: Self.width)
        try await Task.sleep(for: pause)
        let before = agent.residentBytes
        for count in bench.plan.live {
            held += try await BenchClient.openLive(clients[held.count..<(warmUp + count)], width: Self.width)
            try await Task.sleep(for: pause)
            var line = CloudAgentFigures("idle.live", "sqlite")
            (line.sockets, line.isTLS, line.residentBytes) = (count, isTLS, agent.residentBytes)
            if let before, let after = line.residentBytes { line.bytesEach = (after - before) / count }
            report(line)
        }
    }
}
