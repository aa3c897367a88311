import Aries
import DIDComm
import Vault

/// One piece of an agent's work; the agent does one after the other.
enum AgentJob: Sendable {
    /// What a caller asked for.
    case call(@Sendable (isolated Agent) async -> Void)
    /// Find the document of a DID for the handshake of a connection.
    case resolve(DID, connection: String)
    /// The attempt to hand a message over has ended.
    case delivered(Outbox.Item, connection: String, failure: (any Error)?)
    /// An envelope came back for something sent on a connection; counted in `ArrivalCount`.
    case arrived([UInt8], from: String)
    /// The mediator hands an envelope over; with an identifier, it is to be acknowledged, else it is counted in `ArrivalCount`.
    case fetched([UInt8], id: String?)
    /// Something happened with the WebSocket of that number.
    case socket(SocketEvent, number: Int)
    /// A key that the mediator knows is in use, and what followed is stored.
    case keyTaken(Verkey)
    /// Stored envelopes may find a free key.
    case resumeArrivals
    /// Fetch nothing more from the mediator.
    case finishFetching
    /// A question is not waited for any more.
    case forgetQuestion(String)
    /// A deadline has come.
    case timeReached

    /// Tells those who wait for the job that it is over, done or dropped.
    func end(_ arriving: ArrivalCount) {
        switch self {
        case .arrived, .fetched(_, id: nil): arriving.end()
        case .socket(.envelope(_, let isCounted, let taken), _):
            if isCounted { arriving.end() }
            taken()
        case .call, .resolve, .delivered, .fetched, .socket, .keyTaken, .resumeArrivals, .finishFetching,
            .forgetQuestion, .timeReached:
            break
        }
    }
}

/// What happens with a WebSocket to a mediator.
enum SocketEvent: Sendable {
    case opened(any PersistentTransport)
    case failed(any Error)
    case ended(TransportEnd)
    /// An envelope came, counted in `ArrivalCount` or not; nothing more is read before `taken` is called.
    case envelope([UInt8], isCounted: Bool, taken: @Sendable () -> Void)
}

/// The jobs that wait, oldest first.
final class JobQueue {
    private var jobs: [AgentJob] = []

    var count: Int { jobs.count }

    func add(_ job: AgentJob) { jobs.append(job) }

    func next() -> AgentJob? { jobs.isEmpty ? nil : jobs.removeFirst() }
}
