import ByteCoding
import CryptoSuite

/// The binding of a request and its answer to one session: hashes over the public session keys of both ends.
///
/// Source: `Documentation/Profiles/request.md`, sections 7 and 8.
public struct ChannelBinding: Hashable, Sendable {
    /// The verifier's public session key, 32 bytes.
    public let verifierKey: [UInt8]

    /// The wallet's public session key, 32 bytes.
    public let walletKey: [UInt8]

    /// Makes the binding of a session from its public keys.
    public init(verifierKey: [UInt8], walletKey: [UInt8]) {
        self.verifierKey = verifierKey
        self.walletKey = walletKey
    }

    /// The claim `ble_key` of a request in this session.
    public var requestKey: String { Self.requestKey(of: verifierKey) }

    /// Returns the claim `ble_key` for a verifier's key: base64url of its SHA-256, 43 characters.
    public static func requestKey(of verifierKey: [UInt8]) -> String { Base64URL.encode(SHA256.hash(verifierKey)) }

    /// Returns the nonce of an answer: base64url of SHA-256(request's nonce ‖ wallet's key), 43 characters.
    public func answerNonce(for nonce: String) -> String {
        Base64URL.encode(SHA256.hash(Array(nonce.utf8) + walletKey))
    }
}
