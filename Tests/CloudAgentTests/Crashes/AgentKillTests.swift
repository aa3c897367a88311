import Aries
import CloudAgent
import DIDComm
import Determinism
import Foundation
import JSON
import Testing
import WebTransport

/// Cloud agents in processes of their own, killed under load.
///
/// `SYMBOLON_AGENT_KILLS` asks for more kills than the few of a usual run.
@Suite(.enabled(if: CloudWorker.program != nil, "skipped: the worker was not built beside the tests"), .serialized)
struct AgentKillTests {
    private static var kills: Int {
        ProcessInfo.processInfo.environment["SYMBOLON_AGENT_KILLS"].flatMap { Int($0) } ?? 5
    }

    /// What senders were told, and what their recipient got.
    private struct Ledger: Sendable {
        var accepted: Set<String> = []
        /// In the order of arrival, each once by its identifier.
        var received: [String] = []
        var seen: Set<String> = []
    }

    /// Sends numbered messages until the agent is dead; counts those that were answered as taken.
    private static func send(
        _ sender: String, through poster: Poster, to key: Verkey, _ routing: Verkey, _ ledger: Lock<Ledger>
    ) async {
        for number in 0..<10_000 {
            let text = "\(sender) \(number)"
            guard let status = try? await poster.forward(text, to: key, through: routing) else { return }
            if status == 202 { ledger.withLock { _ = $0.accepted.insert(text) } }
            // The queue is full; what was refused is not counted.
            if status == 503 { return }
        }
    }

    /// Fetches all that waits, as an application does that takes each identifier once.
    private static func drain(_ client: RawClient, _ ledger: Lock<Ledger>) async throws {
        while true {
            let messages = try await client.deliver()
            guard !messages.isEmpty else { return }
            ledger.withLock { ledger in
                for message in messages where ledger.seen.insert(message.id).inserted {
                    let text = try? JSONValue(parsing: message.envelope)["text"]?.string
                    ledger.received.append(text ?? "?")
                }
            }
            _ = try await client.acknowledge(messages.map(\.id))
        }
    }

    private static func judge(_ ledger: Ledger) {
        #expect(ledger.accepted.subtracting(ledger.received) == [], "what was answered as taken is delivered")
        #expect(Set(ledger.received).count == ledger.received.count, "and comes once")
        var last: [Substring: Int] = [:]
        for text in ledger.received {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let number = Int(parts[1]) else {
                Issue.record("\(text) was never sent")
                continue
            }
            #expect(number > last[parts[0], default: -1], "in its order")
            last[parts[0]] = number
        }
    }

    @Test func `an agent that is killed under load keeps what it answered as taken`() async throws {
        try await TemporaryFolder.with { folder in
            let ledger = Lock(Ledger())
            let service = WebService()
            var random = SeededRandom(seed: UInt64(Self.kills))
            var (port, worker) = (UInt16(0), CloudWorker?.none)
            var client: RawClient?
            var (routing, key) = (freshKey(), freshKey())
            for round in 0...Self.kills {
                let started = try CloudWorker(
                    "sqlite:\(folder)/agent.sqlite", port: port, publicAddress: "http://agent.example",
                    says: "\(folder)/\(round)")
                worker = started
                port = try await started.port()
                if client == nil {
                    let made = try await RawClient.connect(try Self.invitation(), at: port, service: service)
                    routing = try await made.mediate()
                    #expect(try await made.change(key) == "success")
                    client = made
                }
                if let client { try await Self.drain(client, ledger) }
                if round == Self.kills { break }
                let poster = Poster(service: service, port: port)
                let wanted = ledger.withLock { $0.accepted.count } + random.within(1...60)
                await withTaskGroup { group in
                    for sender in ["a", "b", "c"] {
                        let (to, through) = (key, routing)
                        group.addTask { await Self.send("\(round)\(sender)", through: poster, to: to, through, ledger) }
                    }
                    // However slow the machine is, it is killed in the middle of its work.
                    for _ in 0..<6000 where ledger.withLock({ $0.accepted.count }) < wanted {
                        try? await Task.sleep(for: .milliseconds(10))
                    }
                    try? await Task.sleep(for: .milliseconds(random.within(0...10)))
                    started.kill()
                }
            }
            worker?.kill()
            let result = ledger.withLock { $0 }
            Self.judge(result)
            #expect(result.accepted.count >= Self.kills)
            print("agent: \(Self.kills) kills, \(result.accepted.count) messages answered, all there")
            await service.stop()
        }
    }

    /// The invitation of every agent with the secret of tests and this public address.
    private static func invitation() throws -> Invitation {
        try OwnInvitation.current(at: "http://agent.example")
    }
}
