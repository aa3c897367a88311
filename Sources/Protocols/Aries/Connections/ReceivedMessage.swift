public import DIDComm
public import Determinism

/// A received message with the sender and recipient that its envelope proves.
public struct ReceivedMessage: Hashable, Sendable {
    /// The sender of a message as its envelope authenticates it, or an unknown sender.
    public enum Sender: Hashable, Sendable {
        /// The sender is the owner of this key, and `isExclusive` when no other could have altered the message.
        ///
        /// Others could when they were recipients of the same envelope.
        case authenticated(Verkey, isExclusive: Bool)
        /// The sender is unknown: the envelope was anonymous, or there was none.
        case unknown
    }

    /// The decrypted message.
    public let message: Message

    /// The sender that the envelope authenticates, or an unknown one.
    public let sender: Sender

    /// The key of this agent that opened the envelope; nil when there was none.
    public let recipient: Verkey?

    /// The time at which the envelope arrived here.
    public let arrival: WallTime

    /// Makes a received message from its parts.
    public init(_ message: Message, sender: Sender, recipient: Verkey?, arrival: WallTime) {
        self.message = message
        self.sender = sender
        self.recipient = recipient
        self.arrival = arrival
    }

    /// Returns the sender's key if only this key can have sent the message; throws otherwise.
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

    /// Checks that one of `keys` opened the message's envelope.
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
