import ByteCoding
import CryptoSuite
import Determinism

/// Writes an export, frame by frame.
struct VaultExportWriter {
    private let head: VaultExportHead
    private let key: Secret
    private let write: ([UInt8]) throws(VaultError) -> Void
    private var random: any RandomSource
    private var number: UInt64 = 0
    private var gathered: [UInt8] = []
    private(set) var recordCount: UInt64 = 0
    private(set) var byteCount = 0

    /// Makes a writer and writes the header of the export.
    init(
        _ head: VaultExportHead, key: Secret, random: any RandomSource,
        write: @escaping ([UInt8]) throws(VaultError) -> Void
    ) throws(VaultError) {
        self.head = head
        self.key = key
        self.random = random
        self.write = write
        try put(head.encoded)
    }

    mutating func append(_ record: StoredRecord) throws(VaultError) {
        let body = VaultRecordEncoding(record).encoded
        gathered.appendBigEndian(UInt32(truncatingIfNeeded: body.count))
        gathered += body
        recordCount += 1
        if gathered.count >= VaultExportFrame.targetBytes { try flush() }
    }

    /// Writes the rest of the records, and the end.
    mutating func finish() throws(VaultError) {
        if !gathered.isEmpty { try flush() }
        var total: [UInt8] = []
        total.appendBigEndian(recordCount)
        try frame(.end, total)
    }

    private mutating func flush() throws(VaultError) {
        try frame(.records, gathered)
        gathered.removeAll(keepingCapacity: true)
    }

    private mutating func frame(_ kind: VaultExportFrame.Kind, _ content: [UInt8]) throws(VaultError) {
        let sealed = try VaultCipher.seal(
            content, key: key, associatedData: VaultExportFrame.associatedData(head, number, kind), random: &random)
        var bytes = [kind.rawValue]
        bytes.appendBigEndian(UInt32(truncatingIfNeeded: sealed.count))
        number += 1
        try put(bytes + sealed)
    }

    private mutating func put(_ bytes: [UInt8]) throws(VaultError) {
        try write(bytes)
        byteCount += bytes.count
    }
}
