public import DIDComm
public import Determinism

/// A command of a mediator's session to the store of its account.
///
/// Each command is answered once, in their order.
public enum MediatorCommand: Hashable, Sendable {
    /// A selection of messages.
    public enum Selection: Hashable, Sendable {
        /// The messages behind a position in the queue, of one key or of all, without those at some positions.
        case after(UInt64, recipient: Verkey? = nil, except: [UInt64] = [])
        /// The messages with these identifiers.
        case ids([String])
    }

    /// A change that is made once, however often the requesting message comes.
    public enum Change: Hashable, Sendable {
        /// Serve the account: with the routing key that all its keys share, or with one of its own for this key, which
        /// is registered with that.
        ///
        /// A grant that was made before is made again. Answered by `granted` or `denied`.
        case grant(for: Verkey?)
        /// Change the list of keys, each change alone; answered by `changed`, with as many results in the same order.
        case keys([KeylistUpdate])
        /// Set the webhook of the client; nil removes it; answered by `waking`, or by `denied` when this is not
        /// allowed.
        case wake(ClientWebhook?)
        /// The client has a new document; answered by `done`, or by `replayed` when the same message came before.
        case document(Connection)
        /// Mail goes out on the channel as it comes; answered by `done`, or by `replayed` when the same message came
        /// before.
        case delivery
    }

    /// Make this change, unless the message came before, on any channel: then the answer is that of the first time, and
    /// nothing changes. Answered by `outdated` when the store does not know any more.
    case once(Change, by: RequestIdentity)
    /// A part of the list of keys; answered by `keys`.
    case list(offset: Int, limit: Int)
    /// Count the waiting messages, for one key or for all, without those at some positions; answered by `status`.
    case status(Verkey?, except: [UInt64] = [])
    /// The oldest of the selected messages, which stay in the queue; answered by `messages`.
    ///
    /// At least one is delivered, however large, and otherwise as many as `limit` and `maximumBytes` allow. With a
    /// `claim`, the answer is `replayed` when the same message has claimed before, and `outdated` when the store does
    /// not know any more.
    case fetch(Selection, limit: Int, maximumBytes: Int, claim: RequestIdentity?)
    /// Delete these messages; those that are gone, or belong to another account, are ignored.
    ///
    /// Answered by `status`, which does not count the messages at some positions.
    case remove([String], except: [UInt64] = [])
    /// Read the webhook of the client; answered by `waking`.
    case wake
    /// Serve an invitation, its JSON, at a short link; the same for one `@id`. Answered by `shortLink`.
    case shorten([UInt8], until: WallTime, for: String)
    /// Serve no longer what is at this address; answered by `done`, or by `denied` for no short link of the account.
    case removeShortLink(String)
    /// Delete the account with everything in it; answered by `done`.
    case end
}

/// The answer of a store.
public enum MediatorAnswer: Hashable, Sendable {
    /// The account is served.
    case granted(MediationGrant)
    /// The account is not served.
    case denied
    /// The result of each change.
    case changed([KeylistUpdate.Result])
    /// A part of the list of keys.
    case keys(KeylistPage)
    /// The state of the queue.
    case status(QueueStatus)
    /// The requested messages, oldest first.
    case messages([QueuedMessage])
    /// The webhook of the client; nil for none.
    case waking(WebhookState?)
    /// The invitation is served at this link.
    case shortLink(ShortLink)
    /// The same request came before, and nothing changed.
    case replayed
    /// The message is older than the oldest request that the store remembers, so a repetition cannot be excluded:
    /// nothing changed.
    case outdated
    /// The command was carried out.
    case done
    /// The command failed, and the client may send the request again.
    case failed
}
