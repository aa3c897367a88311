import Dispatch
import Foundation
import Testing

@testable import Vault

@Suite struct TransactionTests {
    @Test func `a vault transaction that cannot begin in time fails with the code busy`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            var options = VaultOptions()
            options.busyDeadline = .milliseconds(50)
            let vault = try await Vault.create(at: path, key: .sample, options: options)
            let intruder = Intruder("\(path)/vault.sqlite")
            intruder.run("BEGIN IMMEDIATE")
            await expectError(.busy) { try await vault.insert("a", in: "x", value: []) }
            #expect(try await vault.count(in: "x") == 0, "reading goes on")
            intruder.run("ROLLBACK")
            try await vault.insert("a", in: "x", value: [])
        }
    }

    @Test func `vault transactions beyond the waiting limit fail at once as busy`() async throws {
        try await TemporaryFolder.with { folder in
            var options = VaultOptions()
            options.waitingTransactions = 2
            let vault = try await Vault.create(at: "\(folder)/vault", key: .sample, options: options)
            let (started, didStart) = AsyncStream.makeStream(of: Void.self)
            let gate = DispatchSemaphore(value: 0)
            let holder = Task {
                try await vault.read { _ in
                    didStart.yield()
                    _ = gate.wait(timeout: .now() + 60)
                }
            }
            for await _ in started { break }
            // Two of five find room to wait; the other three fail at once, while the first transaction continues.
            await withTaskGroup(of: VaultError.Code?.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        do { _ = try await vault.count(in: "x") } catch {
                            return (error as? VaultError)?.code ?? .internal
                        }
                        return nil
                    }
                }
                for _ in 0..<3 { #expect(await group.next() == .some(.busy)) }
                gate.signal()
                for _ in 0..<2 { #expect(await group.next() == .some(nil)) }
            }
            try await holder.value
        }
    }

    @Test func `a cancelled task runs no transaction on the vault`() async throws {
        try await TemporaryFolder.with { folder in
            let vault = try await Vault.create(at: "\(folder)/vault", key: .sample)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await vault.insert("a", in: "x", value: [])
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await vault.count(in: "x") == 0)
        }
    }

    @Test func `a vault transaction that fails half-way is undone, even when the failure is caught`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/vault"
            let vault = try await Vault.create(at: path, key: .sample)
            try await vault.insert("a", in: "x", tags: [RecordTag("t", "v")], value: [])
            let intruder = Intruder("\(path)/vault.sqlite")
            // The row of the next slot is taken, so the insertion fails on the way.
            intruder.run("INSERT INTO records VALUES (1, x'00', x'00', x'00')")
            await expectError(.damaged) {
                try await vault.write { step in
                    try step.remove("a", in: "x", expecting: nil)
                    _ = try? step.insert("b", in: "x", tags: [], value: [])
                }
            }
            #expect(try await vault.record("a", in: "x") != nil)
        }
    }

    @Test func `the vault's hash tree adds a level after 64 and after 4,096 records, and finds every record`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let vault = try await Vault.create(at: "\(folder)/vault", key: .sample)
            // 64 slots fill one level and 4,096 two.
            for range in [0..<64, 64..<65, 65..<4096, 4096..<4097] {
                try await vault.write { step in
                    for number in range { try step.insert("id\(number)", in: "x", tags: [], value: []) }
                }
                #expect(try await vault.record("id0", in: "x") != nil)
                #expect(try await vault.record("id\(range.upperBound - 1)", in: "x") != nil)
            }
            let report = try await vault.check()
            #expect(report.findings == [] && report.records == 4097)
            try await vault.write { step in
                for number in 0..<4097 { try step.remove("id\(number)", in: "x", expecting: 1) }
            }
            let empty = try await vault.check()
            #expect(empty.findings == [] && empty.records == 0)
            try await vault.insert("again", in: "x", value: [1])
            #expect(try await vault.record("again", in: "x")?.value == [1])
        }
    }

    @Test func `vault cursors at the edges of integers find no record`() async throws {
        try await TemporaryFolder.with { folder in
            let vault = try await Vault.create(at: "\(folder)/vault", key: .sample)
            try await vault.insert("a", in: "x", value: [])
            for position in [UInt64.max, UInt64(Int64.max), UInt64(Int64.max) + 1] {
                let cursor = RecordCursor(position: position)
                #expect(try await vault.records(in: "x", after: cursor).records.isEmpty)
                #expect(try await vault.records(in: "x", order: .newestFirst, after: cursor).records.count <= 1)
            }
        }
    }
}
