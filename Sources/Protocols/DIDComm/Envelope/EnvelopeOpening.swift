import CryptoSuite

/// Unpacking.
extension EnvelopeCodec {
    /// Opens an envelope with the first of its recipients' keys that `ownKey` has.
    ///
    /// Takes base 64 in either alphabet, padded or not. Throws `didcomm.envelope.too-large`,
    /// `didcomm.envelope.malformed`, `didcomm.envelope.unsupported`, `didcomm.envelope.too-many-recipients`,
    /// `didcomm.envelope.not-for-us` when no key is ours, and `didcomm.envelope.not-opened` for a wrong key or tag,
    /// without saying which, so that a peer learns nothing from it. An envelope that is not opened adds nothing to the
    /// cache.
    public mutating func unpack(
        _ envelope: [UInt8], ownKey: (Verkey) -> AgentKey?
    ) throws(DIDCommError) -> OpenedEnvelope {
        let parts = try EnvelopeParts(parsing: envelope, limits: limits)
        let header = try EnvelopeHeader(parsing: parts.header, limits: limits)
        for recipient in header.recipients {
            guard let verkey = recipient.key, let key = ownKey(verkey), key.verkey == verkey else { continue }
            do {
                return try open(parts, recipient, key, isOnlyRecipient: header.recipients.count == 1)
            } catch {
                throw DIDCommError(.envelopeNotOpened, "the envelope does not open with the key \(verkey)")
            }
        }
        throw DIDCommError(.envelopeNotForUs, "none of the \(header.recipients.count) recipients is a key of ours")
    }

    private mutating func open(
        _ parts: EnvelopeParts, _ recipient: EnvelopeHeader.Recipient, _ key: AgentKey, isOnlyRecipient: Bool
    ) throws -> OpenedEnvelope {
        guard let sender = recipient.sender else {
            var contentKey = try SealedBox.open(
                recipient.encryptedKey, publicKey: key.agreementKey, privateKey: key.agreementPrivateKey)
            let plaintext = try content(parts, Secret(consuming: &contentKey))
            return .anonymous(AnonymousMessage(plaintext: plaintext, recipient: key.verkey))
        }
        let text = try SealedBox.open(
            sender.sealedKey, publicKey: key.agreementKey, privateKey: key.agreementPrivateKey)
        let verkey = try Verkey(parsing: String(decoding: text, as: UTF8.self))
        let peer = try cache.peer(verkey, with: key)
        guard let sharedKey = peer.sharedKey else { throw DIDCommError(.keyUnsafe, "there is no shared key") }
        var contentKey = try CryptoBox.open(recipient.encryptedKey, nonce: sender.nonce, sharedKey: sharedKey)
        let plaintext = try content(parts, Secret(consuming: &contentKey))
        cache.keep(peer, of: verkey, with: key)
        return .authenticated(
            AuthenticatedMessage(
                plaintext: plaintext, sender: verkey, recipient: key.verkey, isSenderExclusive: isOnlyRecipient))
    }

    private func content(_ parts: EnvelopeParts, _ contentKey: Secret) throws(CryptoError) -> [UInt8] {
        try AuthenticatedCipher.chaChaPoly.open(
            parts.sealed, key: contentKey, nonce: parts.nonce, additionalData: parts.protectedText)
    }
}
