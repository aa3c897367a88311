import Foundation
import TestSupport
import Testing

@testable import Vault

@Suite struct LocationTests {
    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(.shows("V7")) func `a vault and all of its files belong to their owner alone`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            let vault = try await Vault.create(at: path, key: .sample)
            try await vault.insert("a", in: "x", value: [1])
            #expect(try Self.mode(path) == 0o700)
            let files = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(files.sorted() == ["vault.sqlite", "vault.sqlite-shm", "vault.sqlite-wal"])
            for file in files {
                let mode = try Self.mode("\(path)/\(file)")
                #expect(mode == 0o600)
            }
        }
    }

    @Test(.shows("V7")) func `a vault folder or database that is open to others is refused`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            await (try await Vault.create(at: path, key: .sample)).close()
            for (target, wide, right) in [
                (path, 0o750, 0o700), (path, 0o701, 0o700), ("\(path)/vault.sqlite", 0o644, 0o600),
            ] {
                try FileManager.default.setAttributes([.posixPermissions: wide], ofItemAtPath: target)
                await expectError(.pathPermissions) { _ = try await Vault.open(at: path, key: .sample) }
                await expectError(.pathPermissions) { _ = try await Vault.create(at: path, key: .sample) }
                try FileManager.default.setAttributes([.posixPermissions: right], ofItemAtPath: target)
            }
            await (try await Vault.open(at: path, key: .sample)).close()
        }
    }

    @Test(.shows("V7"), .enabled(if: geteuid() == 0, "skipped: only root can give a file to another user"))
    func `a vault folder or database of another user is refused`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            await (try await Vault.create(at: path, key: .sample)).close()
            for target in [path, "\(path)/vault.sqlite"] {
                #expect(chown(target, 65_534, gid_t.max) == 0)
                await expectError(.pathPermissions) { _ = try await Vault.open(at: path, key: .sample) }
                await expectError(.pathPermissions) { _ = try await Vault.create(at: path, key: .sample) }
                #expect(chown(target, geteuid(), gid_t.max) == 0)
            }
            await (try await Vault.open(at: path, key: .sample)).close()
        }
    }

    @Test(.shows("V7")) func `a vault folder or database that is a symbolic link is refused`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            await (try await Vault.create(at: path, key: .sample)).close()
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: path)
            await expectError(.pathRefused) { _ = try await Vault.open(at: "\(folder)/link", key: .sample) }
            try FileManager.default.moveItem(atPath: "\(path)/vault.sqlite", toPath: "\(path)/moved")
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/vault.sqlite", withDestinationPath: "\(path)/moved")
            await expectError(.pathRefused) { _ = try await Vault.open(at: path, key: .sample) }
            await expectError(.pathRefused) { _ = try await Vault.create(at: path, key: .sample) }
        }
    }

    @Test func `a symbolic link above the vault's folder is followed`() async throws {
        try await TemporaryFolder.with { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/real", withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/link", withDestinationPath: "\(folder)/real")
            await (try await Vault.create(at: "\(folder)/link/vault", key: .sample)).close()
            await (try await Vault.open(at: "\(folder)/real/vault", key: .sample)).close()
        }
    }

    @Test func `opening a missing vault fails, and creating one over another fails`() async throws {
        try await TemporaryFolder.with { folder in
            await expectError(.notFound) { _ = try await Vault.open(at: "\(folder)/none", key: .sample) }
            await expectError(.notFound) { _ = try await Vault.create(at: "\(folder)/none/vault", key: .sample) }
            let path = "\(folder)/vault"
            let vault = try await Vault.create(at: path, key: .sample)
            try await vault.insert("a", in: "x", value: [1])
            await expectError(.exists) { _ = try await Vault.create(at: path, key: .other) }
            #expect(try await vault.record("a", in: "x")?.value == [1])
            _ = FileManager.default.createFile(
                atPath: "\(folder)/file", contents: Data(), attributes: [.posixPermissions: 0o600])
            await expectError(.pathRefused) { _ = try await Vault.open(at: "\(folder)/file", key: .sample) }
        }
    }

    @Test func `a vault whose creation was interrupted is no vault, and can be created again`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            _ = FileManager.default.createFile(
                atPath: "\(path)/vault.sqlite", contents: Data(), attributes: [.posixPermissions: 0o600])
            await expectError(.notFound) { _ = try await Vault.open(at: path, key: .sample) }
            await (try await Vault.create(at: path, key: .sample)).close()
            await (try await Vault.open(at: path, key: .sample)).close()
        }
    }
}
