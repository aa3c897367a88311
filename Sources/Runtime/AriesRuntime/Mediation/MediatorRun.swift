import Aries
import DIDComm
import Determinism

/// The mediator in use, as long as the agent runs.
struct MediatorRun: Sendable {
    var record: MediatorRecord
    /// Asks for the service and changes keys; nil before the connection with the mediator is complete.
    var client: MediationClient?
    /// Fetches; nil before the mediator has granted, and when nothing is to be sent.
    var pickup: PickupClient?
    /// Keys that are free, in the order in which they are used; the mediator knows those that `client` has an address of.
    var spares: [KeyRecord] = []
    /// Changes of keys for which `client` has no room yet.
    var changes: [KeyChange] = []
    /// A wish about how we are woken, and what the mediator said of the last one.
    var wake: WakeRequest?
    var wakeAnswer: Result<WakeState?, AriesError>?
    /// The WebSocket with the mediator.
    var line: (any PersistentTransport)?
    var isOpening = false
    /// The keys that the mediator has not confirmed to have forgotten, once they are being taken back.
    var leaving: Set<Verkey>?
    /// Failures in a row of the service, of the WebSocket, and of requests for messages.
    var failures = 0
    var lineFailures = 0
    var pickupFailures = 0
    /// When the service is asked for again, a WebSocket is opened again, and messages are asked for again.
    var retryAt: MonotonicInstant?
    var lineAt: MonotonicInstant?
    var pollAt: MonotonicInstant?
    /// Until when answers are expected.
    var hurriedUntil = MonotonicInstant.zero
    /// How many envelopes wait for a free key.
    var waitingArrivals = 0

    init(_ record: MediatorRecord) { self.record = record }

    var isLeaving: Bool { leaving != nil }

    var connection: String { record.connection }

    var nextDeadline: MonotonicInstant? {
        [client?.nextDeadline, pickup?.nextDeadline, wake?.nextDeadline, retryAt, lineAt, pollAt].compactMap(\.self)
            .min()
    }

    /// The free keys that may be published.
    var readySpares: [KeyRecord] { spares.filter { client?.address(of: $0.key.verkey) != nil } }
}

extension Connection {
    /// Where the other side is reached by WebSocket.
    var socketEndpoint: ServiceEndpoint? {
        try? theirs.service(reachedBy: [.ws, .wss]).endpoint
    }
}
