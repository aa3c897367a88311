import CryptoSuite
import Foundation
import TestSupport
import Testing

@testable import Vault

@Suite struct IntegrityTests {
    private static let tag = RecordTag("t", "v")

    /// A vault with records a, b and c in slots 0, 1 and 2, and a hand in its database.
    private static func withVault(
        _ body: (_ vault: Vault, _ intruder: Intruder, _ path: String) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            let vault = try await Vault.create(at: path, key: .sample)
            for id in ["a", "b", "c"] { try await vault.insert(id, in: "x", tags: [tag], value: Array(id.utf8)) }
            try await body(vault, Intruder("\(path)/vault.sqlite"), path)
        }
    }

    private static func codes(_ vault: Vault) async throws -> Set<VaultError.Code> {
        Set(try await vault.check().findings.map(\.code))
    }

    @Test(.shows("ARI-052", "V2")) func `vault records that were exchanged are detected on reading`() async throws {
        try await Self.withVault { (vault, intruder, _) async throws in
            intruder.run("CREATE TEMP TABLE kept AS SELECT slot, seal FROM records")
            intruder.run(
                "UPDATE records SET seal = (SELECT seal FROM kept WHERE slot = 1 - records.slot) WHERE slot < 2")
            for id in ["a", "b"] { await expectError(.altered) { _ = try await vault.record(id, in: "x") } }
            await expectError(.altered) { _ = try await vault.records(in: "x") }
            #expect(try await vault.record("c", in: "x")?.value == Array("c".utf8))
            #expect(try await Self.codes(vault).contains(.altered))
        }
    }

    @Test(.shows("ARI-052", "V3")) func `an older version of a vault record put back is detected on reading`()
        async throws
    {
        try await Self.withVault { (vault, intruder, _) async throws in
            intruder.run("CREATE TEMP TABLE kept AS SELECT * FROM records WHERE slot = 0")
            try await vault.replace("a", in: "x", expecting: 1, tags: [Self.tag], value: [2])
            intruder.run("UPDATE records SET seal = (SELECT seal FROM kept) WHERE slot = 0")
            await expectError(.stale) { _ = try await vault.record("a", in: "x") }
            await expectError(.stale) { _ = try await vault.records(in: "x", tags: [Self.tag]) }
            await expectError(.stale) { try await vault.replace("a", in: "x", expecting: nil, value: []) }
            #expect(try await Self.codes(vault).contains(.stale))
        }
    }

    @Test(.shows("V3")) func `a removed vault record put back is detected on reading`() async throws {
        try await Self.withVault { (vault, intruder, _) async throws in
            intruder.run("CREATE TEMP TABLE kept AS SELECT * FROM records WHERE slot = 0")
            try await vault.remove("a", in: "x")
            intruder.run("INSERT INTO records SELECT * FROM kept")
            await expectError(.stale) { _ = try await vault.record("a", in: "x") }
        }
    }

    @Test(.shows("V4")) func `a missing record, tag or row is found by the check of the vault`() async throws {
        try await Self.withVault { (vault, intruder, _) async throws in
            intruder.run("DELETE FROM records WHERE slot = 0")
            #expect(try await vault.record("a", in: "x") == nil, "a reader of one name cannot know")
            await expectError(.damaged) { _ = try await vault.records(in: "x", tags: [Self.tag]) }
            #expect(try await Self.codes(vault).contains(.missing))
        }
        try await Self.withVault { (vault, intruder, _) async throws in
            intruder.run("DELETE FROM tags WHERE slot = 0")
            #expect(try await Self.codes(vault) == [.missing])
        }
        try await Self.withVault { (vault, intruder, _) async throws in
            intruder.run("INSERT INTO tags SELECT x'0011', 0")
            #expect(try await Self.codes(vault) == [.altered])
        }
    }

    @Test(.shows("V2")) func `a tag moved to another vault record is detected when it is looked up`() async throws {
        try await Self.withVault { (vault, intruder, _) async throws in
            try await vault.insert("d", in: "x", tags: [RecordTag("t", "w")], value: [])
            intruder.run("UPDATE tags SET slot = 0 WHERE slot = 3")
            await expectError(.altered) { _ = try await vault.records(in: "x", tags: [RecordTag("t", "w")]) }
        }
    }

    @Test(.shows("V3")) func `a block of the vault's hash tree that was altered, put back or removed is detected`()
        async throws
    {
        try await Self.withVault { (vault, intruder, _) async throws in
            intruder.run("CREATE TEMP TABLE kept AS SELECT * FROM sums")
            try await vault.replace("a", in: "x", expecting: 1, tags: [Self.tag], value: [2])
            intruder.run("UPDATE sums SET block = (SELECT block FROM kept)")
            await expectError(.altered) { _ = try await vault.record("b", in: "x") }
            intruder.run("UPDATE sums SET block = x'00'")
            await expectError(.altered) { _ = try await vault.record("b", in: "x") }
            intruder.run("DELETE FROM sums")
            await expectError(.missing) { _ = try await vault.record("b", in: "x") }
            #expect(try await Self.codes(vault).contains(.missing))
        }
    }

    @Test(.shows("V3")) func `a vault header that was altered, put back or removed is detected`() async throws {
        try await Self.withVault { (vault, intruder, path) async throws in
            intruder.run("CREATE TEMP TABLE kept AS SELECT * FROM header")
            try await vault.insert("d", in: "x", value: [])
            intruder.run("UPDATE header SET seal = (SELECT seal FROM kept)")
            await expectError(.rolledBack) { _ = try await vault.record("a", in: "x") }
            intruder.run("UPDATE header SET seal = zeroblob(98)")
            await expectError(.altered) { _ = try await vault.record("a", in: "x") }
            await expectError(.altered) { _ = try await Vault.open(at: path, key: .sample) }
            intruder.run("UPDATE header SET wrapped = x'01'")
            await expectError(.headerMalformed) { _ = try await Vault.open(at: path, key: .sample) }
            intruder.run("DELETE FROM header")
            await expectError(.missing) { _ = try await vault.record("a", in: "x") }
        }
    }

    @Test(.shows("CHK-121", "V6")) func `a vault with an earlier passphrase's wrapped key put back is refused`()
        async throws
    {
        try await Self.withVault { (vault, intruder, path) async throws in
            intruder.run("CREATE TEMP TABLE kept AS SELECT wrapped FROM header")
            try await vault.rewrap(with: .other)
            intruder.run("UPDATE header SET wrapped = (SELECT wrapped FROM kept)")
            await expectError(.altered) { _ = try await Vault.open(at: path, key: .sample) }
        }
    }

    @Test(.shows("V5"))
    func `an older copy of the whole vault is detected by an open vault, and on opening by a generation file`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            var options = VaultOptions()
            options.markPath = "\(folder)/mark"
            let vault = try await Vault.create(at: path, key: .sample, options: options)
            try await vault.insert("a", in: "x", value: [])
            func flush() { Intruder("\(path)/vault.sqlite").run("PRAGMA wal_checkpoint(TRUNCATE)") }
            flush()
            let old = try Data(contentsOf: URL(filePath: "\(path)/vault.sqlite"))
            try await vault.insert("b", in: "x", value: [])
            await vault.close()
            for file in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: "\(path)/vault.sqlite\(file)") }
            try old.write(to: URL(filePath: "\(path)/vault.sqlite"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: "\(path)/vault.sqlite")
            await expectError(.rolledBack) { _ = try await Vault.open(at: path, key: .sample, options: options) }
            let unaware = try await Vault.open(at: path, key: .sample)
            #expect(try await unaware.count(in: "x") == 1, "without a mark nothing shows it")
            let mark = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/mark")))
            try Data(mark.map { $0 ^ 1 }).write(to: URL(filePath: "\(folder)/mark"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/mark")
            await expectError(.altered) { _ = try await Vault.open(at: path, key: .sample, options: options) }
        }
    }

    @Test(.shows("V5")) func `a vault's generation file with one half damaged still counts, and never decreases`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let keys = try VaultKeys(dataKey: Secret(copying: [1]), vaultID: [1])
            let mark = VaultGenerationFile("\(folder)/mark")
            #expect(try mark.read(keys) == 0)
            for generation: UInt64 in [5, 9, 7] { try mark.raise(to: generation, keys) }
            #expect(try mark.read(keys) == 9)
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/mark")))
            #expect(bytes.count == 48)
            bytes[24 + 3] ^= 1
            try Data(bytes).write(to: URL(filePath: "\(folder)/mark"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/mark")
            #expect(try mark.read(keys) == 5)
            try mark.raise(to: 10, keys)
            #expect(try mark.read(keys) == 10)
        }
    }

    @Test(.shows("V9")) func `a database with other tables than a vault's, and vaults of a newer version, are refused`()
        async throws
    {
        let attacks: [(sql: String, code: VaultError.Code)] = [
            ("CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM tags; END", .schemaAltered),
            ("CREATE VIEW v AS SELECT 1", .schemaAltered), ("DROP INDEX records_by_category", .schemaAltered),
            ("PRAGMA user_version = 2", .schemaNewer), ("PRAGMA user_version = 0", .schemaAltered),
            ("PRAGMA application_id = 1", .schemaAltered),
        ]
        for (sql, code) in attacks {
            try await Self.withVault { (vault, intruder, path) async throws in
                await vault.close()
                intruder.run(sql)
                await expectError(code) { _ = try await Vault.open(at: path, key: .sample) }
                await expectError(code) { _ = try await Vault.describe(at: path) }
            }
        }
    }

    @Test func `a vault file that is no database is refused with its own code`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            await (try await Vault.create(at: path, key: .sample)).close()
            let database = URL(filePath: "\(path)/vault.sqlite")
            for content in [Data(repeating: 65, count: 5000), try Data(contentsOf: database).prefix(4096)] {
                try content.write(to: database)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: database.path())
                await expectError(.damaged) { _ = try await Vault.open(at: path, key: .sample) }
            }
        }
    }
}
