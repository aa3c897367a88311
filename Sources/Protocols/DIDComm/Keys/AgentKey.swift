public import CryptoSuite
public import Determinism

/// A key of our own: it signs, opens envelopes that are addressed to it, and is the sender of those that it packs.
///
/// Holds the conversions to key agreement, which are computed once. A class, so that handing it on copies nothing
/// secret.
public final class AgentKey: Sendable {
    /// The public part of the key.
    public let verkey: Verkey

    /// The 32 bytes from which the key pair is computed.
    public let seed: Secret

    /// The X25519 form of both halves, and the text of the public one in base 58.
    let agreementKey: [UInt8]
    let agreementPrivateKey: Secret
    let text: [UInt8]

    /// Takes a seed of 32 bytes.
    ///
    /// Throws `didcomm.key.malformed` for any other number.
    public init(seed: Secret) throws(DIDCommError) {
        do {
            agreementPrivateKey = try Ed25519.x25519PrivateKey(for: seed)
            agreementKey = try X25519.publicKey(for: agreementPrivateKey)
            guard let verkey = Verkey(try Ed25519.publicKey(for: seed)) else {
                throw CryptoError(.internal, "a public key has 32 bytes")
            }
            self.verkey = verkey
        } catch {
            throw DIDCommError(.keyMalformed, "a seed has \(PublicKey.byteCount) bytes, not \(seed.count)")
        }
        text = Array(verkey.base58.utf8)
        self.seed = seed
    }

    /// Draws a new key.
    public static func make(from random: inout some RandomSource) -> AgentKey {
        var bytes = random.bytes(count: PublicKey.byteCount)
        guard let key = try? AgentKey(seed: Secret(consuming: &bytes)) else {
            preconditionFailure("32 bytes are a seed")
        }
        return key
    }
}
