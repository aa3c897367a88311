public import CryptoSuite
public import Determinism

/// A private key of the agent: it signs, opens envelopes addressed to it, and packs envelopes as their sender.
///
/// Holds the conversions to key agreement, which are computed once. A class, so that handing it on copies nothing
/// secret.
public final class AgentKey: Sendable {
    /// The public key that belongs to the agent's key.
    public let verkey: Verkey

    /// The 32-byte seed from which the key pair is computed.
    public let seed: Secret

    /// The X25519 form of the verkey; `agreementPrivateKey` is that of the seed, and `text` the verkey's base 58.
    let agreementKey: [UInt8]
    let agreementPrivateKey: Secret
    let text: [UInt8]

    /// Makes an agent key from a seed of 32 bytes.
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
            throw DIDCommError(.keyMalformed, "a seed has \(Curve25519PublicKey.byteCount) bytes, not \(seed.count)")
        }
        text = Array(verkey.base58.utf8)
        self.seed = seed
    }

    /// Makes a new random agent key.
    public static func make(from random: inout some RandomSource) -> AgentKey {
        var bytes = random.bytes(count: Curve25519PublicKey.byteCount)
        guard let key = try? AgentKey(seed: Secret(consuming: &bytes)) else {
            preconditionFailure("32 bytes are a seed")
        }
        return key
    }
}
