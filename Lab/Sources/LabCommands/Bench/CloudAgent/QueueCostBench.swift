import Aries
import CloudAgent
import CommandProgram
import CryptoSuite
import DIDComm
import Determinism
import Terminal
import Vault
import WebTransport

/// Measures the cost of a message, with short and with long queues.
struct QueueCostBench {
    private static let shorter = 1000
    /// The number of transactions of the store that are requested at a time while it is filled.
    private static let width = 512

    let bench: CloudAgentBench
    let service: WebService

    func measure(_ report: @Sendable (CloudAgentFigures) -> Void) async throws {
        let store = "sqlite:\(bench.plan.folder)/queue.sqlite"
        var agent = try bench.start(store, "queue")
        let boxes = try await BenchAccounts.open(CloudAgentBench.accounts, by: agent.invitation, service)
        var first: CloudAgentFigures?
        var filled = 0
        for depth in [Self.shorter, bench.plan.queued] {
            agent.stop()
            try await fill(boxes.addresses, store, from: filled, to: depth)
            filled = depth
            agent = try bench.start(store, "queue")
            var line = try await cost(agent, boxes)
            line.queued = depth
            if let first, let now = line.processorMicroseconds, let before = first.processorMicroseconds {
                line.ratio = now / before
            }
            first = first ?? line
            report(line)
        }
        agent.stop()
    }

    /// Puts messages into the store while no agent has it, equally for all accounts.
    private func fill(_ addresses: [BenchAccounts.RecipientKey], _ store: String, from: Int, to: Int) async throws {
        var limits = StoreLimits()
        limits.account.hard = .init(count: 10_000_000, bytes: 1 << 40)
        limits.account.soft = limits.account.hard
        limits.key = limits.account
        let opened = try await StoreAddress(parsing: store).open(limits: limits)
        let secret = try MediatorSecret(try VaultKeyFile.read("\(bench.plan.folder)/queue/agent.secret"))
        let hashes = addresses.map { (secret.hash($0.routing), secret.hash($0.recipient)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<Self.width {
                group.addTask {
                    for number in stride(from: from + worker, to: to, by: Self.width) {
                        let (routing, recipient) = hashes[number % hashes.count]
                        let mail = NewMail(
                            routing: routing, recipient: recipient, arrival: WallClock.now(), tag: UInt32(number),
                            envelope: BenchAccounts.message(number))
                        guard try await opened.accept(mail) == .stored else { throw BenchClient.refused }
                    }
                }
            }
            try await group.waitForAll()
        }
        await opened.close()
    }

    /// Posts, delivers and acknowledges messages at the same rate, with no other work.
    private func cost(_ agent: MeasuredProcess, _ boxes: BenchAccounts) async throws -> CloudAgentFigures {
        let clients = try boxes.clients.map { try $0.moved(to: agent) }
        let load = try BenchAccounts(clients: clients, addresses: boxes.addresses).load(of: 1000)
        // A first round warms both up.
        _ = try await load.run(connections: 16, seconds: 0.5)
        try await fetch(clients, 200)
        let before = agent.processorSeconds
        let result = try await load.run(connections: 16, seconds: bench.plan.seconds)
        try await fetch(clients, result.accepted)
        var line = CloudAgentFigures("queue.cost", "sqlite")
        line.perSecond = result.perSecond
        line.take(result)
        if let before, let after = agent.processorSeconds, result.accepted > 0 {
            line.processorMicroseconds = (after - before) / Double(result.accepted) * 1e6
        }
        return line
    }

    private func fetch(_ clients: [BenchClient], _ count: Int) async throws {
        var rest = count
        while rest > 0 {
            for client in clients where rest > 0 {
                let mail = try await client.deliver(min(50, rest))
                try await client.acknowledge(mail)
                guard !mail.isEmpty else { throw BenchClient.refused }
                rest -= mail.count
            }
        }
    }
}
