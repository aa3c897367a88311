import ByteCoding
import CryptoSuite
import Determinism

/// A data key, sealed with a key from the user's passphrase or key file.
///
/// Form (1), kind (1), passes (4), memory in KiB (4), salt (16), then the data key as `VaultCipher` seals it. For a key
/// file the passes and the memory are 0. The fields before the sealed key are its associated data.
struct WrappedKey: Hashable {
    enum Kind: UInt8, Hashable {
        case passphrase = 1
        case keyFile = 2
    }

    static let form: UInt8 = 1
    static let saltCount = 16
    static let encodedCount = 1 + 1 + 4 + 4 + saltCount + VaultCipher.overhead + VaultKeys.dataKeyCount

    let kind: Kind
    /// The cost of the passphrase; nil for a key file.
    let cost: PassphraseCost?
    let salt: [UInt8]
    let sealed: [UInt8]

    private var head: [UInt8] {
        var bytes = [Self.form, kind.rawValue]
        bytes.appendBigEndian(cost?.operations ?? 0)
        bytes.appendBigEndian(cost?.memoryKiB ?? 0)
        return bytes + salt
    }

    var encoded: [UInt8] { head + sealed }

    /// Reads the bytes of `encoded`; nil for other bytes, and for a cost that is out of range.
    init?(decoding bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard bytes.count == Self.encodedCount, reader.byte() == Self.form,
            let kind = reader.byte().flatMap(Kind.init(rawValue:)), let operations = reader.bigEndian(UInt32.self),
            let memory = reader.bigEndian(UInt32.self), let salt = reader.bytes(Self.saltCount)
        else { return nil }
        let cost = PassphraseCost(operations: operations, memoryKiB: memory)
        switch kind {
        case .passphrase: guard cost != nil else { return nil }
        case .keyFile: guard operations == 0, memory == 0 else { return nil }
        }
        self.kind = kind
        self.cost = cost
        self.salt = Array(salt)
        sealed = Array(reader.rest())
    }

    /// Seals `dataKey` with `key`.
    init(_ dataKey: Secret, with key: VaultKey, vaultID: [UInt8], random: inout some RandomSource) throws(VaultError) {
        salt = random.bytes(count: Self.saltCount)
        switch key {
        case .passphrase(_, let cost): (kind, self.cost) = (.passphrase, cost)
        case .keyFile: (kind, cost) = (.keyFile, nil)
        }
        var head = [Self.form, kind.rawValue]
        head.appendBigEndian(cost?.operations ?? 0)
        head.appendBigEndian(cost?.memoryKiB ?? 0)
        let wrapping = try Self.wrappingKey(key, kind: kind, cost: cost, salt: salt)
        sealed = try VaultCipher.seal(
            dataKey.copyBytes(), key: wrapping, associatedData: Self.purpose + head + salt + vaultID, random: &random)
    }

    /// Unwraps the data key with the user's passphrase or key file.
    ///
    /// - Throws: `vault.key.kind`, `vault.key.wrong`, `vault.passphrase.length`.
    func unwrap(with key: VaultKey, vaultID: [UInt8]) throws(VaultError) -> Secret {
        let wrapping = try Self.wrappingKey(key, kind: kind, cost: cost, salt: salt)
        guard var bytes = try VaultCipher.open(sealed, key: wrapping, associatedData: Self.purpose + head + vaultID)
        else {
            throw VaultError(.keyWrong, "The data key of the vault does not open with the key given.")
        }
        return Secret(consuming: &bytes)
    }

    private static let purpose = Array("symbolon vault key".utf8)

    private static func wrappingKey(
        _ key: VaultKey, kind: Kind, cost: PassphraseCost?, salt: [UInt8]
    ) throws(VaultError) -> Secret {
        switch (key, kind, cost) {
        case (.passphrase(let passphrase, _), .passphrase, let cost?):
            return try PassphraseKeyDerivation.stretch(passphrase, cost: cost, salt: salt)
        case (.keyFile(let secret), .keyFile, _):
            guard secret.count == VaultKeyFile.keyCount else {
                throw VaultError(.keyFileMalformed, "A key file holds \(VaultKeyFile.keyCount) bytes.")
            }
            var bytes = try VaultKeys.hash(Array("symbolon vault key file".utf8) + salt, key: secret, count: 32)
            return Secret(consuming: &bytes)
        default:
            let needed = kind == .keyFile ? "a key file" : "a passphrase"
            throw VaultError(.keyKind, "This vault opens with \(needed).")
        }
    }
}

/// Derives keys from passphrases.
enum PassphraseKeyDerivation {
    /// A key of 32 bytes, by Argon2id, with the time and memory that `cost` sets.
    ///
    /// - Throws: `vault.passphrase.length`, and `vault.internal` when the memory cannot be allocated.
    static func stretch(_ passphrase: Secret, cost: PassphraseCost, salt: [UInt8]) throws(VaultError) -> Secret {
        guard (1...VaultKey.maximumPassphraseBytes).contains(passphrase.count) else {
            throw VaultError(
                .passphraseLength,
                "A passphrase has 1 to \(VaultKey.maximumPassphraseBytes) bytes, not \(passphrase.count).")
        }
        do {
            return try Argon2id.deriveKey(
                passphrase: passphrase, salt: salt, operations: Int(cost.operations),
                memoryBytes: Int(cost.memoryKiB) * 1024)
        } catch {
            throw VaultError(.internal, "The passphrase could not be stretched: \(error.code.rawValue).")
        }
    }
}
