public import DIDComm
public import Determinism

/// A message with what its envelope proved.
public struct ReceivedMessage: Hashable, Sendable {
    /// Who sent it.
    public enum Sender: Hashable, Sendable {
        /// The owner of this key; not exclusively when others could have altered the message, because they were
        /// recipients of the same envelope.
        case authenticated(Verkey, isExclusive: Bool)
        /// It is not known: the envelope was anonymous, or there was none.
        case unknown
    }

    /// The message.
    public let message: Message

    /// Who sent it.
    public let sender: Sender

    /// Our key that opened the envelope; nil when there was none.
    public let recipient: Verkey?

    /// When it came.
    public let arrival: WallTime

    /// Describes a message.
    public init(_ message: Message, sender: Sender, recipient: Verkey?, arrival: WallTime) {
        self.message = message
        self.sender = sender
        self.recipient = recipient
        self.arrival = arrival
    }

    /// The key of the sender, when no other key can have sent it.
    ///
    /// Throws `aries.message.not-authentic` when the sender is unknown, and `aries.message.sender-not-exclusive`.
    public func exclusiveSender() throws(AriesError) -> Verkey {
        switch sender {
        case .unknown:
            throw AriesError(.notAuthentic, "A message of \(message.type) does not prove who sent it.")
        case .authenticated(_, isExclusive: false):
            throw AriesError(
                .senderNotExclusive,
                "A message of \(message.type) went to several keys, and any of them could forge it.")
        case .authenticated(let key, isExclusive: true): return key
        }
    }

    /// Checks that the message was opened by one of `keys`.
    ///
    /// Throws `aries.message.wrong-recipient`.
    func checkRecipient(_ keys: Verkey...) throws(AriesError) {
        guard let recipient, keys.contains(recipient) else {
            throw AriesError(.wrongRecipient, "A message of \(message.type) came to a key of another connection.")
        }
    }

    /// Checks that the message belongs to a thread.
    ///
    /// Throws `aries.message.wrong-thread`.
    func checkThread(_ id: String) throws(AriesError) {
        guard message.threadID == id else {
            throw AriesError(.wrongThread, "A message of \(message.type) belongs to another exchange.")
        }
    }
}
