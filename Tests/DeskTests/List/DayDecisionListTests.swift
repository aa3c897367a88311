import CryptoSuite
import Determinism
import Foundation
import TestSupport
import Testing
import Vault

@testable import Desk

@Suite struct DayDecisionListTests {
    private static let day = 86_400_000
    private let folder = FileManager.default.temporaryDirectory.appending(path: "desk-\(UUID().uuidString)").path()
    private let now = Lock(Int64(1_790_000_000_000))

    private func withList(_ body: (DayDecisionList) async throws -> Void) async throws {
        try await withVault { list, _ in try await body(list) }
    }

    private func withVault(_ body: (DayDecisionList, Vault) async throws -> Void) async throws {
        let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 5, count: 32)))
        let vault = try await Vault.create(at: folder, key: key)
        let now = now
        let list = DayDecisionList(
            in: vault, days: 2, wallTime: { WallTime(millisecondsSinceEpoch: now.withLock { $0 }) },
            random: SeededRandom(seed: 3))
        do {
            try await body(list, vault)
        } catch {
            await vault.close()
            throw error
        }
        await vault.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    private func entry(_ name: String, accepted: Bool = true) -> DayDecisionList.DayListEntry {
        DayDecisionList.DayListEntry(
            time: Int(now.withLock { $0 }), station: 1, result: "genuine", isAccepted: accepted,
            summary: CredentialView.DayListSummary(name: name, issuer: "Town", types: ["Card"], code: nil))
    }

    private func advance(_ milliseconds: Int) { now.withLock { $0 += Int64(milliseconds) } }

    @Test func `entries of the desk's list are found by their texts, newest first`() async throws {
        try await withList { list in
            try await list.add(entry("Amina"))
            advance(1000)
            try await list.add(entry("Benno", accepted: false))
            #expect(try await list.entries().entries.map(\.summary.name) == ["Benno", "Amina"])
            #expect(try await list.entries(holding: "AMI").entries.map(\.summary.name) == ["Amina"])
            #expect(try await list.entries(holding: "rejected").total == 1)
            #expect(try await list.entries(count: 1).entries.count == 1)
            #expect(try await list.entries(count: 1).total == 2)
        }
    }

    @Test(.shows("VD6")) func `a list entry is kept for its days, and erased a moment after`() async throws {
        try await withList { list in
            try await list.add(entry("Amina"))
            advance(2 * Self.day)
            #expect(try await list.eraseExpired() == 0)
            #expect(try await list.entries().total == 1)
            advance(1)
            #expect(try await list.entries().total == 0)
            #expect(try await list.eraseExpired() == 1)
        }
    }

    @Test func `adding an entry to the list erases expired ones`() async throws {
        try await withList { list in
            try await list.add(entry("Amina"))
            advance(2 * Self.day + 1)
            try await list.add(entry("Benno"))
            #expect(try await list.eraseExpired() == 0)
        }
    }

    @Test(.shows("VD6")) func `the desk's list holds 20,000 entries, and one more evicts the oldest`() async throws {
        try await withVault { list, vault in
            let time = now.withLock { $0 }
            try await vault.write { writer in
                for number in 1..<20_000 {
                    let text = #"{"time":\#(time),"station":1,"result":"genuine","accepted":true,"types":[]}"#
                    try writer.insert("\(number)", in: "desk-decision", tags: [], value: Array(text.utf8))
                }
            }
            try await list.add(entry("the 20,000th"))
            #expect(try await vault.count(in: DayDecisionList.category) == 20_000)
            #expect(try await vault.record("1", in: DayDecisionList.category) != nil)
            try await list.add(entry("one more"))
            #expect(try await vault.count(in: DayDecisionList.category) == 20_000)
            #expect(try await vault.record("1", in: DayDecisionList.category) == nil)
            #expect(try await vault.record("2", in: DayDecisionList.category) != nil)
        }
    }

    @Test func `the desk's list is erased on demand`() async throws {
        try await withList { list in
            for number in 0..<3 { try await list.add(entry("\(number)")) }
            try await list.eraseAll()
            #expect(try await list.entries().total == 0)
        }
    }

    @Test func `the list exported for spreadsheets quotes every value and disarms formulas`() async throws {
        try await withList { list in
            try await list.add(entry("=1+1 \"x\""))
            let lines = try await list.table().split(separator: "\r\n")
            #expect(lines[0].hasPrefix("\"time\",\"station\""))
            #expect(lines[1].hasPrefix("\"2026-09-21T14:13:20Z\",\"1\",\"genuine\",\"accepted\",\"'=1+1 \"\"x\"\"\""))
        }
    }

    @Test func `an exported name with combining marks after quotation marks stays in its cell, disarmed`() async throws
    {
        try await withList { list in
            try await list.add(entry("=\u{301}A\"\u{301},=1+1,"))
            let line = Array(try #require(try await list.table().split(separator: "\r\n").last).utf8)
            let expected = Array("\"accepted\",\"'=\u{301}A\"\"\u{301},=1+1,\",\"Town\"".utf8)
            #expect((0..<line.count).contains { line[$0...].starts(with: expected) })
        }
    }

    @Test func `a closed vault makes the desk's list fail with its code`() async throws {
        let key = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 5, count: 32)))
        let vault = try await Vault.create(at: folder, key: key)
        let list = DayDecisionList(
            in: vault, days: 2, wallTime: { WallTime(millisecondsSinceEpoch: 0) }, random: SeededRandom(seed: 3))
        await vault.close()
        await #expect(throws: StationError(.listFailed)) { try await list.add(entry("A")) }
        #expect(StationError(VaultError(.full, "")).code == .diskFull)
        try FileManager.default.removeItem(atPath: folder)
    }
}
