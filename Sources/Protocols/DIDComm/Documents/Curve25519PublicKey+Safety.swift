import CryptoSuite

extension Curve25519PublicKey {
    /// Throws `didcomm.key.unsafe` for an X25519 or Ed25519 key that no honest owner publishes.
    ///
    /// Points of small order or outside the large group, coordinates that are not reduced, and keys that give the same
    /// secret with every other key.
    public func checkSafety() throws(DIDCommError) {
        do {
            switch kind {
            case .ed25519: _ = try Ed25519.x25519PublicKey(for: bytes)
            case .x25519:
                _ = try X25519.sharedSecret(
                    privateKey: Secret(copying: [UInt8](repeating: 1, count: Self.byteCount)), publicKey: bytes)
            }
        } catch {
            throw DIDCommError(.keyUnsafe, "the \(kind.rawValue) key gives no secrecy: no honest owner publishes it")
        }
    }
}

extension Verkey {
    /// Throws `didcomm.key.unsafe` for a verkey that no honest owner publishes.
    ///
    /// A point of small order or outside the large group, and coordinates that are not reduced.
    public func checkSafety() throws(DIDCommError) { try publicKey.checkSafety() }
}
