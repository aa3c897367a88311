import Foundation
import TestSupport
import Testing

/// Agents, clients, network and disk in virtual time, in a process of their own, where one thread runs everything.
///
/// One run is repeated by `SYMBOLON_SEED=N swift test --filter AgentSimulationTests`, which prints what happened in it.
@Suite(
    .enabled(if: BesideTests.simulation != nil, "skipped: the simulation was not built beside the tests"),
    .serialized)
struct AgentSimulationTests {
    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    private static func simulate(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
        let process = Process()
        process.executableURL = BesideTests.simulation
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // It computes for long, and no thread of the tasks waits for that.
        let output = try await HostilePeer.elsewhere {
            Result { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        }.get()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        )
    }

    @Test func `every accepted message is delivered once and in order, or dropped at its age, whatever fails`()
        async throws
    {
        if let seed = Self.environment["SYMBOLON_SEED"] {
            let (status, lines) = try await Self.simulate(seed, "1", "--trace")
            print(lines.joined(separator: "\n"))
            #expect(status == 0)
            return
        }
        let count = Self.environment["SYMBOLON_AGENT_SEEDS"] ?? TestSize.choose("12", full: "40")
        let (status, lines) = try await Self.simulate("1", count)
        #expect(status == 0, "\(lines.prefix(20).joined(separator: "\n"))")
        print(lines.last ?? "")
    }

    @Test func `one seed gives the same trace in two processes`() async throws {
        let first = try await Self.simulate("3", "2", "--trace")
        #expect(first.lines.count > 20)
        #expect(try await Self.simulate("3", "2", "--trace") == first)
    }

    /// Each defect with the seed at which it was found; a change of the simulation may move it to a later one.
    @Test(arguments: [
        ("answers-too-early", "7"), ("forgets-what-it-hands-out", "10"), ("hands-out-backwards", "8"),
        ("keeps-what-is-acknowledged", "7"), ("drops-too-early", "8"), ("hands-out-what-is-under-way", "23"),
        ("forgets-former-keys", "10"),
    ])
    func `a store with a planted defect is detected within a few seeds`(_ bug: String, from seed: String) async throws {
        let (status, lines) = try await Self.simulate(seed, "24", "--until-broken", "--plant=\(bug)")
        #expect(status == 1, "\(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.hasPrefix("seed ") })
    }
}
