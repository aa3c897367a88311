import ByteCoding
import CryptoSuite

/// The checksum of a stored envelope: the first eight bytes of its SHA-256.
///
/// It detects faults of disks and copies. An attacker who can write into the store can write another digest too; an
/// altered envelope does not decrypt for its recipient.
enum EnvelopeChecksum {
    static func of(_ envelope: [UInt8]) -> Int64 {
        Int64(bitPattern: UInt64(bigEndianBytes: SHA256.hash(envelope).prefix(8)))
    }
}
