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
        ProcessInfo.processInfo.environment["SYMBOLON_AGENT_KILLS"].flatMap { Int($0) } ?? 10
    }

    /// The public address of every agent here; they have the secret of tests, so they all invite alike.
    private static let publicAddress = "http://agent.example"

    /// Waits until as many messages were taken, however slow the machine is, and a moment more; then it is over.
    private static func kill(_ worker: CloudWorker, after wanted: Int, _ ledger: Ledger, _ moment: Int) async {
        for _ in 0..<6000 where ledger.acceptedCount < wanted { try? await Task.sleep(for: .milliseconds(10)) }
        try? await Task.sleep(for: .milliseconds(moment))
        worker.kill()
    }

    @Test func `a cloud agent killed under load keeps every message that it answered as accepted`() async throws {
        try await TemporaryFolder.with { folder in
            let ledger = Ledger()
            let service = WebService()
            var random = SeededRandom(seed: UInt64(Self.kills))
            var (port, worker) = (UInt16(0), CloudWorker?.none)
            var client: RawClient?
            var (routing, key) = (freshKey(), freshKey())
            for round in 0...Self.kills {
                let started = try CloudWorker(
                    "sqlite:\(folder)/agent.sqlite", port: port, publicAddress: Self.publicAddress,
                    says: "\(folder)/\(round)")
                worker = started
                port = try await started.port()
                if client == nil {
                    let made = try await RawClient.connect(
                        try OwnInvitation.current(at: Self.publicAddress), at: port, service: service)
                    routing = try await made.mediate()
                    #expect(try await made.change(key) == "success")
                    client = made
                }
                if let client { try await ledger.drain(client) }
                if round == Self.kills { break }
                let poster = Poster(service: service, port: port)
                let wanted = ledger.acceptedCount + random.within(1...60)
                let moment = random.within(0...10)
                await withTaskGroup { group in
                    for sender in ["a", "b", "c"] {
                        let (to, through) = (key, routing)
                        group.addTask { await ledger.send("\(round)\(sender)", through: poster, to: to, through) }
                    }
                    await Self.kill(started, after: wanted, ledger, moment)
                }
            }
            worker?.kill()
            ledger.judge()
            #expect(ledger.acceptedCount >= Self.kills)
            print("agent, SQLite: \(Self.kills) kills, \(ledger.acceptedCount) messages answered, all there once")
            await service.stop()
        }
    }

    #if PostgreSQL
        /// Takes and acknowledges what is sent without a request, until a message says that it is the last.
        private static func receive(
            until last: String, on line: WebSocketConnection, of client: RawClient, _ ledger: Ledger
        ) async throws {
            for try await case .text(let bytes) in line.messages {
                let messages = RawClient.attachments(of: try client.opened(bytes))
                guard !messages.isEmpty else { continue }
                let texts = ledger.take(messages)
                let answer = try client.packed(
                    "messagepickup/2.0/messages-received", ["message_id_list": .strings(messages.map(\.id))])
                try await line.send(.text(answer))
                if texts.contains(last) { return }
            }
            Issue.record("the line of the agent that lives was closed before \(last) came")
        }

        /// Kills an agent, lets the senders end, and says the last word through the agent that lives.
        private static func conduct(
            _ round: Int, kills worker: CloudWorker, after wanted: Int, _ moment: Int, _ ledger: Ledger,
            _ survivor: Poster, to key: Verkey, _ routing: Verkey, _ line: WebSocketConnection
        ) async {
            await kill(worker, after: wanted, ledger, moment)
            try? await Task.sleep(for: .milliseconds(20))
            ledger.isOver = true
            for _ in 0..<6000 where ledger.senders > 0 { try? await Task.sleep(for: .milliseconds(10)) }
            for _ in 0..<600 {
                if await (try? survivor.forward("\(round)last 0", to: key, through: routing)) == 202 {
                    return ledger.accepted("\(round)last 0")
                }
                try? await Task.sleep(for: .milliseconds(100))
            }
            // A message that has not come by now will never come.
            line.close()
        }

        @Test(.enabled(if: PostgresServer.isInstalled, "skipped: PostgreSQL 15 is not installed"))
        func `of two agents on one PostgreSQL one is killed under load, and the other delivers what both accepted`()
            async throws
        {
            try await PostgresServer.with { server in
                try await TemporaryFolder.with { folder in
                    let address = try server.database().address
                    func start(_ name: String, _ port: UInt16 = 0) throws -> CloudWorker {
                        try CloudWorker(
                            address, port: port, publicAddress: Self.publicAddress, says: "\(folder)/\(name)")
                    }
                    let (ledger, service) = (Ledger(), WebService())
                    var random = SeededRandom(seed: UInt64(Self.kills))
                    var workers = [try start("first"), try start("second")]
                    let ports = [try await workers[0].port(), try await workers[1].port()]
                    let posters = ports.map { Poster(service: service, port: $0) }
                    let client = try await RawClient.connect(
                        try OwnInvitation.current(at: Self.publicAddress), at: ports[0], service: service)
                    let (routing, key) = (try await client.mediate(), freshKey())
                    #expect(try await client.change(key) == "success")
                    for round in 0..<Self.kills {
                        let (dies, lives) = (round % 2, 1 - round % 2)
                        let there = client.moved(to: ports[lives])
                        try await ledger.drain(there)
                        let line = try await there.liveSocket()
                        ledger.isOver = false
                        let (victim, wanted) = (workers[dies], ledger.acceptedCount + random.within(1...60))
                        let moment = random.within(0...10)
                        try await withThrowingTaskGroup { group in
                            for (index, sender) in ["a", "b", "c", "d"].enumerated() {
                                let poster = posters[index % 2]
                                group.addTask {
                                    await ledger.send("\(round)\(sender)", through: poster, to: key, routing)
                                }
                            }
                            group.addTask {
                                await Self.conduct(
                                    round, kills: victim, after: wanted, moment, ledger, posters[lives], to: key,
                                    routing, line)
                            }
                            try await Self.receive(until: "\(round)last 0", on: line, of: there, ledger)
                        }
                        line.close()
                        workers[dies] = try start("\(round)", ports[dies])
                        #expect(try await workers[dies].port() == ports[dies])
                    }
                    try await ledger.drain(client)
                    for worker in workers { worker.kill() }
                    ledger.judge()
                    #expect(ledger.acceptedCount >= 2 * Self.kills)
                    print(
                        "agent, PostgreSQL: \(Self.kills) kills of one of two, \(ledger.acceptedCount) messages "
                            + "answered, all there once")
                    await service.stop()
                }
            }
        }
    #endif
}
