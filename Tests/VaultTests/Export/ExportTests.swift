import CryptoSuite
import Determinism
import Foundation
import TestSupport
import Testing

@testable import Vault

@Suite struct ExportTests {
    private static var passphrase: Secret { Secret(copying: Array("carry me".utf8)) }

    /// An exported vault of records a, b, … and the path of the export.
    private static func withExport(
        records: Int = 3, bytes: Int = 10,
        _ body: (_ folder: String, _ file: String, _ vault: Vault) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let vault = try await Vault.create(at: "\(folder)/vault", key: .sample)
            for number in 0..<records {
                let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
                try await vault.insert("id\(number)", in: "x", tags: [RecordTag("t", "\(number % 2)")], value: value)
            }
            if records > 0 { try await vault.replace("id0", in: "x", expecting: 1, value: [9]) }
            let file = "\(folder)/export"
            let summary = try await vault.exportRecords(to: file, passphrase: passphrase, cost: .leastForTests)
            #expect(summary.records == records)
            #expect(summary.bytes == (try Data(contentsOf: URL(filePath: file))).count)
            try await body(folder, file, vault)
        }
    }

    private static func importing(_ bytes: [UInt8], in folder: String) async throws -> VaultExportSummary {
        let name = UUID().uuidString
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name).export"))
        let vault = try await Vault.create(at: "\(folder)/\(name)", key: .other)
        do {
            let summary = try await vault.importRecords(from: "\(folder)/\(name).export", passphrase: passphrase)
            await vault.close()
            return summary
        } catch {
            #expect(try await vault.check().records == 0, "nothing of a refused export is kept")
            await vault.close()
            throw error
        }
    }

    @Test(arguments: [(0, 10), (3, 10), (300, 10_000)])
    func `exported vault records are imported in order and with their versions`(records: Int, bytes: Int) async throws {
        try await Self.withExport(records: records, bytes: bytes) { (folder, file, vault) async throws in
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let other = try await Vault.create(at: "\(folder)/other", key: .other)
            let summary = try await other.importRecords(from: file, passphrase: Self.passphrase)
            #expect(summary.records == records)
            let there = try await other.records(in: "x", limit: 1000).records
            let here = try await vault.records(in: "x", limit: 1000).records
            let isSame = there == here
            #expect(isSame)
            #expect(try await other.check().findings == [])
        }
    }

    @Test func `a vault export never replaces a file, and leaves none behind when it fails`() async throws {
        try await Self.withExport { (folder, file, vault) async throws in
            let before = try Data(contentsOf: URL(filePath: file))
            await expectError(.exists) {
                _ = try await vault.exportRecords(to: file, passphrase: Self.passphrase, cost: .leastForTests)
            }
            #expect(try Data(contentsOf: URL(filePath: file)) == before)
            Intruder("\(folder)/vault/vault.sqlite").run("DELETE FROM records WHERE slot = 1")
            await expectError(.missing) {
                _ = try await vault.exportRecords(
                    to: "\(folder)/second", passphrase: Self.passphrase, cost: .leastForTests)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(names == ["export", "vault"])
        }
    }

    @Test(.shows("V1")) func `a vault export opens only with its own passphrase`() async throws {
        try await Self.withExport { (folder, file, vault) async throws in
            let other = try await Vault.create(at: "\(folder)/other", key: .other)
            await expectError(.exportWrongPassphrase) {
                _ = try await other.importRecords(from: file, passphrase: Secret(copying: [1]))
            }
            await expectError(.notFound) {
                _ = try await other.importRecords(from: "\(folder)/none", passphrase: Self.passphrase)
            }
            await expectError(.pathRefused) {
                _ = try await other.importRecords(from: folder, passphrase: Self.passphrase)
            }
            await expectError(.recordExists) {
                _ = try await vault.importRecords(from: file, passphrase: Self.passphrase)
            }
            #expect(try await vault.count(in: "x") == 3)
        }
    }

    @Test(.shows("V9")) func `a vault export that is cut short, altered or followed by more is refused as a whole`()
        async throws
    {
        try await Self.withExport { (folder, file, vault) async throws in
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
            for count in [
                0, 1, VaultExportHead.encodedCount - 1, VaultExportHead.encodedCount, bytes.count - 1, bytes.count - 60,
            ] {
                await expectError(.exportTruncated) { _ = try await Self.importing(Array(bytes[..<count]), in: folder) }
            }
            await expectError(.exportMalformed) { _ = try await Self.importing(bytes + [0], in: folder) }
            // Not the cost of the passphrase, which is in bytes 17 to 24: another one is another key, and may be dear.
            let places = Array(0..<17) + Array(25..<50) + Array(stride(from: 50, to: bytes.count, by: 7))
            for place in places {
                var altered = bytes
                altered[place] ^= 4
                do {
                    _ = try await Self.importing(altered, in: folder)
                    Issue.record("byte \(place) was altered and the import went through")
                } catch {
                    let codes: [VaultError.Code] = [.exportMalformed, .exportTruncated, .exportWrongPassphrase]
                    #expect((error as? VaultError).map { codes.contains($0.code) } == true, "\(error)")
                }
            }
        }
    }

    @Test func `a vault export with frames in another order is refused`() async throws {
        try await Self.withExport(records: 30, bytes: 100_000) { (folder, file, vault) async throws in
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
            var frames: [ArraySlice<UInt8>] = []
            var start = VaultExportHead.encodedCount
            while start < bytes.count {
                let count = bytes[start + 1..<start + 5].reduce(0) { $0 << 8 | Int($1) }
                frames.append(bytes[start..<start + 5 + count])
                start += 5 + count
            }
            #expect(frames.count == 4)
            let head = Array(bytes[..<VaultExportHead.encodedCount])
            let whole = try await Self.importing(head + frames.joined(), in: folder)
            #expect(whole.records == 30)
            await expectError(.exportMalformed) {
                _ = try await Self.importing(head + frames[0] + frames[2] + frames[1] + frames[3], in: folder)
            }
            await expectError(.exportMalformed) {
                _ = try await Self.importing(head + frames[0] + frames[3], in: folder)
            }
            await expectError(.exportTruncated) {
                _ = try await Self.importing(head + frames[0] + frames[1] + frames[2], in: folder)
            }
        }
    }

    @Test func `a vault export's header is read as it was written, and refused when cut short or followed by more`() {
        var random = SeededRandom(seed: 1)
        let head = VaultExportHead(cost: .moderate, random: &random)
        #expect(head.encoded.count == VaultExportHead.encodedCount)
        #expect(VaultExportHead(decoding: head.encoded) == head)
        #expect(DecoderVerifier.acceptedTruncations(of: head.encoded) { VaultExportHead(decoding: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: head.encoded) { VaultExportHead(decoding: $0) } == [])
    }

    @Test(.shows("V9")) func `a vault export frame longer than any writer makes is refused before it is read`() throws {
        var random = SeededRandom(seed: 1)
        let head = VaultExportHead(cost: .leastForTests, random: &random)
        for (count, code) in [
            (UInt32(VaultExportFrame.maximumBytes), VaultError.Code.exportTruncated),
            (UInt32(VaultExportFrame.maximumBytes) + 1, .exportMalformed), (.max, .exportMalformed),
        ] {
            var asked = 0
            var start: [UInt8]? = [1] + withUnsafeBytes(of: count.bigEndian) { Array($0) }
            var reader = VaultExportReader(head, key: Secret(copying: [UInt8](repeating: 1, count: 32))) { count in
                asked = max(asked, count)
                defer { start = nil }
                return start
            }
            #expect(throws: VaultError(code, "")) { try reader.next() }
            #expect(asked <= VaultExportFrame.maximumBytes)
        }
    }
}
