import Aries
package import CommandProgram
import ConnectionCommands
import Determinism
package import Terminal
import WebTransport

/// `symbolon-lab bench agent-soak`: clients and senders that keep a cloud agent busy for hours.
package enum CloudAgentSoakCommand {
    private static let duration = ValueOption(
        "for", .duration("TIME", in: .seconds(1)...(.seconds(604_800))), "How long to send (2m if not given).")
    private static let accounts = ValueOption(
        "accounts", .integer("N", in: 1...1000), "How many accounts there are (40 if not given).")
    private static let rate = ValueOption(
        "rate", .integer("N", in: 1...10_000), "How many messages are sent in a second (30 if not given).")
    private static let seed = ValueOption(
        "seed", .integer("N", in: 0...Int.max), "Decides sizes, pauses and changes (1 if not given).")
    private static let interval = ValueOption(
        "sample", .duration("TIME", in: .milliseconds(100)...(.seconds(86_400))),
        "How often a line is told (30s if not given).")
    private static let drain = ValueOption(
        "drain", .duration("TIME", in: .seconds(1)...(.seconds(86_400))),
        "How long messages may take to arrive after the last was sent (5m if not given).")

    package static let declaration = CommandDeclaration(
        "agent-soak", "Keeps a running cloud agent busy, and counts what arrives.",
        discussion: [
            "Clients of four manners fetch what senders leave: live on a WebSocket, in batches, on a WebSocket that is soon "
                + "lost, and seldom. Keys are added and removed, accounts deleted and opened anew. At the end nothing more "
                + "is sent, and all that was answered as taken must arrive, once each. Lines are JSON: one from time to "
                + "time, and one at the end, of the operation soak.end."
        ],
        examples: [
            .init("symbolon-lab bench agent-soak LINK --for 2h", "Uses the agent of that invitation for two hours.")
        ],
        options: [duration, interval, drain].map(\.declaration) + [accounts, rate, seed].map(\.declaration),
        operands: [InvitationSource.text.declaration])

    package static let run: Program.Body = { context in
        let invitation = try await InvitationSource.invitation(context)
        var limits = OutgoingConnectionLimits()
        limits.maximumConnectionsPerAddress = limits.maximumConnections
        let service = WebService(limits: limits)
        let soak = CloudAgentSoak(
            invitation, service, context, accounts: context.arguments[accounts] ?? 40,
            seed: UInt64(context.arguments[seed] ?? 1))
        let result: Result<Void, any Error>
        do {
            try await soak.run(
                for: context.arguments[duration] ?? .seconds(120), rate: context.arguments[rate] ?? 30,
                every: context.arguments[interval] ?? .seconds(30),
                drain: context.arguments[drain] ?? .seconds(300))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await service.stop()
        try result.get()
    }
}

/// One soak.
private struct CloudAgentSoak {
    /// The time without an arrival after which an empty agent is believed to hand out nothing more.
    private static let quiet = Duration.seconds(5)

    let ledger: SoakDeliveryCheck
    let clock = SoakRunState()
    let accounts: [SoakAccount]
    let context: CommandContext

    init(
        _ invitation: Aries.Invitation, _ service: WebService, _ context: CommandContext, accounts count: Int,
        seed: UInt64
    ) {
        self.context = context
        let ledger = SoakDeliveryCheck(accounts: count)
        self.ledger = ledger
        var random = SeededRandom(seed: seed)
        var made: [SoakAccount] = []
        for number in 0..<count {
            made.append(SoakAccount(number, invitation, ledger, service, clock, random: random.split()))
        }
        accounts = made
    }

    func run(for duration: Duration, rate: Int, every interval: Duration, drain: Duration) async throws {
        let start = ContinuousClock.now
        for account in accounts { try await account.open() }
        let pause = Double(accounts.count) / Double(rate)
        let clock = clock
        await withTaskGroup { group in
            for account in accounts { group.addTask { await account.fetch() } }
            await withTaskGroup { senders in
                for account in accounts { senders.addTask { await account.send(every: pause) } }
                while !Task.isCancelled, ContinuousClock.now - start < duration {
                    let rest = duration - (ContinuousClock.now - start)
                    try? await Task.sleep(for: min(interval, rest), tolerance: .zero)
                    report("soak.sample", since: start)
                }
                clock.drain()
            }
            await drained(until: .now + drain, every: interval, since: start)
            clock.end()
        }
        let held = await waiting()
        report("soak.end", since: start, held: held)
    }

    /// Waits until everything has arrived, or nothing more can: the agent holds nothing, and nothing comes.
    private func drained(
        until end: ContinuousClock.Instant, every interval: Duration, since start: ContinuousClock.Instant
    ) async {
        var (received, changed, sampled) = (ledger.counts.received, ContinuousClock.now, ContinuousClock.now)
        while ContinuousClock.now < end, !Task.isCancelled {
            let now = ContinuousClock.now
            if ledger.counts.received != received { (received, changed) = (ledger.counts.received, now) }
            if await waiting()?.reduce(0, +) == 0, ledger.missing == 0 || now - changed > Self.quiet { return }
            if now - sampled >= interval {
                report("soak.sample", since: start)
                sampled = now
            }
            try? await Task.sleep(for: min(.milliseconds(200), interval))
        }
    }

    /// The number of messages that the agent holds for each account; nil when it does not report it.
    private func waiting() async -> [Int]? {
        var counts: [Int] = []
        for account in accounts {
            guard let count = try? await account.waiting() else { return nil }
            counts.append(count)
        }
        return counts
    }

    /// - Parameter held: the number of messages that the agent holds for each account, in the last line.
    private func report(_ operation: String, since start: ContinuousClock.Instant, held: [Int]? = nil) {
        let seconds = (ContinuousClock.now - start).inSeconds
        var members: [JSONText.Member] = [
            .init("operation", .string(operation)), .init("seconds", .number(seconds, places: 1)),
            .init("accounts", .integer(accounts.count)),
        ]
        members += ledger.counts.members
        members.append(.init("missing", .integer(ledger.missing)))
        members.append(.init("liveDelay", .integer(ledger.takeLongestLiveDelay())))
        if operation == "soak.end" {
            members.append(.init("waiting", .integer(held.map { $0.reduce(0, +) })))
            members.append(.init("lost", .integer(held.map { ledger.lost(held: $0) })))
            let statuses = ledger.statuses.map { JSONText.Member("\($0.key)", .integer($0.value)) }
            members.append(.init("statuses", .object(statuses)))
        }
        context.console.put(BenchLine(of: "agent-soak", members).json.line)
    }
}
