package import CommandProgram
import Determinism
package import Terminal
import WebTransport

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
    import Glibc
#endif

/// `symbolon-lab bench agent`: rates and costs of a cloud agent, compared with ACA-Py's mediator.
package enum CloudAgentBenchCommand {
    private static let postgres = ValueOption(
        "postgres", .text("ADDRESS"), "Measures a store in this empty database, too: postgres://…")
    private static let acapy = ValueOption(
        "acapy", .text("LINK"), "Measures ACA-Py's mediator beside it, by an invitation of its.")
    private static let program = ValueOption(
        "program", .path("FILE"), "The program that is measured (the symbolon beside this one).")
    private static let seconds = ValueOption(
        "seconds", .integer("N", in: 1...600), "How long each step is measured (4 if not given).")
    private static let sockets = ValueOption(
        "sockets", .integer("N", in: 10...15_000), "How many WebSockets are held (5000 if not given).")
    private static let live = ValueOption(
        "live",
        ValueKind<[Int]>("COUNTS") { (text) throws(InvalidValue) in
            let counts = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Int($0) }
            guard counts.count == text.count(where: { $0 == "," }) + 1, counts.allSatisfy({ 10...18_000 ~= $0 }),
                zip(counts, counts.dropFirst()).allSatisfy({ $0 < $1 })
            else {
                throw InvalidValue(
                    "is not a list of counts",
                    advice: "Write numbers from 10 to 18000 that rise, with commas: 2000,18000")
            }
            return counts
        }, "How many live clients are held, in steps on one agent (500 if not given).")
    private static let returning = ValueOption(
        "returning", .integer("N", in: 10...18_000),
        "How many live clients return after the agent was killed (1000 if not given).")
    private static let queued = ValueOption(
        "queued", .integer("N", in: 2000...10_000_000), "How long the longer queue is (1000000 if not given).")
    private static let certificate = ValueOption(
        "tls-cert", .path("FILE"), "Holds WebSockets over TLS, too: a certificate for localhost, in PEM.")
    private static let certificateKey = ValueOption("tls-key", .path("FILE"), "The certificate's key, in PEM.")
    private static let only = ValueOption(
        "only", .choice("OPERATION", CloudAgentBench.Part.allCases.map { ($0.rawValue, $0) }), "Measures this alone.")

    package static let declaration = CommandDeclaration(
        "agent", "Measures a cloud agent: what it takes, keeps and hands out.",
        discussion: [
            "The agent is a process of its own, with a store that forces every message to the disk before it answers. The "
                + "client runs on the same machine and takes its share of it; its messages were packed before. Forwards "
                + "are posted over more and more connections for the peak, and then at half of the peak for the times, "
                + "counted from when each was due."
        ],
        examples: [.init("symbolon-lab bench agent --json", "Writes a JSON line for each measurement.")],
        options: [postgres, acapy].map(\.declaration) + [program, BenchFolder.option].map(\.declaration)
            + [seconds, sockets].map(\.declaration) + [live.declaration]
            + [returning, queued].map(\.declaration)
            + [certificate.declaration, certificateKey.declaration, only.declaration])

    package static let run: Program.Body = { context in
        let folder = try BenchFolder(context)
        defer { folder.remove() }
        var plan = CloudAgentBench.Plan(program: try context.arguments[program] ?? programBeside(), folder: folder.path)
        plan.postgres = context.arguments[postgres]
        plan.acapy = context.arguments[acapy]
        plan.seconds = Double(context.arguments[seconds] ?? 4)
        plan.sockets = context.arguments[sockets] ?? 5000
        plan.live = context.arguments[live] ?? [500]
        plan.returning = context.arguments[returning] ?? 1000
        plan.queued = context.arguments[queued] ?? 1_000_000
        if let chain = context.arguments[certificate], let key = context.arguments[certificateKey] {
            plan.certificate = (chain, key)
        }
        plan.parts = context.arguments[only].map { [$0] } ?? CloudAgentBench.Part.allCases
        OpenFileLimit.raiseLimit()
        let report = Lock(BenchReport(context, CloudAgentFigures.columns))
        try await CloudAgentBench(plan).run { figures in report.withLock { $0.add(figures.line) } }
        report.withLock { $0.finish() }
    }

    /// The program `symbolon` in the folder of this one.
    private static func programBeside() throws -> String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = (own ?? CommandLine.arguments.first).map(POSIXFile.folder(of:)) ?? "."
        let path = POSIXFile.join(folder, "symbolon")
        guard POSIXFile.exists(path) else {
            throw CommandError(.inputNotFound, "There is no symbolon beside this program; give --program.")
        }
        return path
    }
}
