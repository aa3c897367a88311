/// What an envelope held, and whether anybody stands for it.
///
/// The two kinds share no type, so that what needs a sender cannot be given something without one.
public enum OpenedEnvelope: Hashable, Sendable {
    /// A message whose sender is known by the key that opened it.
    case authenticated(AuthenticatedMessage)
    /// A message that anybody could have packed.
    case anonymous(AnonymousMessage)

    /// What was packed, with or without a sender.
    public var plaintext: [UInt8] {
        switch self {
        case .authenticated(let message): message.plaintext
        case .anonymous(let message): message.plaintext
        }
    }

    /// The key of ours that opened it.
    public var recipient: Verkey {
        switch self {
        case .authenticated(let message): message.recipient
        case .anonymous(let message): message.recipient
        }
    }
}

/// A message that came by authcrypt.
public struct AuthenticatedMessage: Hashable, Sendable {
    /// What was packed.
    public let plaintext: [UInt8]

    /// Whose key opened it; not what the message says of itself.
    public let sender: Verkey

    /// The key of ours that opened it.
    public let recipient: Verkey

    /// Whether the sender alone can have written it.
    ///
    /// False when the envelope has other recipients too: each of them knows the content's key, and could have put other
    /// content behind the sender's name.
    public let isSenderExclusive: Bool
}

/// A message that came by anoncrypt: of the sender nothing is known, whatever the message says.
public struct AnonymousMessage: Hashable, Sendable {
    /// What was packed.
    public let plaintext: [UInt8]

    /// The key of ours that opened it.
    public let recipient: Verkey
}
