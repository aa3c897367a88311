public import Aries
public import Determinism

/// For how long a request of a client is remembered.
public enum RequestKind: Int64, Hashable, Sendable, CaseIterable {
    /// It changes something that is kept: as long as the account, within `StoreLimits.rememberedChanges`.
    case changes = 1
    /// It takes over delivery, or has messages handed out without an acknowledgement: as long as it is among the last
    /// `StoreLimits.rememberedClaims` of its kind.
    case handsOut = 2
    /// It changes nothing, and counts as a sign that the client is there: as long as it is among the last
    /// `StoreLimits.rememberedSigns`.
    case sign = 3
}

/// A message of a client, by which a repetition of it is recognised.
public struct StoredRequest: Hashable, Sendable {
    /// The keyed hash of its `@id`.
    public let id: KeyHash
    /// For how long it is remembered.
    public let kind: RequestKind
    /// When the client says that it sent the message, and at the latest when it came; nil when the client does not say.
    public let sent: WallTime?

    /// Describes a message.
    public init(_ id: KeyHash, _ kind: RequestKind, sent: WallTime? = nil) {
        (self.id, self.kind, self.sent) = (id, kind, sent)
    }
}

/// What a store does with a request.
public enum RequestOutcome<Value: Sendable>: Sendable {
    /// It is new: what was done.
    case first(Value)
    /// It came before, and nothing was done: the answer that was kept.
    case repeated(answer: [UInt8])
    /// It says that it was sent before others that are forgotten already, so it may have come before; nothing was done.
    case outdated
}

extension RequestOutcome: Equatable where Value: Equatable {}

/// A change of an account that a client asks for.
public enum AccountChange: Hashable, Sendable {
    /// Nothing: the request is answered, and remembered.
    case nothing
    /// The account is served from now on, and its client was heard at this time.
    case serve(WallTime)
    /// Each of these changes alone, in their order.
    case keys([StoredKeyChange])
    /// A key is registered together with a routing key of its own.
    case keyGrant(StoredKeyChange, routing: OwnKey)
    /// What is kept of the account, sealed.
    case body([UInt8])
    /// By what the client is woken, sealed; nil for not any more.
    case wake([UInt8]?)
    /// The client was heard at this time, unless the request of the second value was acted on before.
    case heard(WallTime, unless: KeyHash)

    /// Whether it adds keys, an address to wake the client at, or the memory of a sign of the client.
    var adds: Bool {
        switch self {
        case .keys(let changes): changes.contains(where: \.isAddition)
        case .keyGrant, .heard: true
        case .wake(let body): body != nil
        case .nothing, .serve, .body: false
        }
    }

    /// What was done.
    public enum Result: Hashable, Sendable {
        /// It was done, or there was nothing to do.
        case done
        /// What was done with each key.
        case keys([KeyChange.Result])
        /// The routing key that the key has now; nil when it has none.
        case keyGrant(OwnKey?)
    }
}
