import Aries
import CryptoSuite
import DIDComm
import Determinism
import WebAddressing
import WebTransport

/// Measures a cloud agent.
struct CloudAgentBench {
    /// The parts of the measurement.
    enum Part: String, CaseIterable, Sendable {
        case forwards = "forward.accept"
        case live = "deliver.live"
        case sockets = "idle.socket"
        case liveClients = "idle.live"
        case returning = "client.return"
        case restart = "rolling.restart"
        case queues = "queue.cost"
    }

    /// The requested measurements.
    struct Plan {
        let program: String
        let folder: String
        var postgres: String?
        var acapy: String?
        var seconds = 4.0
        var sockets = 5000
        /// The numbers of live clients whose memory is measured, the least first.
        var live = [500]
        /// The number of live clients that return after the agent was killed.
        var returning = 1000
        var queued = 1_000_000
        var certificate: (chain: String, key: String)?
        var parts = Part.allCases

        init(program: String, folder: String) { (self.program, self.folder) = (program, folder) }
    }

    /// The numbers of connections over which forwards are posted.
    static let ladder = [1, 4, 16, 64, 256]
    static let accounts = 20
    /// The bytes of a message before it is wrapped.
    static let messageBytes = 1024

    let plan: Plan

    init(_ plan: Plan) { self.plan = plan }

    /// Measures everything that the plan names, and writes each line when it is known.
    @concurrent
    func run(report: @Sendable (CloudAgentFigures) -> Void) async throws {
        var limits = OutgoingConnectionLimits()
        limits.maximumConnections = 20_000
        limits.maximumConnectionsPerAddress = 20_000
        let service = WebService(limits: limits)
        do {
            try await measure(service, report)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
    }

    private func measure(_ service: WebService, _ report: @Sendable (CloudAgentFigures) -> Void) async throws {
        var acapy: Double?
        if let link = plan.acapy, plan.parts.contains(.forwards) {
            guard case .invitation(let invitation) = try InvitationText(parsing: link) else {
                throw BenchClient.refused
            }
            let lines = try await forwards(to: invitation, "acapy", service, acapy: nil)
            lines.forEach(report)
            acapy = lines.last?.perSecond
        }
        for store in ["sqlite", "postgres"] where plan.parts.contains(.forwards) || plan.parts.contains(.live) {
            guard let address = address(of: store) else { continue }
            let agent = try start(address, "mail-\(store)")
            defer { agent.stop() }
            if plan.parts.contains(.forwards) {
                try await forwards(to: agent.invitation, store, service, acapy: acapy).forEach(report)
            }
            if plan.parts.contains(.live) { report(try await live(agent.invitation, store, service)) }
        }
        if plan.parts.contains(.sockets) { try await idle(service, report) }
        if plan.parts.contains(.liveClients) {
            try await LiveClientMemoryBench(bench: self, service: service).measure(report)
        }
        if plan.parts.contains(.returning) {
            report(try await ClientReconnectBench(bench: self, service: service).measure())
        }
        if plan.parts.contains(.restart), let database = plan.postgres {
            let restart = RollingRestartBench(bench: self, service: service, database: database)
            for line in try await restart.measure() { report(line) }
        }
        if plan.parts.contains(.queues) { try await QueueCostBench(bench: self, service: service).measure(report) }
    }

    private func address(of store: String) -> String? {
        store == "postgres" ? plan.postgres : "sqlite:\(plan.folder)/mail.sqlite"
    }

    func start(_ store: String, _ name: String, _ options: [String] = []) throws -> MeasuredProcess {
        try MeasuredProcess(program: plan.program, store: store, folder: "\(plan.folder)/\(name)", options: options)
    }

    // Forwards.

    private func forwards(
        to invitation: Aries.Invitation, _ store: String, _ service: WebService, acapy: Double?
    ) async throws -> [CloudAgentFigures] {
        let boxes = try await BenchAccounts.open(Self.accounts, by: invitation, service)
        let load = try boxes.load(of: 2000)
        var lines: [CloudAgentFigures] = []
        for connections in Self.ladder {
            try Task.checkCancellation()
            let result = try await load.run(connections: connections, seconds: plan.seconds)
            var line = CloudAgentFigures("forward.ladder", store)
            (line.connections, line.perSecond) = (connections, result.perSecond)
            line.take(result)
            lines.append(line)
        }
        guard let best = lines.max(by: { $0.perSecond ?? 0 < $1.perSecond ?? 0 }), let peak = best.perSecond else {
            return lines
        }
        // As many as carried the peak: over fewer, half of it could be more than those can carry.
        let connections = max(64, best.connections ?? 0)
        let result = try await load.run(connections: connections, seconds: plan.seconds, rate: max(1, peak / 2))
        var line = CloudAgentFigures("forward.accept", store)
        (line.connections, line.perSecond, line.offeredPerSecond) = (best.connections, peak, peak / 2)
        line.take(result)
        line.acapyPerSecond = acapy
        line.ratio = acapy.map { peak / $0 }
        return lines + [line]
    }

    // End to end.

    /// The time from a message's due time until a client has opened its delivery.
    private func live(
        _ invitation: Aries.Invitation, _ store: String, _ service: WebService
    ) async throws -> CloudAgentFigures {
        let rate = 200.0
        let boxes = try await BenchAccounts.open(Self.accounts, by: invitation, service)
        let count = Int(rate * plan.seconds)
        let load = try boxes.load(of: count)
        let times = Lock<[Int: (due: ContinuousClock.Instant, arrived: ContinuousClock.Instant?)]>([:])
        let clock = ContinuousClock()
        var sockets: [WebSocketConnection] = []
        for client in boxes.clients { sockets.append(try await client.openLive()) }
        let readers = zip(boxes.clients, sockets).map { client, socket in
            Task {
                for try await message in socket.messages {
                    let mail = try await client.read(message).mail
                    let now = clock.now
                    guard !mail.isEmpty else { continue }
                    for number in mail.compactMap({ BenchAccounts.number(in: $0.envelope) }) {
                        times.withLock { $0[number]?.arrived = now }
                    }
                    try await socket.send(try await client.receipt(mail))
                }
            }
        }
        try await Task.sleep(for: .milliseconds(500))
        _ = try await load.run(connections: 16, seconds: plan.seconds, rate: rate) { number in
            times.withLock { $0[number] = (clock.now, nil) }
        }
        for _ in 0..<100 where times.withLock({ $0.values.contains { $0.arrived == nil } }) {
            try await Task.sleep(for: .milliseconds(50))
        }
        for socket in sockets { socket.close() }
        for reader in readers { _ = try? await reader.value }
        var result = ForwardLoadGenerator.Result()
        result.seconds = times.withLock { times in
            times.values.compactMap { entry in entry.arrived.map { ($0 - entry.due).inSeconds } }.sorted()
        }
        var line = CloudAgentFigures("deliver.live", store)
        line.sockets = sockets.count
        (line.perSecond, line.offeredPerSecond) = (Double(result.seconds.count) / plan.seconds, rate)
        line.take(result)
        return line
    }

    // Idle sockets.

    private func idle(_ service: WebService, _ report: @Sendable (CloudAgentFigures) -> Void) async throws {
        let plain = try start("sqlite:\(plan.folder)/idle.sqlite", "idle")
        let endpoint = try BenchClient.Endpoint(plain.invitation.address())
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { LoopbackSocket.end(descriptor) } }
        report(
            try await held(plain, "idle.socket", count: plan.sockets, isTLS: false) {
                descriptors.append(try LoopbackSocket.openWebSocket(at: endpoint))
            })
        plain.stop()
        if plan.certificate != nil { report(try await idleTLS(service)) }
    }

    private func idleTLS(_ service: WebService) async throws -> CloudAgentFigures {
        guard let certificate = plan.certificate else { throw BenchClient.refused }
        let agent = try start("sqlite:\(plan.folder)/tls.sqlite", "tls", certificateOptions)
        defer { agent.stop() }
        let endpoint = try BenchClient.Endpoint(agent.invitation.address())
        let target = overTLS(endpoint.target, certificate)
        var sockets: [WebSocketConnection] = []
        return try await held(agent, "idle.socket", count: plan.sockets, isTLS: true) {
            sockets.append(
                try await WebSocketClient(service).connect(
                    to: target, HTTPRequest(.get, try RequestTarget(parsing: endpoint.path))))
        }
    }

    /// The options that have the measured agent serve TLS; none without a certificate.
    var certificateOptions: [String] {
        plan.certificate.map { ["--tls-cert", $0.chain, "--tls-key", $0.key] } ?? []
    }

    /// The same target over TLS, with the certificate itself as root.
    func overTLS(_ target: WebConnectionTarget, _ certificate: (chain: String, key: String)) -> WebConnectionTarget {
        WebConnectionTarget(
            target.address, port: target.port, host: .name("localhost"), security: .tls(.file(certificate.chain)))
    }

    /// Opens `count` sockets, and compares the memory before and after.
    private func held(
        _ agent: MeasuredProcess, _ operation: String, count: Int, isTLS: Bool, open: () async throws -> Void
    ) async throws -> CloudAgentFigures {
        let before = agent.residentBytes
        for _ in 0..<count { try await open() }
        try await Task.sleep(for: .seconds(1))
        var line = CloudAgentFigures(operation, "sqlite")
        (line.sockets, line.isTLS, line.residentBytes) = (count, isTLS, agent.residentBytes)
        if let before, let after = line.residentBytes { line.bytesEach = (after - before) / count }
        return line
    }
}

extension Aries.Invitation {
    /// The endpoint of its first service.
    func address() throws -> ServiceEndpoint {
        guard case .resolved(let document)? = try services.first?.resolution.progress() else {
            throw BenchClient.refused
        }
        return try document.service().endpoint
    }
}
