// Simulates cloud agents under faults: real logic and real SQLite, on virtual time, a virtual network and a virtual
// disk.
//
// agent-simulation SEED [COUNT] [--trace] [--coverage] [--plant=BUG] [--until-broken]

import Glibc

@main
struct Main {
    static func main() {
        // The order of sets and dictionaries must not differ from run to run.
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
            setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
            execv("/proc/self/exe", CommandLine.unsafeArgv)
        }
        let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
        guard let seed = words.first.flatMap({ UInt64($0) }),
            let count = words.count > 1 ? UInt64(words[words.startIndex + 1]) : 1, count > 0
        else {
            print("usage: agent-simulation SEED [COUNT] [--trace] [--coverage] [--plant=BUG] [--until-broken]")
            exit(2)
        }
        let planted = CommandLine.arguments.lazy.compactMap { argument in
            argument.hasPrefix("--plant=") ? PlantedBug(rawValue: String(argument.dropFirst(8))) : nil
        }.first
        JobQueue.install()
        ChosenRandomness.install()
        var campaign = Campaign()
        let endsEarly = CommandLine.arguments.contains("--until-broken")
        for number in seed..<(seed + count) where !endsEarly || !campaign.hasBroken {
            campaign.run(number, planted: planted, showsTrace: CommandLine.arguments.contains("--trace"))
        }
        exit(campaign.conclude(wantsCoverage: CommandLine.arguments.contains("--coverage")))
    }
}
