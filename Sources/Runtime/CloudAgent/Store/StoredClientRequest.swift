public import Aries
public import Determinism

/// The kind of a client's request, which decides the time for which it is remembered.
public enum StoredRequestKind: Int64, Hashable, Sendable, CaseIterable {
    /// The request changes a stored value: it is remembered as long as the account, within
    /// `StoreLimits.rememberedChanges`.
    case changes = 1
    /// The request takes over delivery, or fetches messages without an acknowledgement: it is remembered as long as it
    /// is among the last `StoreLimits.rememberedClaims` of its kind.
    case handsOut = 2
    /// The request changes nothing, and shows that the client is active: it is remembered as long as it is among the
    /// last `StoreLimits.rememberedSigns`.
    case sign = 3
    /// The request has an invitation of the client served at a short link: it is remembered with the invitation as long
    /// as it is among the last `StoreLimits.shortLinks` of the account, and the link counts.
    case shortLink = 4
}

/// A message of a client, as it is remembered to recognise a repetition.
public struct StoredClientRequest: Hashable, Sendable {
    /// The keyed hash of its `@id`.
    public let id: KeyHash
    /// The kind of the request, which decides how long it is remembered.
    public let kind: StoredRequestKind
    /// The sending time that the client states, at the latest its arrival; nil when the client states none.
    public let sent: WallTime?

    /// Makes a stored request from its parts.
    public init(_ id: KeyHash, _ kind: StoredRequestKind, sent: WallTime? = nil) {
        self.id = id
        self.kind = kind
        self.sent = sent
    }
}

/// The outcome of a request.
public enum StoredRequestOutcome<Value: Sendable>: Sendable {
    /// The request is new: the result of the change.
    case first(Value)
    /// The request came before, and nothing changed: the stored answer.
    case repeated(answer: [UInt8])
    /// The request was sent before the oldest one that is remembered, so it may be a repetition; nothing changed.
    case outdated
}

extension StoredRequestOutcome: Equatable where Value: Equatable {}

/// A change of an account that a client asks for.
public enum AccountChange: Hashable, Sendable {
    /// Nothing: the request is answered, and remembered.
    case nothing
    /// Grant mediation; the client was heard at this time.
    case serve(WallTime)
    /// Make each of these changes of keys on its own, in their order.
    case keys([StoredKeyChange])
    /// Register a key together with a routing key of its own.
    case keyGrant(StoredKeyChange, routing: MediatorKey)
    /// Replace the sealed record of the account.
    case body([UInt8])
    /// Set the webhook of the client, sealed; nil removes it.
    case wake([UInt8]?)
    /// The client was heard at this time, unless the request of the second value was processed before.
    case heard(WallTime, unless: KeyHash)

    /// True when the change adds keys, a webhook, or the memory of a sign of the client.
    var adds: Bool {
        switch self {
        case .keys(let changes): changes.contains(where: \.isAddition)
        case .keyGrant, .heard: true
        case .wake(let body): body != nil
        case .nothing, .serve, .body: false
        }
    }

    /// The result of a change.
    public enum Result: Hashable, Sendable {
        /// The request is done, or there was nothing to do.
        case done
        /// The result of each change of keys.
        case keys([KeylistUpdate.Result])
        /// The routing key that the key has now; nil when it has none.
        case keyGrant(MediatorKey?)
    }
}
