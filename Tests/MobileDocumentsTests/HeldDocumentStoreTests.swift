import CryptoSuite
import Determinism
import Foundation
import Testing
import Vault

@testable import MobileDocuments

/// Documents of a holder in a vault: what can be shown, and when a copy of single use is used.
@Suite final class HeldDocumentStoreTests {
    private static let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 7, count: 32)))

    private let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-test-\(UUID().uuidString)")
        .path()
    private let issuer: TestMobileIssuer
    private var random: SeededRandom

    init() throws {
        var random = SeededRandom(seed: 3)
        issuer = try TestMobileIssuer(at: ReadingTests.judgedAt, random: &random)
        self.random = random
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func document(isSingleUse: Bool = false, provesByMAC: Bool = false) throws -> HeldMobileDocument {
        try issuer.licence(
            portrait: TestMobileIssuer.portrait(), provesByMAC: provesByMAC, isSingleUse: isSingleUse, random: &random)
    }

    private func ids(_ store: HeldDocumentStore) async throws -> [String] { try await store.documents().map(\.id) }

    @Test func `documents come back from a vault that was closed, oldest first, with their keys`() async throws {
        let documents = [try document(), try document(isSingleUse: true, provesByMAC: true)]
        var vault = try await Vault.create(at: folder, key: Self.key)
        try await HeldDocumentStore(in: vault).add(documents)
        await vault.close()
        vault = try await Vault.open(at: folder, key: Self.key)
        let store = HeldDocumentStore(in: vault)
        let read = try await store.documents()
        #expect(read.map { $0.file() } == documents.map { $0.file() })
        let entries = try await store.entries()
        #expect(entries.map(\.id) == documents.map(\.id))
        #expect(entries.map(\.isSingleUse) == [false, true])
        #expect(entries.allSatisfy { $0.type == TestMobileIssuer.licenceType && !$0.isUsed })
        try await store.remove(documents[0].id)
        #expect(try await ids(store) == [documents[1].id])
        await #expect(throws: VaultError(.recordNotFound, "")) { try await store.remove(documents[0].id) }
        #expect(try await vault.check().findings.isEmpty)
        await vault.close()
    }

    @Test func `a copy of single use is used when it was taken out, also when the process dies then`() async throws {
        let (copies, plain) = ([try document(isSingleUse: true), try document(isSingleUse: true)], try document())
        var vault = try await Vault.create(at: folder, key: Self.key)
        var store = HeldDocumentStore(in: vault)
        try await store.add(copies + [plain])
        try await store.takeOut([copies[0], plain])
        // Nothing is put back: the process is gone.
        await vault.close()
        vault = try await Vault.open(at: folder, key: Self.key)
        store = HeldDocumentStore(in: vault)
        #expect(try await ids(store) == [copies[1].id, plain.id])
        #expect(try await store.entries().map(\.isUsed) == [true, false, false])
        // It is neither shown again nor added again, and its key is not in the vault any more.
        await #expect(throws: VaultError(.recordVersion, "")) { try await store.takeOut([copies[0]]) }
        await #expect(throws: VaultError(.recordExists, "")) { try await store.add([copies[0]]) }
        #expect(try await vault.record(copies[0].id, in: HeldDocumentStore.category)?.value == [])
        await vault.close()
    }

    @Test func `a copy whose proof did not leave is put back at its place, and documents of many uses stay`()
        async throws
    {
        let documents = [try document(isSingleUse: true), try document()]
        let vault = try await Vault.create(at: folder, key: Self.key)
        let store = HeldDocumentStore(in: vault)
        try await store.add(documents)
        for _ in 0..<2 {
            try await store.takeOut(documents)
            #expect(try await ids(store) == [documents[1].id])
            try await store.putBack(documents)
            #expect(try await store.documents().map { $0.file() } == documents.map { $0.file() })
        }
        // One that was removed meanwhile stays away.
        try await store.takeOut(documents)
        try await store.remove(documents[0].id)
        try await store.putBack(documents)
        #expect(try await ids(store) == [documents[1].id])
        await vault.close()
    }

    @Test func `of several copies all are taken out or none`() async throws {
        let copies = [try document(isSingleUse: true), try document(isSingleUse: true)]
        let vault = try await Vault.create(at: folder, key: Self.key)
        let store = HeldDocumentStore(in: vault)
        try await store.add(copies)
        try await store.takeOut([copies[1]])
        await #expect(throws: VaultError(.recordVersion, "")) { try await store.takeOut(copies) }
        #expect(try await ids(store) == [copies[0].id])
        await vault.close()
    }

    @Test func `a vault has at most 64 documents to show, and a file with one more adds none`() async throws {
        let vault = try await Vault.create(at: folder, key: Self.key)
        let store = HeldDocumentStore(in: vault)
        let documents = try (0..<HeldDocumentStore.maximumCount).map { _ in try document(isSingleUse: true) }
        try await store.add(Array(documents.dropLast()))
        let two = [try document(), try document()]
        await #expect(throws: VaultError(.limit, "")) { try await store.add(two) }
        #expect(try await ids(store).count == HeldDocumentStore.maximumCount - 1)
        try await store.add([documents[HeldDocumentStore.maximumCount - 1]])
        await #expect(throws: VaultError(.limit, "")) { try await store.add([two[0]]) }
        // A used copy leaves room.
        try await store.takeOut([documents[0]])
        try await store.add([two[0]])
        await vault.close()
    }

    @Test func `the traces of 1,024 used copies are kept, and the oldest goes when there is one more`() async throws {
        let vault = try await Vault.create(at: folder, key: Self.key)
        let store = HeldDocumentStore(in: vault)
        try await vault.write { writer in
            for number in 1..<HeldDocumentStore.maximumUsedCount {
                try writer.insert(
                    "old\(number)", in: HeldDocumentStore.category, tags: [RecordTag("state", "used")], value: [])
            }
        }
        let copies = [try document(isSingleUse: true), try document(isSingleUse: true)]
        try await store.add(copies)
        try await store.takeOut([copies[0]])
        #expect(try await vault.record("old1", in: HeldDocumentStore.category) != nil)
        try await store.takeOut([copies[1]])
        #expect(try await vault.record("old1", in: HeldDocumentStore.category) == nil)
        #expect(try await vault.count(in: HeldDocumentStore.category) == HeldDocumentStore.maximumUsedCount)
        await vault.close()
    }
}
