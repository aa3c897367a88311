public import DIDComm
public import JSON

/// What a `MediatorUse` is made with, what happens to it, and what it wants done.
extension MediatorUse {
    /// What is done with a mediator.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// New connections are reached through it, and what it keeps for us is fetched.
        case full
        /// What it keeps for us is fetched; new connections get our own address.
        case fetchOnly = "fetch-only"
        /// New connections get its address as long as it knows free keys; nothing is sent to it.
        case offline
        /// Nothing is sent to it, and new connections get our own address.
        case none

        /// Whether messages are sent to the mediator.
        var sends: Bool {
            switch self {
            case .full, .fetchOnly: true
            case .offline, .none: false
            }
        }

        /// Whether new connections are reached through the mediator.
        var givesAddresses: Bool {
            switch self {
            case .full, .offline: true
            case .fetchOnly, .none: false
            }
        }
    }

    /// How far we are with a mediator.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The connection with it is being made.
        case connecting
        /// It is asked for the service.
        case asking
        /// It takes messages for us.
        case granted
        /// It refuses the service.
        case denied
    }

    /// How the mediator is used.
    public struct Configuration: Sendable {
        /// What is done with the mediator.
        public var mode = Mode.full
        /// By which protocol messages are fetched, by polling alone; nil for the newest that the mediator supports, and by
        /// WebSocket where it has one.
        public var flavour: PickupClient.Flavour?
        /// Whether a WebSocket is kept open, where the mediator has one.
        public var keepsSocket = true
        /// How many keys are registered ahead of their use; at most 32 count.
        public var spareKeys = 4
        /// How often the mediator is polled without a WebSocket.
        public var pollEvery = Duration.seconds(15)
        /// As `pollEvery`, while answers are expected.
        public var hurriedPoll = Duration.seconds(1)
        /// How long to wait after failures in a row, one wait for each; the last for all that follow.
        public var retryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]
        /// The waits and resends of requests for the service and for changes of keys.
        public var policy = HandshakePolicy()

        /// The usual configuration.
        public init() {}
    }

    /// What happens to it.
    public enum Input: Sendable {
        /// The connection with the mediator is complete; `spares` are the free keys in the store.
        case connected(MediationClient, spares: [Verkey])
        /// A message came for which `concerns` is true.
        case received(ReceivedMessage)
        /// The message with this `@id` was handed over, and whatever answers at once has come.
        case sent(id: String)
        /// The message with this `@id` could not be handed over.
        case sendFailed(id: String)
        /// The free keys in the store, read again.
        case spares([Verkey])
        /// The keys that `makeKeys` asked for are stored.
        case keysMade([Verkey])
        /// A free key was stored with its owner; say `taken` when what followed is stored as well.
        case used(Verkey)
        /// The client is to keep no address of this key any more.
        case taken(Verkey)
        /// The changes of `verify` that still apply to the keys in the store.
        case verified([KeyChange])
        /// All keys in the store that the mediator is to know, beside those that it listed.
        case compared(ours: [Verkey], listed: [Verkey])
        /// These keys were removed from the store.
        case retired([Verkey])
        /// The mediator is to be left; it is asked to remove these keys.
        case leave([Verkey])
        /// The mediator is not left after all; it is asked to know these keys again.
        case stay([Verkey])
        /// The number of stored envelopes that wait for a free key.
        case waitingArrivals(Int)
        /// One of them was processed or kept aside.
        case arrivalResumed
        /// A WebSocket is open.
        case socketOpened
        /// A WebSocket could not be opened, with the code and the sentence of the reason.
        case socketFailed(code: String, reason: String)
        /// The WebSocket has ended; with a refusal, another one would be refused as well.
        case socketEnded(refusal: Refusal?)
        /// The envelope with this identifier is stored.
        case stored(id: String)
        /// An envelope came that the mediator has not written.
        case envelopeArrived
        /// An answer is expected soon.
        case hurry
        /// Whether something waits for an answer, until the next such input.
        case answersExpected(Bool)
        /// The wake-up is to be changed or asked for; allowed in the stage `granted`.
        case wake(WakeRequest.Action)
        /// Fetch nothing more; what was asked for is still taken.
        case finish
        /// `nextDeadline` has come.
        case timeReached
    }

    /// Why a WebSocket is not opened again: a stable code and a sentence.
    public struct Refusal: Hashable, Sendable {
        let code: String
        let reason: String

        /// Names a reason.
        public init(code: String, reason: String) { (self.code, self.reason) = (code, reason) }
    }

    /// What it wants done, in this order.
    public enum Output: Hashable, Sendable {
        /// Store the stage, the flavour and the client's state durably before anything that follows.
        case persist
        /// Send this on the connection with the mediator.
        case send(OutgoingMessage)
        /// Do not send the message with this `@id`, if it has not been sent.
        case withdraw(id: String)
        /// Process this envelope; then say `stored` with its identifier once it is stored; nil needs no word.
        case deliver([UInt8], id: String?)
        /// Store this for later inspection; it is not acknowledged.
        case quarantine(JSONValue)
        /// Make and store so many keys, then say `keysMade`.
        case makeKeys(count: Int)
        /// Remove this free key from the store: the mediator refuses it.
        case removeKey(Verkey)
        /// Say `verified` with those changes that still apply: no addition of a key that is not in the store.
        case verify([KeyChange])
        /// Say `compared` with the keys in the store that the mediator is to know.
        case compare(listed: [Verkey])
        /// Process the stored envelopes that wait for a free key.
        case resumeArrivals
        /// Open a WebSocket; say `socketOpened`, or `socketFailed`.
        case openSocket(ServiceEndpoint)
        /// Close the WebSocket; its end is reported by `socketEnded`.
        case closeSocket
        /// Close the WebSocket, and report nothing of it any more.
        case dropSocket
        /// Tell the user.
        case event(MediatorEvent)
        /// Something changed that callers may wait for.
        case changed
        /// A message was passed over, and why.
        case ignored(AriesError)
    }

    /// A key for a new connection or invitation.
    public enum FreeKey: Hashable, Sendable {
        /// The mediator is not used for new connections.
        case notMediated
        /// The mediator knows no free key yet.
        case none
        /// This free key, with the address to publish.
        case key(Verkey, AgentAddress)
    }
}
