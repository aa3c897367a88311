/// The first message of a wallet: nonce and public key, in the clear.
///
/// Shape: nonce (12 bytes), X25519 public key (32 bytes, little-endian u-coordinate). Source: Tuvali documentation
/// (docs.mosip.io) "Connection Setup & Cryptographic key exchange"; the length as deployed.
public struct IdentifyRequest: Hashable, Sendable {
    /// The number of bytes of the Identify request on the wire: 44.
    public static let byteCount = 44

    /// The number of bytes of the nonce: 12, the size of a GCM initialisation vector.
    public static let nonceBytes = 12

    /// The initialisation vector of the session.
    public let nonce: [UInt8]

    /// The wallet's public key.
    public let publicKey: [UInt8]

    /// Makes an Identify request; both parts must have their lengths.
    public init(nonce: [UInt8], publicKey: [UInt8]) {
        precondition(nonce.count == Self.nonceBytes && publicKey.count == 32, "an identify request has 12 + 32 bytes")
        self.nonce = nonce
        self.publicKey = publicKey
    }

    /// Reads an Identify request; nil when it is shorter than 44 bytes.
    ///
    /// Bytes beyond them are ignored, as by deployed verifiers.
    public init?(parsing value: some Collection<UInt8>) {
        guard value.count >= Self.byteCount else { return nil }
        nonce = Array(value.prefix(Self.nonceBytes))
        publicKey = Array(value.dropFirst(Self.nonceBytes).prefix(32))
    }

    /// The 44 bytes of the Identify request on the wire: nonce and public key.
    public var bytes: [UInt8] { nonce + publicKey }
}
