import Compression
public import CryptoSuite

/// Keys and cipher of a session, derived as the deployed libraries do.
public struct StockCipher: Sendable {
    /// The key that seals the wallet's messages: the receiver's.
    public let toVerifier: Secret

    /// The nonce of the Identify request, for every message.
    public let nonce: [UInt8]

    /// Agrees on the keys of a session; nil when the peer's key is one of low order.
    public init?(privateKey: Secret, peerKey: [UInt8], nonce: [UInt8]) {
        let salt = Array("SHA-256".utf8)
        guard let shared = try? X25519.sharedSecret(privateKey: privateKey, publicKey: peerKey),
            let verifier = try? HKDF.deriveSHA256(
                inputKey: shared, salt: salt, info: Array("SKVerifier".utf8), count: 32)
        else { return nil }
        toVerifier = verifier
        self.nonce = nonce
    }

    /// Zips and seals; ciphertext, then tag.
    ///
    /// Nil only where memory ends.
    public func seal(_ payload: [UInt8]) -> [UInt8]? {
        guard let zipped = try? Gzip.compress(payload) else { return nil }
        return try? AuthenticatedCipher.aesGCM.seal(zipped, key: toVerifier, nonce: nonce)
    }

    /// Opens and unzips; nil when either fails.
    ///
    /// A deployed verifier unzips without bounds; the model stops at 64 MiB, and so fails where the other ends its
    /// process.
    public func open(_ sealed: [UInt8]) -> [UInt8]? {
        guard let zipped = try? AuthenticatedCipher.aesGCM.open(sealed, key: toVerifier, nonce: nonce) else {
            return nil
        }
        return try? Gzip.decompress(zipped, limits: Gzip.Limits(maximumBytes: 64 << 20, maximumRatio: 2000))
    }
}
