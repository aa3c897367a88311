public import DIDComm

/// What a mediator's session wants of the store of its account.
///
/// Each command is answered once, in their order.
public enum MediatorCommand: Hashable, Sendable {
    /// Which messages are meant.
    public enum Selection: Hashable, Sendable {
        /// Those behind a place in the queue, of one key or of all.
        case after(UInt64, recipient: Verkey?)
        /// Those with these identifiers.
        case ids([String])
    }

    /// Serve the account: with the routing key that all its keys share, or with one of its own for this key, which is
    /// registered with that.
    ///
    /// What was granted before is granted again. Answered by `granted` or `denied`.
    case grant(for: Verkey?)
    /// Change the list of keys, each change alone; answered by `changed`, with as many results in the same order.
    case change([KeyChange])
    /// A part of the list of keys; answered by `keys`.
    case list(offset: Int, limit: Int)
    /// How much waits, for one key or for all; answered by `status`.
    case status(Verkey?)
    /// The oldest of the selected messages, which stay in the queue; answered by `messages`.
    ///
    /// At least one is handed out, however large, and otherwise as many as `limit` and `maximumBytes` allow. With a
    /// `claim`, the answer is `replayed` when a message with this identifier has claimed before.
    case fetch(Selection, limit: Int, maximumBytes: Int, claim: String?)
    /// Forget these messages; those that are gone, or belong to another account, are passed over. Answered by `status`.
    case remove([String])
    /// How the client is woken when messages wait; answered by `waking`.
    case wake
    /// Wake the client so from now on, or nil: not any more; answered by `waking`, or by `denied` when this is not allowed.
    case setWake(WakeCall?)
    /// The client has a new document; answered by `done`.
    case keep(Connection)
    /// Forget the account with all that is its own; answered by `done`.
    case end
}

/// What a store answers.
public enum MediatorAnswer: Hashable, Sendable {
    /// The account is served.
    case granted(MediationGrant)
    /// The account is not served.
    case denied
    /// What became of each change.
    case changed([KeyChange.Result])
    /// A part of the list of keys.
    case keys(KeyPage)
    /// How much waits.
    case status(QueueStatus)
    /// The messages that were asked for, oldest first.
    case messages([QueuedMessage])
    /// How the client is woken; nil for not.
    case waking(WakeState?)
    /// The same message has asked before, and nothing was done.
    case replayed
    /// It was done.
    case done
    /// It could not be done, and may be asked for again.
    case failed
}
