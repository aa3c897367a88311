import ByteCoding
import CryptoSuite

/// Reads an export, frame by frame; memory for a length is allocated only after the length was compared with its limit.
struct VaultExportReader {
    /// The most records of an export.
    static let maximumRecords: UInt64 = 10_000_000

    private let head: VaultExportHead
    private let key: Secret
    private let read: (Int) throws(VaultError) -> [UInt8]?
    private var number: UInt64 = 0
    private var recordCount: UInt64 = 0

    /// Begins behind the head; `read` returns exactly the requested number of bytes, or nil when the file ends before.
    init(_ head: VaultExportHead, key: Secret, read: @escaping (Int) throws(VaultError) -> [UInt8]?) {
        self.head = head
        self.key = key
        self.read = read
    }

    /// Reads the head of an export.
    ///
    /// - Throws: `vault.export.malformed`, `vault.export.truncated`.
    static func head(_ read: (Int) throws(VaultError) -> [UInt8]?) throws(VaultError) -> VaultExportHead {
        guard let bytes = try read(VaultExportHead.encodedCount) else {
            throw VaultError(.exportTruncated, "The file is shorter than the beginning of an export.")
        }
        guard let head = VaultExportHead(decoding: bytes) else {
            throw VaultError(.exportMalformed, "The file does not begin as an export does.")
        }
        return head
    }

    /// The records of the next frame; nil after the end frame, which must be the last of the file.
    ///
    /// - Throws: `vault.export.malformed`, `vault.export.truncated`, `vault.export.wrong-passphrase`, `vault.limit`.
    mutating func next() throws(VaultError) -> [StoredRecord]? {
        guard let start = try read(5) else {
            throw VaultError(.exportTruncated, "The export ends without its last frame.")
        }
        var fields = ByteReader(start)
        guard let kind = fields.byte().flatMap(VaultExportFrame.Kind.init(rawValue:)),
            let count = fields.bigEndian(UInt32.self), Int(count) <= VaultExportFrame.maximumBytes
        else { throw malformed("A frame does not follow the format.") }
        guard let sealed = try read(Int(count)) else {
            throw VaultError(.exportTruncated, "The export ends in the middle of a frame.")
        }
        let content = try open(sealed, kind)
        number += 1
        switch kind {
        case .records: return try records(in: content)
        case .end:
            try finish(content)
            return nil
        }
    }

    private func open(_ sealed: [UInt8], _ kind: VaultExportFrame.Kind) throws(VaultError) -> [UInt8] {
        let associatedData = VaultExportFrame.associatedData(head, number, kind)
        if let content = try VaultCipher.open(sealed, key: key, associatedData: associatedData) { return content }
        if number == 0 {
            throw VaultError(.exportWrongPassphrase, "The first frame of the export does not open with the passphrase.")
        }
        throw malformed("A frame was altered or moved.")
    }

    private mutating func records(in content: [UInt8]) throws(VaultError) -> [StoredRecord] {
        var reader = ByteReader(content)
        var records: [StoredRecord] = []
        while !reader.isAtEnd {
            guard let count = reader.bigEndian(UInt32.self), let bytes = reader.bytes(Int(count)),
                let body = VaultRecordEncoding(decoding: Array(bytes))
            else { throw malformed("A record does not follow the format.") }
            records.append(body.record)
        }
        recordCount += UInt64(records.count)
        guard recordCount <= Self.maximumRecords else {
            throw VaultError(.limit, "An export has at most \(Self.maximumRecords) records.")
        }
        return records
    }

    private func finish(_ content: [UInt8]) throws(VaultError) {
        var reader = ByteReader(content)
        guard reader.bigEndian(UInt64.self) == recordCount, reader.isAtEnd else {
            throw malformed("The export has another number of records than it says.")
        }
        guard try read(1) == nil else { throw malformed("Something follows the end of the export.") }
    }

    private func malformed(_ reason: String) -> VaultError { VaultError(.exportMalformed, reason) }
}
