import ByteCoding
import CryptoSuite
import Determinism

/// The keys of an open vault, all derived from its data key.
struct VaultKeys: Sendable {
    /// The length of the hashes of names and of the hash tree.
    static let hashCount = 16
    /// The length of a vault's identifier.
    static let vaultIDCount = 16
    /// The length of a data key's identifier.
    static let keyIDCount = 8
    /// The length of a data key.
    static let dataKeyCount = 32

    /// The vault's random identifier, drawn when it was made.
    let vaultID: [UInt8]
    /// A random identifier of the data key, which reveals nothing about it.
    let keyID: [UInt8]

    /// The key from which the others are derived; kept to wrap it again.
    let dataKey: Secret
    private let sealing: Secret
    private let naming: Secret
    private let summing: Secret

    init(dataKey: Secret, vaultID: [UInt8]) throws(VaultError) {
        func derive(_ purpose: String) throws(VaultError) -> [UInt8] {
            try Self.hash(Array("symbolon vault 1 \(purpose)".utf8) + vaultID, key: dataKey, count: 32)
        }
        func secret(_ purpose: String) throws(VaultError) -> Secret {
            var bytes = try derive(purpose)
            return Secret(consuming: &bytes)
        }
        self.vaultID = vaultID
        self.dataKey = dataKey
        keyID = Array(try derive("identifier").prefix(Self.keyIDCount))
        sealing = try secret("sealing")
        naming = try secret("naming")
        summing = try secret("summing")
    }

    /// The keyed hash that the database has instead of a category.
    func hash(category: String) throws(VaultError) -> [UInt8] { try name("category", [category]) }

    /// The keyed hash that the database has instead of an identifier.
    func hash(id: String, category: String) throws(VaultError) -> [UInt8] { try name("id", [category, id]) }

    /// The keyed hash that the database has instead of a tag.
    func hash(tag: RecordTag, category: String) throws(VaultError) -> [UInt8] {
        try name("tag", [category, tag.name, tag.value])
    }

    /// The keyed hash of a block of the tree.
    func sum(level: Int, number: UInt64, block: [UInt8]) throws(VaultError) -> [UInt8] {
        var message = vaultID
        message.appendBigEndian(UInt8(truncatingIfNeeded: level))
        message.appendBigEndian(number)
        return try Self.hash(message + block, key: summing, count: Self.hashCount)
    }

    /// Encrypts `plaintext` for one location, which `associatedData` describes; returns form, nonce,
    /// ciphertext and tag.
    func seal(_ plaintext: [UInt8], for associatedData: [UInt8], random: inout some RandomSource) throws(VaultError)
        -> [UInt8]
    {
        try VaultCipher.seal(plaintext, key: sealing, associatedData: vaultID + keyID + associatedData, random: &random)
    }

    /// Decrypts the result of `seal` for the same location; nil for other bytes.
    func unseal(_ sealed: [UInt8], for associatedData: [UInt8]) throws(VaultError) -> [UInt8]? {
        try VaultCipher.open(sealed, key: sealing, associatedData: vaultID + keyID + associatedData)
    }

    /// Authenticates a mark: only a process with the vault's keys can write it.
    func markSum(_ generation: UInt64) throws(VaultError) -> [UInt8] {
        var message = Array("mark".utf8) + vaultID
        message.appendBigEndian(generation)
        return try Self.hash(message, key: summing, count: Self.hashCount)
    }

    private func name(_ purpose: String, _ parts: [String]) throws(VaultError) -> [UInt8] {
        var message = Array("\(purpose):".utf8)
        for part in parts {
            message.appendBigEndian(UInt32(truncatingIfNeeded: part.utf8.count))
            message += part.utf8
        }
        return try Self.hash(message, key: naming, count: Self.hashCount)
    }

    /// The keyed BLAKE2b hash of `message`.
    static func hash(_ message: [UInt8], key: Secret, count: Int) throws(VaultError) -> [UInt8] {
        do {
            return try Blake2b.hash(message, key: key, count: count)
        } catch {
            throw VaultError(.internal, "A keyed hash could not be computed: \(error.code.rawValue).")
        }
    }
}

/// XChaCha20-Poly1305 with a nonce drawn for each message: form (1), nonce (24), ciphertext, tag (16).
///
/// Nonces of 24 bytes are random, not counted, so that processes and copies of a vault need no coordination.
enum VaultCipher {
    /// The first byte of every sealed message.
    static let form: UInt8 = 1
    /// The bytes that sealing adds to a message.
    static let overhead = 1 + AuthenticatedCipher.xChaChaPoly.nonceCount + AuthenticatedCipher.tagCount

    static func seal(
        _ plaintext: [UInt8], key: Secret, associatedData: [UInt8], random: inout some RandomSource
    ) throws(VaultError) -> [UInt8] {
        let nonce = random.bytes(count: AuthenticatedCipher.xChaChaPoly.nonceCount)
        do {
            return [form] + nonce
                + (try AuthenticatedCipher.xChaChaPoly.seal(
                    plaintext, key: key, nonce: nonce, additionalData: [form] + associatedData))
        } catch {
            throw VaultError(.internal, "A record could not be sealed: \(error.code.rawValue).")
        }
    }

    /// Decrypts a sealed message; nil when it was altered, or sealed for another location or with another key.
    static func open(_ sealed: [UInt8], key: Secret, associatedData: [UInt8]) throws(VaultError) -> [UInt8]? {
        guard sealed.count >= overhead, sealed.first == form else { return nil }
        let nonce = Array(sealed[1..<1 + AuthenticatedCipher.xChaChaPoly.nonceCount])
        do {
            return try AuthenticatedCipher.xChaChaPoly.open(
                sealed[(1 + AuthenticatedCipher.xChaChaPoly.nonceCount)...], key: key, nonce: nonce,
                additionalData: [form] + associatedData)
        } catch {
            if error.code == .authenticationFailed { return nil }
            throw VaultError(.internal, "A record could not be opened: \(error.code.rawValue).")
        }
    }
}
