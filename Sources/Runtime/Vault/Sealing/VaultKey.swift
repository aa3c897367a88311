public import CryptoSuite

/// The key that opens a vault.
public enum VaultKey: Sendable {
    /// A passphrase of 1 to 1,024 bytes; the cost is used when the passphrase is set, and read from the vault when it
    /// is opened.
    case passphrase(Secret, cost: PassphraseCost = .moderate)

    /// The 32 bytes of a key file, see `KeyFile`.
    case keyFile(Secret)

    /// The most bytes of a passphrase.
    public static let maximumPassphraseBytes = 1024
}
