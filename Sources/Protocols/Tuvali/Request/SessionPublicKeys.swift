/// The public session keys of both ends, to which a request and its answer are bound.
public struct SessionPublicKeys: Hashable, Sendable {
    /// The verifier's X25519 public key, 32 bytes; it comes from the QR code.
    public let verifier: [UInt8]

    /// The wallet's X25519 public key, 32 bytes; it comes from the Identify request.
    public let wallet: [UInt8]

    /// Makes the pair of public keys.
    public init(verifier: [UInt8], wallet: [UInt8]) {
        self.verifier = verifier
        self.wallet = wallet
    }
}
