import Aries
import WebTransport

/// The memory that live clients cost a cloud agent: its resident memory less that at the start, by client.
///
/// The accounts are opened first. Then the clients connect, each by a WebSocket with live delivery, in steps on one
/// agent.
struct LiveClientMemory {
    let bench: CloudAgentBench
    let service: WebService

    /// A line for each step, plain and, with a certificate, over TLS.
    func measure() async throws -> [CloudAgentBenchLine] {
        let lines = try await measure(isTLS: false)
        return bench.plan.certificate == nil ? lines : lines + (try await measure(isTLS: true))
    }

    private func measure(isTLS: Bool) async throws -> [CloudAgentBenchLine] {
        let name = isTLS ? "live-tls" : "live"
        let agent = try bench.start("sqlite:\(bench.plan.folder)/\(name).sqlite", name, [])
        let boxes = try await BenchAccounts.open(bench.plan.live.last ?? 0, by: agent.invitation, service)
        agent.stop()
        // A new process, so that its memory at the start is not what opening the accounts left.
        let measured = try bench.start(
            "sqlite:\(bench.plan.folder)/\(name).sqlite", name, isTLS ? bench.certificateOptions : [])
        defer { measured.stop() }
        var endpoint = try BenchClient.Endpoint(measured.invitation.address())
        if isTLS, let certificate = bench.plan.certificate {
            endpoint = .init(bench.overTLS(endpoint.target, certificate), path: endpoint.path)
        }
        let clients = boxes.clients.map { $0.moved(to: endpoint) }
        let before = measured.residentBytes
        var held: [WebSocketConnection] = []
        var lines: [CloudAgentBenchLine] = []
        for count in bench.plan.live {
            while held.count < count { held.append(try await clients[held.count].openLive()) }
            try await Task.sleep(for: .seconds(2))
            var line = CloudAgentBenchLine("idle.live", "sqlite")
            (line.sockets, line.isTLS, line.residentBytes) = (count, isTLS, measured.residentBytes)
            if let before, let after = line.residentBytes { line.bytesEach = (after - before) / count }
            lines.append(line)
        }
        for socket in held { socket.close() }
        return lines
    }
}
