import Determinism
import Foundation
import Testing

@testable import CloudAgent

@Suite struct StoreBackupTests {
    private let folder = Folder()

    private var store: StoreAddress { .sqlite(path: "\(folder.path)/agent.sqlite") }
    private var copy: String { "\(folder.path)/copy.sqlite" }

    private func account(in store: any MediatorStore) async throws -> Int64 {
        try await store.write(adding: 1) {
            try $0.accounts.open([1, 2, 3], keys: [], at: WallTime(millisecondsSinceEpoch: 1))
        }
    }

    @Test func `a store backup taken while the store is in use is complete and has mode 0600`() async throws {
        let opened = try await store.open()
        for _ in 0..<50 { _ = try await account(in: opened) }
        async let more: Void = { for _ in 0..<50 { _ = try await account(in: opened) } }()
        let bytes = try await store.backUp(to: copy)
        try await more
        let facts = try FileManager.default.attributesOfItem(atPath: copy)
        #expect(facts[.posixPermissions] as? Int == 0o600 && facts[.size] as? Int == bytes)
        let second = try await StoreAddress.sqlite(path: copy).open()
        #expect((50...100).contains(try await second.read { try $0.inspection.totals() }.accounts))
        #expect(try await second.check() == [])
        await second.close()
        #expect(try await opened.read { try $0.inspection.totals() }.accounts == 100)
        await opened.close()
    }

    @Test func `a store backup does not overwrite an existing file`() async throws {
        await (try await store.open()).close()
        try Data("mine".utf8).write(to: URL(filePath: copy))
        await #expect(throws: CloudAgentError(.copyPath, "")) { try await store.backUp(to: copy) }
        #expect(try Data(contentsOf: URL(filePath: copy)) == Data("mine".utf8))
    }

    @Test func `a file that is not a cloud agent's store is not backed up, and no file is left`() async throws {
        await #expect(throws: CloudAgentError(.missing, "")) { try await store.backUp(to: copy) }
        let other = "\(folder.path)/other"
        try Data("no database, but long enough to be looked at as if it were one".utf8).write(to: URL(filePath: other))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)
        await #expect(throws: CloudAgentError(.damaged, "")) {
            try await StoreAddress.sqlite(path: other).backUp(to: copy)
        }
        await #expect(throws: CloudAgentError(.unsupported, "")) {
            try await StoreAddress.postgres(address: "postgres://x").backUp(to: copy)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other"])
    }

    @Test func `a cancelled store backup removes its file`() async throws {
        await (try await store.open()).close()
        let (store, copy) = (store, copy)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await store.backUp(to: copy)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: copy))
    }
}
