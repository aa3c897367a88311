/// The content of an opened envelope, with an authenticated sender or without one.
///
/// The two kinds are different types, so that code which needs a sender cannot get a message without one.
public enum OpenedEnvelope: Hashable, Sendable {
    /// A message whose sender is authenticated by the envelope (authcrypt).
    case authenticated(AuthenticatedMessage)
    /// A message without an authenticated sender.
    case anonymous(AnonymousMessage)

    /// The decrypted message, with or without an authenticated sender.
    public var plaintext: [UInt8] {
        switch self {
        case .authenticated(let message): message.plaintext
        case .anonymous(let message): message.plaintext
        }
    }

    /// The agent's own recipient key that opened the envelope.
    public var recipient: Verkey {
        switch self {
        case .authenticated(let message): message.recipient
        case .anonymous(let message): message.recipient
        }
    }
}

/// A message from an authcrypt envelope, whose sender is authenticated.
public struct AuthenticatedMessage: Hashable, Sendable {
    /// The decrypted message.
    public let plaintext: [UInt8]

    /// The sender's key, as the envelope proves it; the message's own claims are not used.
    public let sender: Verkey

    /// The agent's own recipient key that opened the envelope.
    public let recipient: Verkey

    /// True when only the sender can have written the message.
    ///
    /// False when the envelope has other recipients too: each of them knows the content's key, and could have put other
    /// content behind the sender's name.
    public let isSenderExclusive: Bool
}

/// A message from an anoncrypt envelope: its sender is unknown, whatever the message claims.
public struct AnonymousMessage: Hashable, Sendable {
    /// The decrypted message.
    public let plaintext: [UInt8]

    /// The agent's own recipient key that opened the envelope.
    public let recipient: Verkey
}
