package import COSE
package import CryptoSuite
package import Determinism
import MobileSession

/// A curve of the session's keys: those of ISO/IEC 18013-5, table 17, that agree on secrets, and secp256k1.
package enum SessionCurve: String, CaseIterable, Hashable, Sendable {
    case p256, p384, p521, secp256k1, brainpoolP256r1, brainpoolP320r1, brainpoolP384r1, brainpoolP512r1, x25519, x448

    var ecdsa: ECDSA.Curve? {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .secp256k1: .secp256k1
        case .brainpoolP256r1: .brainpoolP256r1
        case .brainpoolP320r1: .brainpoolP320r1
        case .brainpoolP384r1: .brainpoolP384r1
        case .brainpoolP512r1: .brainpoolP512r1
        case .x25519, .x448: nil
        }
    }

    /// Draws a key of the curve; throws the errors of drawing it.
    package func makeKey(from random: inout some RandomSource) throws(CryptoError) -> AgreementKey {
        if let ecdsa { return .ecdsa(try ECDSA.PrivateKey.make(ecdsa, from: &random)) }
        return self == .x448
            ? .x448(X448.makePrivateKey(from: &random)) : .x25519(X25519.makePrivateKey(from: &random))
    }
}

/// The way in which a device proves that it holds its document.
package enum DocumentProof: String, CaseIterable, Hashable, Sendable {
    /// By a MAC, with a key on the session's curve.
    case mac
    /// By a signature of a key on this curve.
    case p256, p384, p521, brainpoolP256r1, brainpoolP320r1, brainpoolP384r1, brainpoolP512r1, ed25519, ed448

    /// Draws the device's key; throws the errors of drawing it.
    func makeKey(
        in session: SessionCurve, from random: inout some RandomSource
    ) throws(CryptoError) -> HeldMobileDocument.DeviceKey {
        switch self {
        case .mac: return .agreement(try session.makeKey(from: &random))
        case .ed25519: return .signing(.ed25519(Secret(copying: random.bytes(count: 32))))
        case .ed448: return .signing(.ed448(Secret(copying: random.bytes(count: 57))))
        case .p256, .p384, .p521, .brainpoolP256r1, .brainpoolP320r1, .brainpoolP384r1, .brainpoolP512r1:
            let curve = SessionCurve(rawValue: rawValue)?.ecdsa ?? .p256
            return .signing(.ecdsa(try ECDSA.PrivateKey.make(curve, from: &random)))
        }
    }
}
