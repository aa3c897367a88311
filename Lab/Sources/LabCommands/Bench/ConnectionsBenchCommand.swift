import Aries
import AriesConnections
package import CommandProgram
import ConnectionCommands
import CryptoSuite
import DIDComm
import Determinism
package import Terminal
import Vault

/// `symbolon-lab bench connections`: the times of an agent's look-ups among many connections.
package enum ConnectionsBenchCommand {
    private static let connections = ValueOption(
        "connections", .integer("N", in: 10...1_000_000), "How many connections there are (100000 if not given).")

    package static let declaration = CommandDeclaration(
        "connections", "Measures an agent with many connections: known inviters, pages.",
        discussion: [
            "The connections are real ones, made by both sides' handshakes in memory, so that filling takes a while. Then "
                + "measured is what accepting an invitation does before it begins, and what lists read."
        ],
        examples: [.init("symbolon-lab bench connections --json", "Writes a JSON line for each measurement.")],
        options: [connections.declaration, BenchFolder.option.declaration])

    package static let run: Program.Body = { context in
        let folder = try BenchFolder(context)
        defer { folder.remove() }
        let bench = ConnectionsBench(benchFolder: folder.path, count: context.arguments[connections] ?? 100_000)
        let lines = try await bench.run()
        BenchFigures.show(lines, of: "connections", .init("connections", .integer(bench.count)), context)
    }
}

/// The vault that is measured, and its agent.
private struct ConnectionsBench {
    let benchFolder: String
    let count: Int

    /// No more samples than there are connections, so that a small bench is a short one.
    private var sampleCount: Int { min(Self.mostSamples, count) }

    private static let batch = 500
    private static let mostSamples = 300

    @concurrent
    func run() async throws -> [BenchFigures] {
        var entropy = SystemRandom()
        let key = VaultKey.keyFile(try VaultKeyFile.create(at: "\(benchFolder)/key", random: &entropy))
        let vault = try await Vault.create(at: "\(benchFolder)/vault", key: key)
        do {
            let lines = try await measure(vault)
            await vault.close()
            return lines
        } catch {
            await vault.close()
            throw error
        }
    }

    private func measure(_ vault: Vault) async throws -> [BenchFigures] {
        var (lines, invitations) = try await fill(vault)
        let agent = Agent(
            store: vault, transport: NonSendingTransport(), configuration: AgentConfiguration(label: "Bench"),
            wallTime: { WallTime(millisecondsSinceEpoch: 0) })
        lines.append(try await BenchFigures("start", samples: 1) { _ in try await agent.start() })
        var random = SeededRandom(seed: 2)
        let fresh = try (0..<sampleCount).map { try SampleConnections.invitation(-1 - $0, random: &random).invitation }
        lines.append(
            try await BenchFigures("duplicate-check-stranger", samples: sampleCount) { number in
                guard case .handshake = try await agent.plan(for: fresh[number]) else { throw Self.unexpected }
            })
        lines.append(
            try await BenchFigures("duplicate-check-accepted", samples: invitations.count) { number in
                guard case .acceptedBefore = try await agent.plan(for: invitations[number].same) else {
                    throw Self.unexpected
                }
            })
        lines.append(
            try await BenchFigures("duplicate-check-known-inviter", samples: invitations.count) { number in
                switch try await agent.plan(for: invitations[number].other) {
                case .reuse, .useExisting: break
                case .handshake, .answerAlone, .acceptedBefore: throw Self.unexpected
                }
            })
        lines += try await pages(of: agent)
        await agent.stop()
        return lines
    }

    /// Makes the connections; keeps some invitations, each with another one of the same inviter, for the checks.
    private func fill(_ vault: Vault) async throws -> (
        [BenchFigures], [(same: Aries.Invitation, other: Aries.Invitation)]
    ) {
        var samples = SampleConnections(random: SeededRandom(seed: 1))
        var kept: [(same: Aries.Invitation, other: Aries.Invitation)] = []
        let line = try await BenchFigures("fill", samples: 1) { _ in
            for first in stride(from: 0, to: count, by: Self.batch) {
                try Task.checkCancellation()
                let made = try (first..<min(first + Self.batch, count)).map { try samples.make($0) }
                if let one = made.first, kept.count < sampleCount { kept.append((one.invitation, one.another)) }
                try await vault.write { store in for connection in made { try connection.insert(into: store) } }
            }
        }
        return ([line], kept)
    }

    private func pages(of agent: Agent) async throws -> [BenchFigures] {
        var random = SeededRandom(seed: 3)
        let records = SampleConnections.recordsEach
        let cursors = (0..<sampleCount).map { _ in
            RecordCursor(position: UInt64(random.within(0...max(0, count - 100)) * records))
        }
        var lines: [BenchFigures] = []
        for limit in [20, 100] {
            lines.append(
                try await BenchFigures("list-page-of-\(limit)", samples: sampleCount) { number in
                    let page = try await agent.connections(after: cursors[number], limit: limit).connections
                    guard !page.isEmpty else { throw Self.unexpected }
                })
        }
        return lines
    }

    private static var unexpected: AgentError {
        AgentError(.connectionUnknown, "A connection of the measurement was not found.")
    }
}
