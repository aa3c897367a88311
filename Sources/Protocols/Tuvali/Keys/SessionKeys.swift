public import CryptoSuite

/// The keys that both ends of a session derive from their key pairs.
///
/// X25519, then HKDF-SHA-256 with the salt `SHA-256` (seven ASCII bytes) and the info `SKWallet` or `SKVerifier`; 32
/// bytes each. The sender encrypts with the receiver's key. The one nonce of the session serves one message in each
/// direction. Source: Tuvali documentation (docs.mosip.io) "Cryptographic Algorithm usage"; salt and infos as deployed.
public struct SessionKeys: Sendable {
    /// The key that encrypts the messages to the wallet (`SKWallet`).
    public let wallet: Secret

    /// The key that encrypts the messages to the verifier (`SKVerifier`).
    public let verifier: Secret

    /// Derives the keys of a session from a private key and the peer's public key.
    ///
    /// - Throws: `crypto.low-order-point` when the peer's key contributes nothing, `crypto.invalid-key`.
    public init(privateKey: Secret, peerPublicKey: [UInt8]) throws(CryptoError) {
        let shared = try X25519.sharedSecret(privateKey: privateKey, publicKey: peerPublicKey)
        let salt = Array("SHA-256".utf8)
        wallet = try HKDF.deriveSHA256(inputKey: shared, salt: salt, info: Array("SKWallet".utf8), count: 32)
        verifier = try HKDF.deriveSHA256(inputKey: shared, salt: salt, info: Array("SKVerifier".utf8), count: 32)
    }
}
