import ByteCoding
import CryptoSuite
import Determinism
import SQLiteEngine

/// The head of an export file: magic (16), form (1), passes (4), memory in KiB (4), salt (16).
struct VaultExportHead: Hashable {
    static let magic = Array("symbolon-export\n".utf8)
    static let form: UInt8 = 1
    static let encodedCount = magic.count + 1 + 4 + 4 + WrappedKey.saltCount

    let cost: PassphraseCost
    let salt: [UInt8]

    init(cost: PassphraseCost, random: inout some RandomSource) {
        self.cost = cost
        salt = random.bytes(count: WrappedKey.saltCount)
    }

    var encoded: [UInt8] {
        var bytes = Self.magic + [Self.form]
        bytes.appendBigEndian(cost.operations)
        bytes.appendBigEndian(cost.memoryKiB)
        return bytes + salt
    }

    /// Reads the bytes of `encoded`; nil for other bytes, and for a cost that is out of range.
    init?(decoding bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.bytes(Self.magic.count)?.elementsEqual(Self.magic) == true, reader.byte() == Self.form,
            let operations = reader.bigEndian(UInt32.self), let memory = reader.bigEndian(UInt32.self),
            let cost = PassphraseCost(operations: operations, memoryKiB: memory),
            let salt = reader.bytes(WrappedKey.saltCount), reader.isAtEnd
        else { return nil }
        self.cost = cost
        self.salt = Array(salt)
    }

    /// The key of all frames.
    func key(for passphrase: Secret) throws(VaultError) -> Secret {
        try PassphraseKeyDerivation.stretch(passphrase, cost: cost, salt: salt)
    }
}

/// A frame of an export: kind (1), length of the sealed content (4), then the content, sealed with its position in this
/// export as associated data.
enum VaultExportFrame {
    enum Kind: UInt8 {
        /// Records, each with its length (4) before it.
        case records = 1
        /// The number of all records (8); nothing follows.
        case end = 2
    }

    /// The bytes of records that are collected before a frame is written.
    static let targetBytes = 1 << 20
    /// The longest frame that is read: gathered records and one of the largest.
    static let maximumBytes = targetBytes + SQLiteValue.maximumBlobBytes

    static func associatedData(_ head: VaultExportHead, _ number: UInt64, _ kind: Kind) -> [UInt8] {
        var associatedData = head.encoded
        associatedData.appendBigEndian(number)
        return associatedData + [kind.rawValue]
    }
}
