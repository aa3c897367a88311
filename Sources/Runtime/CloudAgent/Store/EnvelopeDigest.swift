import CryptoSuite

/// What is kept beside an envelope to find out whether its bytes have changed: the first eight bytes of its SHA-256.
///
/// It finds faults of disks and copies. Who can write into the store can write another digest too, and what was altered so does not
/// open for its recipient.
enum EnvelopeDigest {
    static func of(_ envelope: [UInt8]) -> Int64 {
        Int64(bitPattern: SHA256.hash(envelope).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
}
