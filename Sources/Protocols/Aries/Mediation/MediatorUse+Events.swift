public import DIDComm
public import JSON

/// The configuration, inputs and outputs of `MediatorUse`.
extension MediatorUse {
    /// The mode in which a mediator is used.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// New connections are reached through the mediator, and messages are fetched.
        case full
        /// Messages are fetched; new connections get our own address.
        case fetchOnly = "fetch-only"
        /// New connections get the mediator's address while it knows free keys; nothing is sent to the mediator.
        case offline
        /// Nothing is sent to the mediator, and new connections get our own address.
        case none

        /// True when messages are sent to the mediator in this mode.
        var sends: Bool {
            switch self {
            case .full, .fetchOnly: true
            case .offline, .none: false
            }
        }

        /// True when new connections are reached through the mediator in this mode.
        var givesAddresses: Bool {
            switch self {
            case .full, .offline: true
            case .fetchOnly, .none: false
            }
        }
    }

    /// The stage of mediation.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The connection with the mediator is being made.
        case connecting
        /// Mediation is requested and not answered.
        case asking
        /// The mediator granted mediation.
        case granted
        /// The mediator denied mediation.
        case denied
    }

    /// The settings for the use of a mediator.
    public struct Configuration: Sendable {
        /// The extent to which the mediator is used, for programs that share a store and for single commands.
        public var mode = Mode.full
        /// The protocol to fetch messages by, by polling alone; nil for the newest that the mediator supports, and for
        /// a WebSocket where it has one, on which it sends unasked.
        public var pickup: PickupClient.PickupProtocol?
        /// True when a WebSocket to the mediator is kept open, where it has one; otherwise the mediator is polled.
        ///
        /// Only one of two programs with one vault should: a cloud agent closes the older WebSocket.
        public var keepsSocket = true
        /// The polling interval without a WebSocket, which trades energy for delay.
        public var pollEvery = Duration.seconds(15)

        /// The number of keys that are registered ahead of their use; at most 32 count.
        package var spareKeys = 4
        /// The wait after each failure in a row; the last one for all that follow.
        package var retryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]
        /// The waits and resends of requests for mediation and for changes of keys.
        package var policy = HandshakePolicy()

        /// The interval of polling, like `pollEvery`, while answers are expected.
        static let shortPollInterval = Duration.seconds(1)

        /// Makes the configuration for the use of a mediator with the default values.
        public init() {}
    }

    /// An input of the use of a mediator: a fact, a command of the caller, or the passing of time.
    public enum Input: Sendable {
        /// The connection with the mediator is complete; `spares` are the free keys in the store.
        case connected(MediationClient, spares: [Verkey])
        /// A message came for which `concerns` is true.
        case received(ReceivedMessage)
        /// The transport took the message with this `@id`, and any immediate answer has been received.
        case sent(id: String)
        /// The transport did not take the message with this `@id`.
        case sendFailed(id: String)
        /// The free keys in the store, read again.
        case spares([Verkey])
        /// The new keys that the output `makeKeys` requested are stored.
        case keysMade([Verkey])
        /// A free key was stored with its owner; give `taken` when the records that depend on it are stored as well.
        case used(Verkey)
        /// All records that depend on this used key are stored; the address that was kept for it is dropped.
        case taken(Verkey)
        /// The changes of `verify` that still apply to the stored keys.
        case verified([KeylistUpdate])
        /// All stored keys that the mediator should know, beside those that it listed.
        case compared(ours: [Verkey], listed: [Verkey])
        /// These keys were removed from the store.
        case retired([Verkey])
        /// The user leaves the mediator; it is asked to remove these keys.
        case leave([Verkey])
        /// The user stays with the mediator; it is asked to register these keys again.
        case stay([Verkey])
        /// The number of stored envelopes that wait for a free key.
        case waitingArrivals(Int)
        /// An envelope that waited for a free key was processed or quarantined.
        case arrivalResumed
        /// A WebSocket is open.
        case socketOpened
        /// A WebSocket could not be opened, with the code and the sentence of the reason.
        case socketFailed(code: String, reason: String)
        /// The WebSocket has ended; after a refusal a new one would be refused as well.
        case socketEnded(refusal: WebSocketRefusal?)
        /// The envelope with this identifier is stored.
        case stored(id: String)
        /// The answer to the message of pickup with this `@id` came to another process, which has processed it.
        case answeredElsewhere(id: String)
        /// An envelope came that the mediator itself has not written.
        case envelopeArrived
        /// An answer is expected soon.
        case pollSooner
        /// Answers are awaited when the value is true, and not when it is false, until the next such input.
        case answersExpected(Bool)
        /// Change or read the webhook for wake-ups; allowed in the stage `granted`.
        case wake(WebhookRequest.Action)
        /// Request no more messages; answers under way are still processed.
        case finish
        /// The time given by `nextDeadline` is reached.
        case timeReached
    }

    /// The reason why a WebSocket is not reopened: a stable code and a sentence.
    public struct WebSocketRefusal: Hashable, Sendable {
        let code: String
        let reason: String

        /// Makes a refusal from its parts.
        public init(code: String, reason: String) { (self.code, self.reason) = (code, reason) }
    }

    /// An output of the use of a mediator: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Store the stage, the flavour and the client's state durably before anything that follows.
        case persist
        /// Send this on the connection with the mediator.
        case send(OutgoingMessage)
        /// Do not send the message with this `@id`, if it has not been sent.
        case withdraw(id: String)
        /// Process this envelope; then give `stored` with its identifier once it is stored; nil needs no answer.
        case deliver([UInt8], id: String?)
        /// Quarantine this message; it is not acknowledged.
        case quarantine(JSONValue)
        /// Make and store this many keys, then give `keysMade`.
        case makeKeys(count: Int)
        /// Remove this free key from the store: the mediator refuses it.
        case removeKey(Verkey)
        /// Give `verified` with those changes that still apply: no addition of a key that is not in the store.
        case verify([KeylistUpdate])
        /// Give `compared` with the stored keys that the mediator should know.
        case compare(listed: [Verkey])
        /// Process the stored envelopes that wait for a free key.
        case resumeArrivals
        /// Open a WebSocket; give `socketOpened`, or `socketFailed`.
        case openSocket(ServiceEndpoint)
        /// Close the WebSocket; its end is reported by `socketEnded`.
        case closeSocket
        /// Close the WebSocket, without `socketEnded`.
        case dropSocket
        /// Report this event to the user.
        case event(MediationClientEvent)
        /// A state changed that callers may wait for.
        case changed
        /// A message was ignored, and why.
        case ignored(AriesError)
    }

    /// A key for a new connection or invitation.
    public enum FreeKey: Hashable, Sendable {
        /// The mediator is not used for new connections.
        case notMediated
        /// The mediator has confirmed no free key yet.
        case none
        /// This free key, with the address to publish.
        case key(Verkey, AgentAddress)
    }

    /// The parts that exist once the connection with the mediator is complete.
    struct ProtocolClients {
        var client: MediationClient
        /// The pickup client; nil where nothing is sent, and after the mediator refused to serve us.
        var pickup: PickupClient?
        var wake: WebhookRequest?

        var awaitsAnswer: Bool {
            [client.awaitedID, wake?.awaitedID, pickup?.awaitedID].contains { $0 != nil }
        }

        func concerns(_ message: Message) -> Bool {
            let type = message.type.protocol
            if type.isCompatible(with: .mediation10) { return client.awaits(message) }
            if [.pickup10, .pickup20].contains(where: type.isCompatible) { return pickup != nil }
            if type.isCompatible(with: .pushWebhook10) { return wake != nil }
            guard ProblemReport(message) != nil else { return false }
            return [client.awaitedID, wake?.awaitedID, pickup?.awaitedID].contains(message.threadID)
        }
    }

    /// The thread of an answer of pickup to a request that this use of the mediator has not made; nil for others.
    ///
    /// Another process has made it, and waits; what the answer delivers is processed here all the same.
    public func foreignPickup(_ message: Message) -> String? {
        guard [.pickup10, .pickup20].contains(where: message.type.protocol.isCompatible) else { return nil }
        return message.thread.id == awaitedPickupID ? nil : message.thread.id
    }
}

extension Message {
    /// True when the message is of a protocol that a mediator and its clients speak with each other.
    public var isOfMediation: Bool {
        [.mediation10, .pickup10, .pickup20, .pushWebhook10].contains(where: type.protocol.isCompatible)
    }
}

extension Connection {
    /// The WebSocket address of the other side.
    public var socketEndpoint: ServiceEndpoint? {
        try? theirs.service(reachedBy: ServiceEndpoint.Transport.ofWebSocket).endpoint
    }
}
