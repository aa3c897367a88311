public import DIDComm
public import Determinism

/// A command of a mediator session to the store of its account.
///
/// Each command is answered once, in their order.
public enum MediatorStoreCommand: Hashable, Sendable {
    /// The selection of queued messages to fetch.
    public enum MessageSelection: Hashable, Sendable {
        /// The messages after a queue position, of one key or of all, without those at some positions.
        case after(UInt64, recipient: Verkey? = nil, except: [UInt64] = [])
        /// The messages with these identifiers.
        case ids([String])
    }

    /// A change that is made once, however often the requesting message comes.
    public enum MediatorStoreChange: Hashable, Sendable {
        /// Grant mediation: with the common routing key of all keys, or with a separate one for this key.
        ///
        /// The key is registered with that separate routing key.
        ///
        /// A grant that was made before is made again. Answered by `granted` or `denied`.
        case grant(for: Verkey?)
        /// Change the key list; answered by `changed`, with the result of each change in the same order.
        case keys([KeylistUpdate])
        /// Set the webhook of the client, or remove it with nil; answered by `waking` or `denied`.
        ///
        /// It is denied when webhooks are not allowed.
        case wake(ClientWebhook?)
        /// Replace the client's DID document; answered by `done`, or by `replayed` for a repeated message.
        case document(Connection)
        /// Allow unrequested delivery on the channel; answered by `done`, or by `replayed` for a repeated message.
        case delivery
    }

    /// Make a change once; a repeated message, on any channel, gets the first answer and changes nothing.
    ///
    /// Answered by `outdated` when the store does not know any more.
    case once(MediatorStoreChange, by: ClientRequestIdentity)
    /// Read a page of the key list; answered by `keys`.
    case list(offset: Int, limit: Int)
    /// Count the queued messages, of one key or of all, without those at some positions; answered by `status`.
    case status(Verkey?, except: [UInt64] = [])
    /// Read the oldest of the selected messages, which stay in the queue; answered by `messages`.
    ///
    /// At least one is delivered, however large, and otherwise as many as `limit` and `maximumBytes` allow. With a
    /// `claim`, the answer is `replayed` when the same message has claimed before, and `outdated` when the store does
    /// not know any more.
    case fetch(MessageSelection, limit: Int, maximumBytes: Int, claim: ClientRequestIdentity?)
    /// Delete these messages; those that are gone, or belong to another account, are ignored.
    ///
    /// Answered by `status`, which does not count the messages at some positions.
    case remove([String], except: [UInt64] = [])
    /// Read the webhook of the client; answered by `waking`.
    case wake
    /// Serve an invitation, given as JSON, at a short link, one for each `@id`; answered by `shortLink`.
    case shorten([UInt8], until: WallTime, for: String)
    /// Stop serving a short link; answered by `done`, or by `denied` if the account has no such link.
    case removeShortLink(String)
    /// Delete the account with all its data; answered by `done`.
    case end
}

/// The answer of the store to a mediator session's command.
public enum MediatorStoreAnswer: Hashable, Sendable {
    /// Mediation is granted to the account.
    case granted(MediationGrant)
    /// The command is denied.
    case denied
    /// The results of the key changes.
    case changed([KeylistUpdate.Result])
    /// A page of the key list.
    case keys(KeylistPage)
    /// The status of the queue.
    case status(QueueStatus)
    /// The requested messages, oldest first.
    case messages([QueuedMessage])
    /// The webhook of the client; nil for none.
    case waking(WebhookState?)
    /// The short link at which the invitation is served.
    case shortLink(ShortLink)
    /// The same request was made before, and nothing changed.
    case replayed
    /// The message is too old to exclude that it is a repetition; nothing changed.
    ///
    /// It is older than the oldest request that the store remembers.
    case outdated
    /// The command was carried out.
    case done
    /// The command failed, and the client may send the request again.
    case failed
}
