public import CryptoSuite

/// The key that opens a vault.
public enum VaultKey: Sendable {
    /// A passphrase of 1 to 1,024 bytes; the cost is used when the passphrase is set, and read from the vault when it
    /// is opened.
    case passphrase(Secret, cost: PassphraseCost = .moderate)

    /// The 32 bytes of a key file, see `VaultKeyFile`.
    case keyFile(Secret)

    /// The key in the key file at `path`; where there is none, a new one with a fresh key.
    ///
    /// For applications whose system has no store of secrets: the file is all that it takes to open the vault.
    ///
    /// - Throws: as `VaultKeyFile.read(_:)` and `VaultKeyFile.create(at:random:)`.
    public static func keyFile(at path: String) throws -> VaultKey {
        do throws(VaultError) {
            return .keyFile(try VaultKeyFile.read(path))
        } catch {
            guard error.code == .notFound else { throw error }
            var random = SystemRandom()
            return .keyFile(try VaultKeyFile.create(at: path, random: &random))
        }
    }

    /// The most bytes of a passphrase.
    public static let maximumPassphraseBytes = 1024
}
