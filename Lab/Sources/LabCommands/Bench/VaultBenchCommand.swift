package import CommandProgram
import CryptoSuite
import Determinism
package import Terminal
import Vault

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `symbolon-lab bench vault`: the times of a vault's operations that connections use.
package enum VaultBenchCommand {
    private static let records = ValueOption(
        "records", .integer("N", in: 1000...10_000_000), "Fills the vault with so many records (100000 if not given).")

    package static let declaration = CommandDeclaration(
        "vault", "Measures a vault with many records: opening, finding, listing, inserting.",
        discussion: [
            "Each is a step of its own, as commands do it, on a vault with a key file. What a passphrase costs is told "
                + "apart. Inserting waits for the disk, so its folder matters."
        ],
        examples: [.init("symbolon-lab bench vault --json", "Writes a JSON line for each measurement.")],
        options: [records.declaration, BenchFolder.option.declaration])

    package static let run: Program.Body = { context in
        let folder = try BenchFolder(context)
        defer { folder.remove() }
        let bench = VaultBench(benchFolder: folder.path, count: context.arguments[records] ?? 100_000)
        BenchFigures.show(try await bench.run(), of: "vault", .init("records", .integer(bench.count)), context)
    }
}

/// The vault that is measured.
private struct VaultBench {
    let benchFolder: String
    let count: Int

    private static let category = "message"
    private static let batch = 1000

    private var path: String { "\(benchFolder)/vault" }

    @concurrent
    func run() async throws -> [BenchFigures] {
        var entropy = SystemRandom()
        let key = VaultKey.keyFile(try VaultKeyFile.create(at: "\(benchFolder)/key", random: &entropy))
        var random = SeededRandom(seed: 1)
        var lines = [try await fill(key)]
        lines.append(
            try await measure("open", 21) {
                let vault = try await Vault.open(at: path, key: key)
                await vault.close()
            })
        let vault = try await Vault.open(at: path, key: key)
        let positions = (0..<1000).map { _ in random.within(0...count - 1) }
        lines.append(
            try await measure("get", 1000) { try await found(vault.record("id\(positions[$0])", in: Self.category)) })
        lines.append(
            try await measure("find-by-tag", 1000) {
                let tag = RecordTag("thread", "thread \(positions[$0])")
                try await found(vault.records(in: Self.category, tags: [tag]).records.first)
            })
        lines.append(
            try await measure("find-by-two-tags", 1000) {
                let tags = [
                    RecordTag("state", "state \(positions[$0] % 4)"), RecordTag("thread", "thread \(positions[$0])"),
                ]
                try await found(vault.records(in: Self.category, tags: tags).records.first)
            })
        lines += try await pages(of: vault, positions)
        lines.append(
            try await measure("insert", 1000) { number in
                try await vault.insert(
                    "new\(number)", in: Self.category, tags: Self.tags(count + number), value: Self.value(number))
            })
        lines.append(try await measure("check", 1) { _ in try await found(vault.check().isSound ? 1 : nil) })
        await vault.close()
        lines.append(BenchFigures(operation: "peak-memory", seconds: [], bytes: peakMemory))
        lines.append(BenchFigures(operation: "database", seconds: [], bytes: databaseBytes))
        return lines + (try await passphrase())
    }

    private func fill(_ key: VaultKey) async throws -> BenchFigures {
        let vault = try await Vault.create(at: path, key: key)
        let line = try await measure("fill", 1) { _ in
            for first in stride(from: 0, to: count, by: Self.batch) {
                try Task.checkCancellation()
                try await vault.write { step in
                    for number in first..<min(first + Self.batch, count) {
                        try step.insert(
                            "id\(number)", in: Self.category, tags: Self.tags(number), value: Self.value(number))
                    }
                }
            }
        }
        await vault.close()
        return line
    }

    private func pages(of vault: Vault, _ positions: [Int]) async throws -> [BenchFigures] {
        let list = try await measure("list-page-of-20", 500) {
            let cursor = RecordCursor(position: UInt64(positions[$0]))
            _ = try await vault.records(in: Self.category, after: cursor, limit: 20)
        }
        let long = try await measure("list-page-of-100", 500) {
            let cursor = RecordCursor(position: UInt64(positions[$0]))
            _ = try await vault.records(in: Self.category, after: cursor, limit: 100)
        }
        let tagged = try await measure("list-page-of-20-by-tag", 500) {
            let cursor = RecordCursor(position: UInt64(positions[$0]))
            let tag = RecordTag("state", "state \(positions[$0] % 4)")
            _ = try await vault.records(in: Self.category, tags: [tag], order: .newestFirst, after: cursor, limit: 20)
        }
        return [list, long, tagged]
    }

    /// The time of a passphrase's key derivation, without a vault.
    private func passphrase() async throws -> [BenchFigures] {
        let cost = PassphraseCost.moderate
        return [
            try await measure("passphrase-moderate", 5) { _ in
                _ = try Argon2id.deriveKey(
                    passphrase: Secret(copying: [1]), salt: [UInt8](repeating: 1, count: Argon2id.saltCount),
                    operations: Int(cost.operations), memoryBytes: Int(cost.memoryKiB) * 1024)
            }
        ]
    }

    private func measure(
        _ operation: String, _ samples: Int, _ body: (Int) async throws -> Void
    ) async throws -> BenchFigures {
        try await BenchFigures(operation, samples: samples, body)
    }

    private func measure(
        _ operation: String, _ samples: Int, _ body: () async throws -> Void
    ) async throws -> BenchFigures {
        try await BenchFigures(operation, samples: samples) { _ in try await body() }
    }

    private func found<Value>(_ value: Value?) throws {
        guard value != nil else { throw VaultError(.recordNotFound, "A record of the measurement was not found.") }
    }

    private var peakMemory: Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #else
            getrusage(RUSAGE_SELF.rawValue, &usage)
            return usage.ru_maxrss * 1024
        #endif
    }

    private var databaseBytes: Int {
        var status = stat()
        return stat("\(path)/vault.sqlite", &status) == 0 ? Int(status.st_size) : 0
    }

    private static func tags(_ number: Int) -> [RecordTag] {
        [
            RecordTag("state", "state \(number % 4)"), RecordTag("connection", "connection \(number % 500)"),
            RecordTag("thread", "thread \(number)"),
        ]
    }

    private static func value(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 300 + number % 200)
    }
}
