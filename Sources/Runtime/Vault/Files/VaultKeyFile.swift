import ByteCoding
public import CryptoSuite
public import Determinism

/// A file that holds a vault's key, for users who keep a file instead of a passphrase.
///
/// One line of text: `symbolon-key-1 `, then 32 random bytes in base64url without padding, then a line feed. It belongs
/// to one user, mode 0600, or is root's with mode 0440, as a credential of systemd. Any other file that others may
/// read, or that is reached through a symbolic link, is refused.
public enum VaultKeyFile {
    /// The length of the key in bytes.
    public static let keyCount = 32

    private static let label = "symbolon-key-1 "
    private static let maximumBytes = 128

    /// Draws a key and writes it to a new file at `path`, whole or not at all.
    ///
    /// - Throws: `vault.exists` when there is something at the path; `vault.storage.full`, `vault.storage.failed`,
    ///   `vault.not-found` for a folder that is not there, `vault.path.permissions`.
    public static func create(at path: String, random: inout some RandomSource) throws -> Secret {
        var key = random.bytes(count: keyCount)
        let line = Array((label + Base64URL.encode(key) + "\n").utf8)
        try PrivateFile.create(path, unique: random.bytes(count: 8)) { try $0.write(line) }
        return Secret(consuming: &key)
    }

    /// Reads the key at `path`.
    ///
    /// - Throws: `vault.not-found`, `vault.path.refused`, `vault.path.permissions`, `vault.key-file.malformed`,
    ///   `vault.storage.failed`.
    public static func read(_ path: String) throws(VaultError) -> Secret {
        let bytes: [UInt8]
        do { bytes = try PrivateFile.read(path, limit: maximumBytes) } catch {
            throw error.code == .limit ? malformed : error
        }
        guard let key = key(in: bytes) else { throw malformed }
        return Secret(copying: key)
    }

    /// The key in the content of a key file; nil for any other content.
    static func key(in bytes: [UInt8]) -> [UInt8]? {
        guard let text = String(validating: bytes, as: UTF8.self), text.hasPrefix(label), text.hasSuffix("\n") else {
            return nil
        }
        let digits = text.dropFirst(label.count).dropLast()
        guard let key = Base64URL.decode(digits), key.count == keyCount, Base64URL.encode(key) == digits else {
            return nil
        }
        return key
    }

    private static var malformed: VaultError {
        VaultError(.keyFileMalformed, "A key file is one line that begins with \(label)")
    }
}
