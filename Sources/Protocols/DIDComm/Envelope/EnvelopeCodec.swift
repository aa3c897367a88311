import CryptoSuite
public import Determinism

/// Packs and unpacks envelopes of DIDComm version 1, with a cache of keys agreed with peers.
///
/// Authcrypt authenticates the sender to the recipient, anoncrypt does not; neither proves the sender to a third party.
/// Source: RFC 0019. The content is encrypted by ChaCha20-Poly1305 with a nonce of 12 bytes, whatever the label says.
public struct EnvelopeCodec: Sendable {
    /// The size limits of received envelopes.
    public let limits: EnvelopeLimits

    /// The keys agreed with peers.
    public var cache: KeyAgreementCache

    /// Makes a codec with limits and a cache of the keys agreed with peers.
    public init(limits: EnvelopeLimits = .standard, cache: KeyAgreementCache = KeyAgreementCache()) {
        self.limits = limits
        self.cache = cache
    }

    /// Packs `message` by authcrypt from `sender` to `recipients`.
    ///
    /// With several recipients each of them can put other content behind the sender's name, so give one where it
    /// matters who wrote it. Returns the envelope's JSON in ASCII. Throws `didcomm.key.unsafe` for a recipient's key of
    /// small order, `didcomm.envelope.too-many-recipients` for more than the limits allow and for none,
    /// and `didcomm.envelope.too-large` when the envelope would be larger than they allow.
    public mutating func pack(
        _ message: [UInt8], from sender: AgentKey, to recipients: [Verkey], random: inout some RandomSource
    ) throws(DIDCommError) -> [UInt8] {
        try pack(message, .authcrypt, sender, recipients, &random)
    }

    /// Packs `message` by anoncrypt to `recipients`, without a sender.
    public mutating func packAnonymously(
        _ message: [UInt8], to recipients: [Verkey], random: inout some RandomSource
    ) throws(DIDCommError) -> [UInt8] {
        try pack(message, .anoncrypt, nil, recipients, &random)
    }

    private mutating func pack(
        _ message: [UInt8], _ algorithm: EnvelopeHeader.Algorithm, _ sender: AgentKey?, _ recipients: [Verkey],
        _ random: inout some RandomSource
    ) throws(DIDCommError) -> [UInt8] {
        guard (1...limits.maximumRecipients).contains(recipients.count) else {
            throw DIDCommError(
                .envelopeTooManyRecipients, "an envelope has 1…\(limits.maximumRecipients) recipients here")
        }
        guard message.count / 3 * 4 <= limits.maximumBytes else { throw tooLarge }
        var peers: [KeyAgreementCache.Peer] = []
        for recipient in recipients {
            let peer = try cache.peer(recipient, with: sender)
            cache.keep(peer, of: recipient, with: sender)
            peers.append(peer)
        }
        do {
            let contentKey = X25519.makePrivateKey(from: &random)
            var entries: [EnvelopeHeader.PackingRecipient] = []
            for peer in peers { entries.append(try entry(peer, sender, contentKey, &random)) }
            let header = EnvelopeHeader.encode(algorithm, entries)
            let nonce = random.bytes(count: AuthenticatedCipher.chaChaPoly.nonceCount)
            let envelope = try EnvelopeParts.encode(message, header: header, key: contentKey, nonce: nonce)
            guard envelope.count <= limits.maximumBytes else { throw tooLarge }
            return envelope
        } catch let error as DIDCommError {
            throw error
        } catch {
            throw DIDCommError(.keyUnsafe, "the message could not be encrypted to these keys: \(error)")
        }
    }

    private func entry(
        _ peer: KeyAgreementCache.Peer, _ sender: AgentKey?, _ contentKey: Secret, _ random: inout some RandomSource
    ) throws -> EnvelopeHeader.PackingRecipient {
        guard let sender, let sharedKey = peer.sharedKey else {
            let ephemeralKey = X25519.makePrivateKey(from: &random)
            let encryptedKey = try contentKey.withBytes {
                try SealedBox.seal($0, to: peer.agreementKey, ephemeralKey: ephemeralKey)
            }
            return EnvelopeHeader.PackingRecipient(recipient: peer.text, encryptedKey: encryptedKey, sender: nil)
        }
        let nonce = random.bytes(count: CryptoBox.nonceCount)
        let encryptedKey = try contentKey.withBytes { try CryptoBox.seal($0, nonce: nonce, sharedKey: sharedKey) }
        let sealedKey = try SealedBox.seal(sender.text, to: peer.agreementKey, random: &random)
        return EnvelopeHeader.PackingRecipient(
            recipient: peer.text, encryptedKey: encryptedKey,
            sender: EnvelopeHeader.Sender(sealedKey: sealedKey, nonce: nonce))
    }

    private var tooLarge: DIDCommError {
        DIDCommError(.envelopeTooLarge, "an envelope has at most \(limits.maximumBytes) bytes here")
    }
}

/// Unpacks envelopes.
extension EnvelopeCodec {
    /// Opens an envelope with the first recipient key in it that `ownKey` has.
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
        throw DIDCommError(.envelopeNotForUs, "none of the \(header.recipients.count) recipients is known here")
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

/// Wraps envelopes for mediators.
extension EnvelopeCodec {
    /// Wraps an envelope for `recipient` in a layer for each of `routingKeys`, the last one outermost.
    ///
    /// Without routing keys it is returned as it is. Throws as `packAnonymously` does: each layer makes an envelope
    /// larger by a third, and all of them stay within the limits.
    public mutating func wrap(
        _ envelope: [UInt8], for recipient: Verkey, via routingKeys: [Verkey], random: inout some RandomSource
    ) throws(DIDCommError) -> [UInt8] {
        var wrapped = envelope
        var next = recipient
        for routingKey in routingKeys {
            let forward = ForwardMessage(to: next, envelope: wrapped)
            let identifier = Message.makeID(from: &random)
            wrapped = try packAnonymously(forward.encoded(identifier: identifier), to: [routingKey], random: &random)
            next = routingKey
        }
        return wrapped
    }
}
