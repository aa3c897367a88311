import CryptoSuite
import Determinism
import Foundation
import TestSupport
import Testing

@testable import Vault

@Suite struct KeyTests {
    @Test(.shows("V1")) func `a vault opens only with its own key`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            let vault = try await Vault.create(at: path, key: .passphrase("open sesame"))
            try await vault.insert("a", in: "x", value: [1])
            await vault.close()
            await expectError(.keyWrong) { _ = try await Vault.open(at: path, key: .passphrase("open Sesame")) }
            await expectError(.keyKind) { _ = try await Vault.open(at: path, key: .sample) }
            let opened = try await Vault.open(at: path, key: .passphrase("open sesame"))
            #expect(try await opened.record("a", in: "x")?.value == [1])
            #expect(try await Vault.describe(at: path).passphraseCost == .leastForTests)
        }
    }

    @Test func `a vault passphrase of the shortest and longest length is accepted, and beyond that refused`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            for (number, length) in [1, VaultKey.maximumPassphraseBytes].enumerated() {
                let key = VaultKey.passphrase(String(repeating: "a", count: length))
                await (try await Vault.create(at: "\(folder)/\(number)", key: key)).close()
            }
            for length in [0, VaultKey.maximumPassphraseBytes + 1] {
                await expectError(.passphraseLength) {
                    _ = try await Vault.create(
                        at: "\(folder)/other", key: .passphrase(String(repeating: "a", count: length)))
                }
            }
        }
    }

    @Test func `a vault key file is readable by its owner alone, and is read back`() async throws {
        try await TemporaryFolder.with { folder in
            var random = SeededRandom(seed: 1)
            let path = "\(folder)/key"
            let key = try VaultKeyFile.create(at: path, random: &random)
            #expect(try VaultKeyFile.read(path) == key)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
            await expectError(.exists) { _ = try VaultKeyFile.create(at: path, random: &random) }
            #expect(try VaultKeyFile.read(path) == key, "the key that was there stays")
            await expectError(.notFound) { _ = try VaultKeyFile.create(at: "\(folder)/none/key", random: &random) }
        }
    }

    @Test func `a vault key file is read, or made when missing; a refused file is not replaced`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            func key() throws -> Secret? {
                if case .keyFile(let key) = try VaultKey.keyFile(at: "\(folder)/key") { key } else { nil }
            }
            let made = try key()
            #expect(made?.copyBytes().count == VaultKeyFile.keyCount)
            #expect(try key() == made)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: "\(folder)/key")
            await expectError(.pathPermissions) { _ = try key() }
            await expectError(.notFound) { _ = try VaultKey.keyFile(at: "\(folder)/none/key") }
        }
    }

    @Test(.shows("V7")) func `a vault key file that others can read, or that is a link, is refused`() async throws {
        try await TemporaryFolder.with { folder in
            var random = SeededRandom(seed: 1)
            let path = "\(folder)/key"
            _ = try VaultKeyFile.create(at: path, random: &random)
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: path)
            await expectError(.pathRefused) { _ = try VaultKeyFile.read("\(folder)/link") }
            await expectError(.pathRefused) { _ = try VaultKeyFile.read(folder) }
            await expectError(.notFound) { _ = try VaultKeyFile.read("\(folder)/none") }
            for mode in [0o640, 0o604, 0o610, 0o601] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                await expectError(.pathPermissions) { _ = try VaultKeyFile.read(path) }
            }
        }
    }

    @Test func `a root-owned key file that its group may only read is read as a systemd credential`()
        async throws
    {
        for mode in [0o100400, 0o100440] as [mode_t] {
            #expect(PrivateFile.isCredential(mode: mode, owner: 0))
            #expect(!PrivateFile.isCredential(mode: mode, owner: 61_000))
        }
        for mode in [0o100444, 0o100460, 0o100640, 0o100450, 0o100441, 0o100402] as [mode_t] {
            #expect(!PrivateFile.isCredential(mode: mode, owner: 0))
        }
        guard geteuid() == 0 else { return }
        try await TemporaryFolder.with { folder in
            var random = SeededRandom(seed: 1)
            let key = try VaultKeyFile.create(at: "\(folder)/key", random: &random)
            try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: "\(folder)/key")
            #expect(try VaultKeyFile.read("\(folder)/key") == key)
        }
    }

    @Test func `a vault key file that is not one line with a key is refused`() async throws {
        try await TemporaryFolder.with { folder in
            var random = SeededRandom(seed: 1)
            _ = try VaultKeyFile.create(at: "\(folder)/key", random: &random)
            let content = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/key")))
            let long = [UInt8](repeating: 65, count: 10_000)
            let wrongs = [[], Array(content.dropLast()), content + [10], Array(content.dropFirst()), long]
            for (number, wrong) in wrongs.enumerated() {
                let path = "\(folder)/\(number)"
                _ = FileManager.default.createFile(
                    atPath: path, contents: Data(wrong), attributes: [.posixPermissions: 0o600])
                await expectError(.keyFileMalformed) { _ = try VaultKeyFile.read(path) }
            }
            await expectError(.keyFileMalformed) {
                _ = try await Vault.create(at: "\(folder)/vault", key: .keyFile(Secret(copying: [1])))
            }
        }
    }

    @Test(.shows("V6"), arguments: [false, true])
    func `a vault with a new key keeps its records, and the old key no longer opens it`(_ isFull: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            let vault = try await Vault.create(at: path, key: .sample)
            let witness = try await Vault.open(at: path, key: .sample)
            let tag = RecordTag("t", "v")
            for number in 0..<200 { try await vault.insert("id\(number)", in: "x", tags: [tag], value: [1]) }
            try await vault.remove("id7", in: "x")
            if isFull {
                try await vault.reencrypt(with: .passphrase("new"))
                await expectError(.keyChanged) { _ = try await witness.count(in: "x") }
            } else {
                try await vault.rewrap(with: .passphrase("new"))
                #expect(try await witness.count(in: "x") == 199)
            }
            try await vault.insert("late", in: "x", tags: [tag], value: [2])
            await vault.close()
            await expectError(.keyKind) { _ = try await Vault.open(at: path, key: .sample) }
            await expectError(.keyWrong) { _ = try await Vault.open(at: path, key: .passphrase("old")) }
            let opened = try await Vault.open(at: path, key: .passphrase("new"))
            let page = try await opened.records(in: "x", tags: [tag], limit: 1000)
            #expect(page.records.map(\.id) == (0..<200).filter { $0 != 7 }.map { "id\($0)" } + ["late"])
            #expect(try await opened.check().findings == [])
        }
    }

    @Test(.shows("ARI-007", "V1")) func `keys, names, tags and values are not in the vault's files in the clear`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            let vault = try await Vault.create(at: path, key: .sample)
            let words = ["categoryword", "identifierword", "tagnameword", "tagvalueword", "contentword"]
            try await vault.insert(
                words[1], in: words[0], tags: [RecordTag(words[2], words[3])], value: Array(words[4].utf8))
            func search() throws {
                for file in try FileManager.default.contentsOfDirectory(atPath: path) {
                    let content = try Data(contentsOf: URL(filePath: "\(path)/\(file)"))
                    for word in words { #expect(content.range(of: Data(word.utf8)) == nil, "\(word) in \(file)") }
                }
            }
            try search()
            await vault.close()
            try search()
        }
    }
}
