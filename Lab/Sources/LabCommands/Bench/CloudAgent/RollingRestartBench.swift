import Aries
import DIDComm
import Determinism
import WebTransport

/// The service of three cloud agents on one database while each of them is restarted in turn, under load.
///
/// Senders post forwards to the instances in turn, and go on to the next instance where one does not answer or answers
/// with 503, as a proxy in front does. Each account has a live client, which connects to the next instance when its
/// WebSocket ends. Counted are the times from when a forward was due until an instance had accepted it, and until its
/// client had it; and the accepted messages that no client got.
struct RollingRestartBench {
    private static let instances = 3
    private static let senders = 16
    private static let rate = 200.0
    /// The time for which the load goes on before the first restart, between restarts, and after the last.
    private static let pause = Duration.seconds(4)
    /// The time for which a sender tries to have one message accepted.
    private static let patience = Duration.seconds(30)

    let bench: CloudAgentBench
    let service: WebService
    let database: String

    /// The addresses of the instances.
    private final class Instances: Sendable {
        private let endpoints: Lock<[BenchClient.Endpoint]>

        init(_ endpoints: [BenchClient.Endpoint]) { self.endpoints = Lock(endpoints) }

        subscript(index: Int) -> BenchClient.Endpoint { endpoints.withLock { $0[index % $0.count] } }

        func replace(_ index: Int, by endpoint: BenchClient.Endpoint) { endpoints.withLock { $0[index] = endpoint } }
    }

    /// The progress of the load.
    private struct LoadProgress {
        var isStopped = false
        var due: [Int: ContinuousClock.Instant] = [:]
        /// The seconds until each message was accepted, and until its client had it.
        var accepted: [Int: Double] = [:]
        var delivered: [Int: Double] = [:]
    }

    /// The lines of acceptance and of delivery.
    func measure() async throws -> [CloudAgentFigures] {
        var agents: [MeasuredProcess] = []
        for _ in 0..<Self.instances { agents.append(try start()) }
        defer { for agent in agents { agent.stop() } }
        let instances = Instances(try agents.map { try BenchClient.Endpoint($0.invitation.address()) })
        let boxes = try await BenchAccounts.open(CloudAgentBench.accounts, by: agents[0].invitation, service)
        let envelopes = try boxes.envelopes(of: 4000)
        let progress = Lock(LoadProgress())
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, client) in boxes.clients.enumerated() {
                group.addTask { try await receive(client, from: number, instances, progress) }
            }
            for sender in 0..<Self.senders {
                group.addTask { try await send(envelopes, from: sender, since: start, instances, progress) }
            }
            for number in 0..<Self.instances {
                try await Task.sleep(for: Self.pause)
                try await agents[number].interruptAndWait()
                agents[number] = try self.start()
                instances.replace(number, by: try BenchClient.Endpoint(agents[number].invitation.address()))
            }
            try await Task.sleep(for: Self.pause)
            progress.withLock { $0.isStopped = true }
            let seconds = (ContinuousClock.now - start).inSeconds
            try await Task.sleep(for: .seconds(2))
            group.cancelAll()
            while await group.nextResult() != nil {}
            try await fetchRest(boxes.clients, instances[0], progress)
            return lines(progress.withLock { $0 }, seconds)
        }
    }

    /// Starts an instance; all have one folder, of which a store in PostgreSQL uses the secret alone.
    private func start() throws -> MeasuredProcess { try bench.start(database, "mail-postgres") }

    private func lines(_ progress: LoadProgress, _ seconds: Double) -> [CloudAgentFigures] {
        [("restart.accept", progress.accepted), ("restart.deliver", progress.delivered)].map { name, times in
            var result = ForwardLoadGenerator.Result()
            result.seconds = times.values.sorted()
            var line = CloudAgentFigures(name, "postgres")
            (line.connections, line.sockets) = (Self.senders, CloudAgentBench.accounts)
            (line.perSecond, line.offeredPerSecond) = (Double(times.count) / seconds, Self.rate)
            line.take(result)
            line.longestSeconds = result.seconds.last
            line.lost = progress.accepted.keys.count { progress.delivered[$0] == nil }
            return line
        }
    }

    /// Posts every message of one sender when it is due, until it is accepted.
    private func send(
        _ envelopes: [[UInt8]], from sender: Int, since start: ContinuousClock.Instant, _ instances: Instances,
        _ progress: Lock<LoadProgress>
    ) async throws {
        for number in stride(from: sender, to: envelopes.count, by: Self.senders) {
            let due = start + .seconds(Double(number) / Self.rate)
            try await Task.sleep(until: due)
            guard !progress.withLock({ $0.isStopped }) else { return }
            progress.withLock { $0.due[number] = due }
            var instance = number
            while ContinuousClock.now - due < Self.patience {
                let response = try? await BenchClient.post(envelopes[number], to: instances[instance], service)
                if let response, (200...204).contains(response.status) {
                    let time = (ContinuousClock.now - due).inSeconds
                    progress.withLock { $0.accepted[number] = time }
                    break
                }
                instance += 1
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Holds a live client at one instance after the other.
    private func receive(
        _ client: BenchClient, from first: Int, _ instances: Instances, _ progress: Lock<LoadProgress>
    ) async throws {
        var instance = first
        while !Task.isCancelled {
            do {
                let client = client.moved(to: instances[instance])
                let socket = try await client.openSocket()
                defer { socket.close() }
                try await socket.send(try await client.liveRequest())
                try await socket.send(try await client.deliveryRequest(100))
                for try await message in socket.messages {
                    let mail = try await client.read(message).mail
                    guard !mail.isEmpty else { continue }
                    note(mail, progress)
                    try await socket.send(try await client.receipt(mail))
                }
            } catch is CancellationError {
                return
            } catch {
                // The instance is being restarted.
            }
            instance += 1
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func note(_ mail: [BenchClient.DeliveredMessage], _ progress: Lock<LoadProgress>) {
        let now = ContinuousClock.now
        progress.withLock { progress in
            for number in mail.compactMap({ BenchAccounts.number(in: $0.envelope) })
            where progress.delivered[number] == nil {
                progress.delivered[number] = progress.due[number].map { (now - $0).inSeconds } ?? 0
            }
        }
    }

    /// Fetches the messages that still wait, so that those missing then are lost.
    private func fetchRest(
        _ clients: [BenchClient], _ endpoint: BenchClient.Endpoint, _ progress: Lock<LoadProgress>
    ) async throws {
        for client in clients.map({ $0.moved(to: endpoint) }) {
            while case let mail = try await client.deliver(100), !mail.isEmpty {
                note(mail, progress)
                try await client.acknowledge(mail)
            }
        }
    }
}
