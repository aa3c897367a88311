package import CryptoSuite
package import Determinism

/// A private key that agrees on secrets, on one of the curves of COSE.
package enum AgreementKey: Sendable {
    /// A key of a curve in short Weierstrass form.
    case ecdsa(ECDSA.PrivateKey)
    /// An X25519 key, 32 bytes.
    case x25519(Secret)
    /// An X448 key, 56 bytes.
    case x448(Secret)

    /// Draws a key on the curve of another side's key; nil for a key that agrees on nothing.
    ///
    /// Throws the errors of drawing a key.
    package static func make(
        onCurveOf peer: COSEKey, from random: inout some RandomSource
    ) throws(CryptoError) -> Self? {
        switch peer {
        case .ecdsa(let key): .ecdsa(try ECDSA.PrivateKey.make(key.curve, from: &random))
        case .x25519: .x25519(X25519.makePrivateKey(from: &random))
        case .x448: .x448(X448.makePrivateKey(from: &random))
        case .ed25519, .ed448, .unknown: nil
        }
    }

    /// Returns the public key; throws the errors of computing it.
    package func publicKey() throws(CryptoError) -> COSEKey {
        switch self {
        case .ecdsa(let key): .ecdsa(key.publicKey)
        case .x25519(let key): .x25519(try X25519.publicKey(for: key))
        case .x448(let key): .x448(try X448.publicKey(for: key))
        }
    }

    /// Returns the secret that both sides compute: the x coordinate of ECDH, or the result of X25519 or X448.
    ///
    /// Throws `crypto.invalid-key` for a key of another curve, and `crypto.low-order-point`.
    package func sharedSecret(with peer: COSEKey) throws(CryptoError) -> Secret {
        switch (self, peer) {
        case (.ecdsa(let key), .ecdsa(let peer)): try ECDH.sharedSecret(privateKey: key, publicKey: peer)
        case (.x25519(let key), .x25519(let peer)): try X25519.sharedSecret(privateKey: key, publicKey: peer)
        case (.x448(let key), .x448(let peer)): try X448.sharedSecret(privateKey: key, publicKey: peer)
        default: throw CryptoError(.invalidKey, "the two keys are of two curves")
        }
    }
}
