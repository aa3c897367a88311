import Air

/// Runs the simulation with many seeds, and sums up the results.
struct Campaign {
    /// The names of the events of which each must have happened at least once in a campaign.
    static let wanted: Set<String> = [
        "kill", "power-loss", "crash-at-write", "full-disk", "failing-disk", "drain-begins", "drain",
        "killed-while-draining", "clock-back", "clock-forward", "all-lines-cut", "line-cut", "request-lost",
        "answer-lost", "receipt-lost", "nobody-there", "slow-reader", "second-line", "replaced", "try-again-later",
        "restart-before-storing", "restart-after-storing", "home-is-down", "again", "expired", "lost-with-line",
        "goes-back", "went-back", "lost-with-history", "freezes", "splits", "lost-with-former",
        "come-again", "word-missed", "disk-down", "asked-at-status", "rotation", "crossing-rotations",
        "correspondent-away", "text-while-rotating", "former-key", "announced-again", "heard-again",
    ]

    private var runs = 0
    private var broken = 0
    private var sums = (accepted: 0, received: 0, expired: 0)
    private var digest: UInt64 = 0
    private var seen: Set<String> = []

    /// True once a run has violated a guarantee.
    var hasBroken: Bool { broken > 0 }

    /// Runs one seed, and prints the violations that it found.
    mutating func run(_ seed: UInt64, planted: PlantedBug?, showsTrace: Bool) {
        let trial = Trial(seed: seed, planted: planted)
        let complaints = trial.run()
        runs += 1
        if !complaints.isEmpty { broken += 1 }
        for complaint in complaints { print("seed \(seed): \(complaint)") }
        if showsTrace { for line in trial.world.trace.lines { print(line) } }
        let (accepted, received, expired) = trial.books.summary
        sums = (sums.accepted + accepted, sums.received + received, sums.expired + expired)
        digest = digest &* 31 &+ (UInt64(trial.world.trace.digest, radix: 16) ?? 0)
        seen.formUnion(trial.world.visited)
    }

    /// Prints the results of all runs; returns the exit status.
    func conclude(wantsCoverage: Bool) -> Int32 {
        print(
            "agent simulation: \(runs) runs, \(broken) broken, \(sums.accepted) messages accepted, "
                + "\(sums.received) received, \(sums.expired) expired, digest \(String(digest, radix: 16))")
        let unseen = Self.wanted.subtracting(seen)
        if wantsCoverage, !unseen.isEmpty { print("never seen: \(unseen.sorted().joined(separator: ", "))") }
        return broken > 0 || wantsCoverage && !unseen.isEmpty ? 1 : 0
    }
}
