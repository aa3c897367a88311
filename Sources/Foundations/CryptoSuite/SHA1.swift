/// The SHA-1 digest (FIPS 180-4), for the opening handshake of WebSockets alone, where RFC 6455 demands it.
///
/// Collisions can be made, so it must protect nothing.
public enum SHA1 {
    /// Returns the 20-byte digest of `bytes`.
    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        guard let digest = HashBackEnd.sha1(bytes) else { preconditionFailure("SHA-1 cannot fail") }
        return digest
    }
}
