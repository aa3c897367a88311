import CryptoSuite
import Determinism
import Foundation
import TestSupport
import Testing

@testable import Vault

/// Processes of their own on one vault, killed in the middle.
///
/// `SYMBOLON_VAULT_KILLS` and `SYMBOLON_VAULT_SECONDS` ask for more than the few of a usual run.
@Suite(.enabled(if: Worker.program != nil, "skipped: the worker was not built beside the tests"), .serialized)
struct KillTests {
    private static func number(_ variable: String, usually: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usually
    }

    private static func withVault(_ body: (_ path: String, _ keyFile: String) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            var random: any RandomSource = SystemRandom()
            let key = try VaultKeyFile.create(at: "\(folder)/key", random: &random)
            await (try await Vault.create(at: "\(folder)/vault", key: .keyFile(key))).close()
            try await body("\(folder)/vault", "\(folder)/key")
        }
    }

    /// Compares a worker's acknowledged writes with the vault's contents; returns their number.
    private static func judge(_ worker: Worker, in vault: Vault, atLeast before: Int) async throws -> Int {
        let told = max(worker.acknowledged, before)
        let name = worker.name
        let (counter, entries) = try await vault.read { step in
            let counter = try step.record(name, in: "counter")?.value ?? []
            let entries = try step.records(in: "entry", tags: [RecordTag("worker", name)], limit: 1000)
            return (Int(String(decoding: counter, as: UTF8.self)) ?? 0, entries.records)
        }
        #expect(counter >= told, "\(told) was acknowledged to \(name), and \(counter) is there")
        #expect(counter <= told + 1, "one step at most was under way")
        #expect(entries.map(\.id) == (max(1, counter - 19)..<counter + 1).map { "\(name)-\($0)" })
        for (entry, number) in zip(entries, max(1, counter - 19)...) {
            let isWhole =
                entry.value == [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number * 37 % 5000)
            #expect(isWhole, "entry \(number) of \(name) is as it was written")
        }
        return counter
    }

    @Test(.shows("V10")) func `a vault of a process killed at any moment loses nothing that was acknowledged`()
        async throws
    {
        let kills = Self.number("SYMBOLON_VAULT_KILLS", usually: 10)
        try await Self.withVault { path, keyFile in
            let key = VaultKey.keyFile(try VaultKeyFile.read(keyFile))
            var random = SeededRandom(seed: UInt64(kills))
            var numbers = ["a": 0, "b": 0]
            for round in 0..<(kills + 1) / 2 {
                let workers = try ["a", "b"].map { try Worker($0, on: path, keyFile, round: round) }
                // The first one dies while the other writes on.
                for worker in workers {
                    try await Task.sleep(for: .milliseconds(random.within(5...150)))
                    worker.kill()
                }
                let vault = try await Vault.open(at: path, key: key)
                for worker in workers {
                    let before = numbers[worker.name] ?? 0
                    numbers[worker.name] = try await Self.judge(worker, in: vault, atLeast: before)
                }
                let report = try await vault.check()
                #expect(report.findings == [])
                await vault.close()
            }
            print("vault: \(kills) kills, \(numbers.values.reduce(0, +)) steps acknowledged or found complete")
        }
    }

    @Test func `two processes that write to one vault at full speed lose no record`() async throws {
        let seconds = Self.number("SYMBOLON_VAULT_SECONDS", usually: 2)
        try await Self.withVault { path, keyFile in
            let key = VaultKey.keyFile(try VaultKeyFile.read(keyFile))
            let workers = try ["a", "b"].map { try Worker($0, on: path, keyFile, round: 0) }
            try await Task.sleep(for: .seconds(seconds))
            // However slow the machine is, both come to their turn.
            for _ in 0..<1200 where workers.contains(where: { $0.acknowledged == 0 }) {
                try await Task.sleep(for: .milliseconds(50))
            }
            let vault = try await Vault.open(at: path, key: key)
            let report = try await vault.check()
            #expect(report.findings == [], "a check while others write sees one moment")
            for worker in workers { worker.kill() }
            for worker in workers {
                let number = try await Self.judge(worker, in: vault, atLeast: 0)
                #expect(number > 0, "both wrote")
                print("vault: worker \(worker.name) wrote \(number) steps in \(seconds) s beside another")
            }
        }
    }
}

/// A process that counts up in a vault, and says each number when it is acknowledged.
final class Worker: @unchecked Sendable {
    // Invariant: `process` is started in `init`, and afterwards only killed and waited for.
    /// Where the program is; nil when it was not built.
    static let program: URL? = {
        let folders = [
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
                URL(filePath: $0).deletingLastPathComponent()
            }, OutsideVectors.packageRoot.appending(path: ".build/debug"),
        ]
        return folders.compactMap { $0?.appending(path: "vault-worker") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path()) }
    }()

    let name: String
    private let process = Process()
    private let output: URL

    init(_ name: String, on vault: String, _ keyFile: String, round: Int) throws {
        self.name = name
        output = URL(filePath: "\(keyFile)-\(name)-\(round).out")
        try Data().write(to: output)
        process.executableURL = Self.program
        process.arguments = [vault, keyFile, name]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.standardError
        try process.run()
    }

    /// The last number that the worker printed whole; 0 for none.
    var acknowledged: Int {
        let content = (try? FileHandle(forReadingFrom: output).readToEnd()) ?? Data()
        let text = String(decoding: content, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last.flatMap { Int($0) } ?? 0
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal, "the worker of \(name) ended before it was killed")
    }
}
