import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Vault

@Suite struct FormatTests {
    private static let record = StoredRecord(
        category: "connection", id: "é1", version: 7, tags: [RecordTag("a", ""), RecordTag("b", "c")], value: [1, 2, 3])

    @Test func `a vault record's body is read as it was written, and malformed ones are refused`() {
        let bytes = VaultRecordEncoding(Self.record).encoded
        #expect(VaultRecordEncoding(decoding: bytes)?.record == Self.record)
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { VaultRecordEncoding(decoding: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { VaultRecordEncoding(decoding: $0) } == [])
    }

    @Test func `a vault record's body beyond the limits is refused`() {
        func body(_ version: UInt64, id: String, tags: Int) -> [UInt8] {
            let tags = (0..<tags).map { RecordTag("t\($0)", "") }
            return VaultRecordEncoding(StoredRecord(category: "c", id: id, version: version, tags: tags, value: []))
                .encoded
        }
        #expect(VaultRecordEncoding(decoding: body(1, id: "a", tags: RecordLimits.tags)) != nil)
        #expect(VaultRecordEncoding(decoding: body(1, id: "a", tags: RecordLimits.tags + 1)) == nil)
        #expect(VaultRecordEncoding(decoding: body(1, id: "", tags: 0)) == nil)
        #expect(VaultRecordEncoding(decoding: body(0, id: "a", tags: 0)) == nil)
    }

    @Test func `a vault header is read as it was written, and malformed ones are refused`() {
        var header = VaultHeader()
        (header.generation, header.nextSlot, header.recordCount, header.height) = (9, 8, 7, 2)
        header.top = Array(1...16)
        let bytes = header.encoded
        #expect(VaultHeader(decoding: bytes) == header)
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { VaultHeader(decoding: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { VaultHeader(decoding: $0) } == [])
        for height in [0, HashTree.maximumHeight + 1] {
            var wrong = header
            wrong.height = UInt8(height)
            #expect(VaultHeader(decoding: wrong.encoded) == nil)
        }
        header.recordCount = 9
        #expect(VaultHeader(decoding: header.encoded) == nil, "more records than slots")
    }

    @Test(arguments: [VaultKey.sample, .passphrase("open sesame")])
    func `a wrapped vault key is read as it was written, and malformed ones are refused`(_ key: VaultKey) throws {
        var random = SeededRandom(seed: 1)
        let dataKey = Secret(copying: random.bytes(count: 32))
        let wrapped = try WrappedKey(dataKey, with: key, vaultID: [1], random: &random)
        let bytes = wrapped.encoded
        #expect(bytes.count == WrappedKey.encodedCount)
        #expect(WrappedKey(decoding: bytes) == wrapped)
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { WrappedKey(decoding: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { WrappedKey(decoding: $0) } == [])
        #expect(try wrapped.unwrap(with: key, vaultID: [1]) == dataKey)
    }

    @Test(.shows("CHK-121")) func `a wrapped vault key with any one bit changed cannot be opened`() throws {
        var random = SeededRandom(seed: 2)
        let key = VaultKey.passphrase("open sesame")
        let dataKey = Secret(copying: random.bytes(count: 32))
        let bytes = try WrappedKey(dataKey, with: key, vaultID: [1], random: &random).encoded
        // A passphrase's cost is in bytes 2 to 9: another one that is allowed is another key, and too dear for a test.
        for index in bytes.indices where !(2..<10).contains(index) {
            for bit in 0..<8 {
                var altered = bytes
                altered[index] ^= 1 << bit
                guard let wrapped = WrappedKey(decoding: altered) else { continue }
                #expect(throws: VaultError.self) { try wrapped.unwrap(with: key, vaultID: [1]) }
            }
        }
        let wrapped = try #require(WrappedKey(decoding: bytes))
        #expect(throws: VaultError(.keyWrong, "")) { try wrapped.unwrap(with: key, vaultID: [2]) }
    }

    @Test(.shows("V9")) func `a vault's passphrase cost is accepted at its limits and refused beyond`() {
        #expect(PassphraseCost(operations: 1, memoryKiB: 8) != nil)
        #expect(PassphraseCost(operations: 16, memoryKiB: 1_048_576) != nil)
        for (operations, memory): (UInt32, UInt32) in [(0, 8), (17, 8), (1, 7), (1, 1_048_577), (.max, .max)] {
            #expect(PassphraseCost(operations: operations, memoryKiB: memory) == nil)
        }
    }

    @Test func `printing a vault record or report shows none of the record's contents`() {
        #expect("\(Self.record)" == "StoredRecord(version 7, 2 tags, 3 bytes)")
        var dumped = ""
        dump(Self.record, to: &dumped)
        #expect(!dumped.contains("connection") && !dumped.contains("é1"))
    }
}
