import Determinism
import Foundation
import TestSupport
import Testing

@testable import Vault

/// One bit of the database changed, anywhere: nothing traps, no wrong record is returned, and the check reports it.
@Suite struct BitFlipTests {
    private static let tag = RecordTag("kind", "flipped")
    private static let ids = (0..<30).map { "id\($0)" }

    private static func value(_ id: String) -> [UInt8] {
        let number = Int(id.dropFirst(2)) ?? 0
        return [UInt8](repeating: UInt8(number), count: number * 211)
    }

    /// A closed vault's database: one file, its log written back.
    private static func makeDatabase(in folder: String) async throws -> [UInt8] {
        let vault = try await Vault.create(at: "\(folder)/vault", key: .sample)
        try await vault.write { step in
            for id in ids { try step.insert(id, in: "x", tags: [tag], value: value(id)) }
            try step.insert("gone", in: "x", tags: [tag], value: [])
            try step.remove("gone", in: "x", expecting: nil)
        }
        await vault.close()
        return [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/vault/vault.sqlite")))
    }

    private enum Finding {
        /// An error with a code.
        case named
        /// All records are as they were written.
        case right
        /// A record that exists is not returned.
        case missing
    }

    /// Reads in every way; something that was never written fails the test.
    private static func look(_ ask: () async throws -> [StoredRecord?]) async -> Finding {
        do {
            let records = try await ask()
            for record in records.compactMap({ $0 }) where record.value != value(record.id) {
                Issue.record("a value came out that was never written")
            }
            return records.compactMap { $0?.id } == ids ? .right : .missing
        } catch is VaultError { return .named } catch {
            Issue.record(error)
            return .named
        }
    }

    /// Returns the results of reading and of checking a vault after a change.
    private static func examine(_ path: String) async throws -> (findings: [Finding], isSound: Bool) {
        let vault: Vault
        do { vault = try await Vault.open(at: path, key: .sample) } catch {
            #expect(error is VaultError)
            return ([.named], false)
        }
        let findings = [
            await look { try await vault.records(in: "x", limit: 1000).records },
            await look { try await vault.records(in: "x", tags: [tag], limit: 1000).records },
            await look { try await vault.read { step in try ids.map { try step.record($0, in: "x") } } },
        ]
        let isSound = (try? await vault.check())?.isSound ?? false
        await vault.close()
        return (findings, isSound)
    }

    @Test(.shows("V2")) func `a flipped bit in any page of a vault is reported, or changes nothing`() async throws {
        try await TemporaryFolder.with { folder in
            let database = try await Self.makeDatabase(in: folder)
            let path = "\(folder)/vault"
            let file = URL(filePath: "\(path)/vault.sqlite")
            var random = SeededRandom(seed: 7)
            let handle = try FileHandle(forUpdating: file)
            var named = 0
            let pages = database.count / 4096
            #expect(pages > 20)
            // All of the first page's head, and in every page its head and some places of its content.
            var places = Array(0..<100)
            for page in 0..<pages {
                places +=
                    [0, 3, 5, 9].map { page * 4096 + $0 } + (0..<5).map { _ in page * 4096 + random.within(8...4095) }
            }
            for place in places {
                let flipped = database[place] ^ (1 << UInt8(random.within(0...7)))
                try handle.seek(toOffset: UInt64(place))
                try handle.write(contentsOf: Data([flipped]))
                let (findings, isSound) = try await Self.examine(path)
                if findings.contains(.named) || !isSound { named += 1 }
                let isTold = !findings.contains(.missing) || !isSound
                #expect(isTold, "a bit of byte \(place) hides a record, and the check does not say so")
                try Data(database).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path())
                for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path() + ending) }
            }
            #expect(named > places.count / 3, "most of a database is in use")
        }
    }

    @Test func `a flipped bit in the vault's write-ahead log loses only later transactions, or is reported`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let vault = try await Vault.create(at: "\(folder)/vault", key: .sample)
            for id in Self.ids { try await vault.insert(id, in: "x", tags: [Self.tag], value: Self.value(id)) }
            // The files as a kill would leave them.
            let names = ["vault.sqlite", "vault.sqlite-wal"]
            let contents = try names.map { try Data(contentsOf: URL(filePath: "\(folder)/vault/\($0)")) }
            await vault.close()
            var random = SeededRandom(seed: 8)
            for round in 0..<40 {
                let path = "\(folder)/copy\(round)"
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                var log = contents[1]
                log[random.within(0...log.count - 1)] ^= 1 << UInt8(random.within(0...7))
                for (name, content) in zip(names, [contents[0], log]) {
                    _ = FileManager.default.createFile(
                        atPath: "\(path)/\(name)", contents: content, attributes: [.posixPermissions: 0o600])
                }
                do {
                    let opened = try await Vault.open(at: path, key: .sample)
                    let found = try await opened.records(in: "x", limit: 1000).records
                    let isBeginning = found.map(\.id) == Array(Self.ids.prefix(found.count))
                    #expect(isBeginning, "what is there is the beginning of what was written")
                    #expect(try await opened.check().findings == [])
                    await opened.close()
                } catch { #expect(error is VaultError) }
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }
}
