#if DEBIAN_LIBRARIES
    /// Derives a key from a passphrase at a price in time and memory (RFC 9106, version 1.3, one lane).
    public enum Argon2id {
        /// The length of an Argon2id salt in bytes.
        public static let saltCount = 16

        /// The length of the derived key in bytes.
        public static let keyCount = 32

        /// The allowed numbers of passes over the memory.
        public static let operations = 1...64

        /// The allowed amounts of memory: 8 KiB to 4 GiB.
        public static let memoryBytes = 8_192...4_294_967_296

        /// Returns the 32-byte key for `passphrase`; the same inputs always give the same one.
        ///
        /// It blocks its thread for as long as the cost sets: 3 passes over 256 MiB take about half a second. Memory
        /// counts in whole KiB. Throws `crypto.invalid-length` for a salt that is not 16 bytes and for costs outside
        /// `operations` and `memoryBytes`, `crypto.internal` when the memory cannot be had.
        public static func deriveKey(
            passphrase: Secret, salt: [UInt8], operations: Int, memoryBytes: Int
        ) throws(CryptoError) -> Secret {
            guard salt.count == saltCount else {
                throw CryptoError(.invalidLength, "a salt has \(saltCount) bytes, not \(salt.count)")
            }
            guard Self.operations.contains(operations), Self.memoryBytes.contains(memoryBytes) else {
                throw CryptoError(.invalidLength, "\(operations) passes over \(memoryBytes) bytes are not allowed")
            }
            let key = BackEnd.argon2id(passphrase, salt: salt, operations: operations, memoryBytes: memoryBytes)
            return try CryptoError.require(key, "the memory for the passphrase could not be had")
        }
    }
#endif
