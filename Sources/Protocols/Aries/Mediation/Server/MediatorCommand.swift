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

    /// What is done once, however often the message that asks for it comes.
    public enum Change: Hashable, Sendable {
        /// Serve the account: with the routing key that all its keys share, or with one of its own for this key, which is
        /// registered with that.
        ///
        /// What was granted before is granted again. Answered by `granted` or `denied`.
        case grant(for: Verkey?)
        /// Change the list of keys, each change alone; answered by `changed`, with as many results in the same order.
        case keys([KeyChange])
        /// Wake the client so from now on, or nil: not any more; answered by `waking`, or by `denied` when this is not
        /// allowed.
        case wake(WakeCall?)
        /// The client has a new document; answered by `done`, or by `replayed` when the same message came before.
        case document(Connection)
        /// Mail goes out on the channel as it comes; answered by `done`, or by `replayed` when the same message came before.
        case delivery
    }

    /// Do this, unless the message came before, on whichever channel: then the answer is that of the first time, and nothing
    /// is done. Answered by `outdated` when that cannot be known any more.
    case once(Change, by: RequestIdentity)
    /// A part of the list of keys; answered by `keys`.
    case list(offset: Int, limit: Int)
    /// How much waits, for one key or for all; answered by `status`.
    case status(Verkey?)
    /// The oldest of the selected messages, which stay in the queue; answered by `messages`.
    ///
    /// At least one is handed out, however large, and otherwise as many as `limit` and `maximumBytes` allow. With a
    /// `claim`, the answer is `replayed` when the same message has claimed before, and `outdated` when that cannot be known
    /// any more.
    case fetch(Selection, limit: Int, maximumBytes: Int, claim: RequestIdentity?)
    /// Forget these messages; those that are gone, or belong to another account, are passed over. Answered by `status`.
    case remove([String])
    /// How the client is woken when messages wait; answered by `waking`.
    case wake
    /// Forget the account with all that is its own; answered by `done`.
    case end
}

/// What a store answers.
public enum MediatorAnswer: Hashable, Sendable {
    /// The account is served.
    case granted(MediationGrant)
    /// The account is not served.
    case denied
    /// The result of each change.
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
    /// The message says that it was sent before others of which it is not known any more whether they came: nothing was
    /// done.
    case outdated
    /// It was done.
    case done
    /// It could not be done, and may be asked for again.
    case failed
}
