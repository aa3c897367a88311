public import DIDComm
public import JSON

/// The configuration, inputs and outputs of `MediatorUse`.
extension MediatorUse {
    /// The extent to which a mediator is used.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// New connections get the mediator's address, and messages are fetched.
        case full
        /// Messages are fetched from the mediator, but new connections get this agent's own address.
        case fetchOnly = "fetch-only"
        /// New connections get the mediator's address while free keys are registered; nothing is sent to it.
        case offline
        /// Nothing is sent to the mediator, and new connections get this agent's own address.
        case none

        /// True when messages are sent to the mediator in this mode.
        var sends: Bool {
            switch self {
            case .full, .fetchOnly: true
            case .offline, .none: false
            }
        }

        /// True when new connections get the mediator's address in this mode.
        var givesAddresses: Bool {
            switch self {
            case .full, .offline: true
            case .fetchOnly, .none: false
            }
        }
    }

    /// The stage of the mediation with a mediator.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The connection with the mediator is not complete yet.
        case connecting
        /// Mediation was requested, and the answer is pending.
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
        /// The protocol to fetch messages by, with polling only; nil for the newest that the mediator supports.
        ///
        /// With nil, a WebSocket is used too, if the mediator has one, on which it sends without requests.
        public var pickup: PickupClient.PickupProtocol?
        /// True when a WebSocket to the mediator is kept open if it has one; otherwise the mediator is polled.
        ///
        /// Only one of two programs with one vault should: a cloud agent closes the older WebSocket.
        public var keepsSocket = true
        /// The polling interval without a WebSocket; a longer one saves energy.
        public var pollEvery = Duration.seconds(15)

        /// The number of keys that are registered before they are used; at most 32.
        package var spareKeys = 4
        /// The wait after each failure in a row; the last one for all further failures.
        package var retryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]
        /// The waits and resends of mediation requests and key changes.
        package var policy = HandshakePolicy()

        /// The polling interval while answers are expected.
        static let shortPollInterval = Duration.seconds(1)

        /// Makes the configuration for the use of a mediator with the default values.
        public init() {}
    }

    /// An input of the use of a mediator: a fact, a command of the caller, or the passing of time.
    public enum Input: Sendable {
        /// The connection with the mediator is complete; `spares` are the unused keys in the store.
        case connected(MediationClient, spares: [Verkey])
        /// A message arrived for which `concerns` is true.
        case received(ReceivedMessage)
        /// The transport took the message with this `@id`, and any immediate answer has been received.
        case sent(id: String)
        /// The transport could not deliver the message with this `@id`.
        case sendFailed(id: String)
        /// The unused keys in the store were read again.
        case spares([Verkey])
        /// The new keys that the output `makeKeys` requested are stored.
        case keysMade([Verkey])
        /// An unused key was stored with its owner; `taken` follows when all its records are stored.
        case used(Verkey)
        /// All records of this used key are stored; the address kept for it is dropped.
        case taken(Verkey)
        /// The changes of `verify` that still apply to the stored keys.
        case verified([KeylistUpdate])
        /// All stored keys that should be registered, in addition to those that the mediator listed.
        case compared(ours: [Verkey], listed: [Verkey])
        /// Keys were removed from the store.
        case retired([Verkey])
        /// The user ends the use of the mediator, which is asked to remove these keys.
        case leave([Verkey])
        /// The user continues to use the mediator, which is asked to register these keys again.
        case stay([Verkey])
        /// The number of stored envelopes that wait for an unused key.
        case waitingArrivals(Int)
        /// An envelope that waited for an unused key was processed or quarantined.
        case arrivalResumed
        /// The WebSocket to the mediator is open.
        case socketOpened
        /// The WebSocket could not be opened, with the code and the sentence of the reason.
        case socketFailed(code: String, reason: String)
        /// The WebSocket has ended; with a refusal, a new one would be refused as well.
        case socketEnded(refusal: WebSocketRefusal?)
        /// The envelope with this identifier is stored.
        case stored(id: String)
        /// The answer to the pickup message with this `@id` came to another process, which has processed it.
        case answeredElsewhere(id: String)
        /// An envelope arrived that the mediator itself did not write.
        case envelopeArrived
        /// An answer is expected soon, so the next poll comes sooner.
        case pollSooner
        /// Answers are expected from now on, or not any more.
        case answersExpected(Bool)
        /// Set, remove or read the webhook for wake-ups; allowed in the stage `granted`.
        case wake(WebhookRequest.Action)
        /// Request no more messages; pending answers are still processed.
        case finish
        /// The time given by `nextDeadline` is reached.
        case timeReached
    }

    /// The reason why the WebSocket is not opened again: a stable code and a sentence.
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
        /// Send this message on the connection with the mediator.
        case send(OutgoingMessage)
        /// Do not send the message with this `@id`, if that has not happened yet.
        case withdraw(id: String)
        /// Process an envelope, then give `stored` with its identifier once it is stored; nil needs no answer.
        case deliver([UInt8], id: String?)
        /// Quarantine a message, which is not acknowledged.
        case quarantine(JSONValue)
        /// Make and store this many new keys, then give `keysMade`.
        case makeKeys(count: Int)
        /// Remove an unused key from the store, because the mediator refuses it.
        case removeKey(Verkey)
        /// Give `verified` with those changes that still apply: no addition of a key that is not in the store.
        case verify([KeylistUpdate])
        /// Give `compared` with the stored keys that should be registered.
        case compare(listed: [Verkey])
        /// Process the stored envelopes that wait for an unused key.
        case resumeArrivals
        /// Open a WebSocket; give `socketOpened`, or `socketFailed`.
        case openSocket(ServiceEndpoint)
        /// Close the WebSocket; its end is reported by `socketEnded`.
        case closeSocket
        /// Close the WebSocket, without `socketEnded`.
        case dropSocket
        /// Report this event to the user.
        case event(MediationClientEvent)
        /// Notify callers that wait for a change of the state.
        case changed
        /// A message was ignored, for this reason.
        case ignored(AriesError)
    }

    /// The key for a new connection or invitation, if one is available.
    public enum FreeKey: Hashable, Sendable {
        /// The mediator is not used for new connections.
        case notMediated
        /// The mediator has not registered an unused key yet.
        case none
        /// An unused key, with the address to publish.
        case key(Verkey, AgentAddress)
    }

    /// The clients that exist once the connection with the mediator is complete.
    struct ProtocolClients {
        var client: MediationClient
        /// The pickup client; nil when nothing is sent, and after the mediator denied mediation.
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

    /// Returns the thread of a pickup answer to a request of another process; nil for other messages.
    ///
    /// Another process has made it, and waits; what the answer delivers is processed here all the same.
    public func foreignPickup(_ message: Message) -> String? {
        guard [.pickup10, .pickup20].contains(where: message.type.protocol.isCompatible) else { return nil }
        return message.thread.id == awaitedPickupID ? nil : message.thread.id
    }
}

extension Message {
    /// True when the message belongs to a protocol between a mediator and its clients.
    public var isOfMediation: Bool {
        [.mediation10, .pickup10, .pickup20, .pushWebhook10].contains(where: type.protocol.isCompatible)
    }
}

extension Connection {
    /// The WebSocket endpoint of the other side; nil without one.
    public var socketEndpoint: ServiceEndpoint? {
        try? theirs.service(reachedBy: ServiceEndpoint.Transport.ofWebSocket).endpoint
    }
}
