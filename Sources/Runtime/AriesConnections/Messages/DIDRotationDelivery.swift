import Aries
import DIDComm
import Determinism
import Vault
import WebTransport

/// The reason why a stored message is not sent now, without a failure of the transport.
enum DeliveryHoldReason: Error {
    /// The message waits for the acknowledgement of a change of our DID, or announces one and was posted a moment ago.
    case waits(Duration)
    /// The message announces a change of our DID that has ended.
    case obsolete
}

/// Decides when the announcement of a change of our DID is posted, and keeps other messages back for its
/// acknowledgement.
///
/// Several processes send from one store, and each begins with the stored outbox: the time of the last post is stored
/// before the post, so that none of them repeats it.
final class DIDRotationDelivery {
    /// The wait of messages after the start of a process for the acknowledgement, which the mediator may hold.
    private static let waitAfterStart = Duration.seconds(2)
    /// The time after a post in which a new process waits so.
    private static let startWaitsFor = Duration.seconds(86_400)
    /// The time after which a waiting message is looked at again: another process may get the acknowledgement.
    private static let lookedAtEvery = Duration.seconds(1)

    private let context: AgentContext
    private let start: MonotonicInstant

    init(_ context: AgentContext) {
        self.context = context
        start = context.now()
    }

    /// Checks that a message may be given to the transport; an announcement is noted as posted.
    ///
    /// - Throws: `DeliveryHoldReason`, and errors of the store.
    func check(_ record: OutboxRecord) async throws {
        if DIDRotate.isRotation(record.message) { return try await post(record) }
        guard !DIDRotate.isExchange(record.message), let wait = try await waitForAcknowledgement(on: record.connection)
        else { return }
        throw DeliveryHoldReason.waits(min(wait, Self.lookedAtEvery))
    }

    private func post(_ record: OutboxRecord) async throws {
        let now = context.wallTime()
        let hold = try await change(record) { inbox -> DeliveryHoldReason? in
            if let wait = inbox.rotation?.waitBeforePost(at: now) { return .waits(wait) }
            inbox.notePost(at: now)
            return nil
        }
        if let hold { throw hold }
    }

    /// Notes the result of a post that failed.
    func failed(_ record: OutboxRecord, _ error: any Error) async throws {
        guard DIDRotate.isRotation(record.message), !(error is DeliveryHoldReason), !error.leavesArrivalUnknown else {
            return
        }
        _ = try await change(record) { inbox in
            inbox.notePostFailed()
            return nil
        }
    }

    /// Changes the inbox whose change of our DID a message announces, and stores it unless there is a hold.
    private func change(
        _ record: OutboxRecord, _ body: @escaping @Sendable (inout ConnectionMessageHandler) -> DeliveryHoldReason?
    ) async throws -> DeliveryHoldReason? {
        let features = FeatureList.usual
        return try await context.store.write { store in
            guard let stored = try store.record(record.connection, in: AgentCategories.inboxes) else {
                return .obsolete
            }
            var inbox = try InboxRecord(stored, features: features)
            guard inbox.inbox.rotation?.threadID == record.message.id else { return .obsolete }
            if let hold = body(&inbox.inbox) { return hold }
            try inbox.save(in: store)
            return nil
        }
    }

    private func waitForAcknowledgement(on connection: String) async throws -> Duration? {
        let features = FeatureList.usual
        let stored = try await context.store.record(connection, in: AgentCategories.inboxes)
        guard let stored, let rotation = try InboxRecord(stored, features: features).inbox.rotation else { return nil }
        let (wall, now) = (context.wallTime(), context.now())
        if let wait = rotation.waitBeforeMessages(at: wall) { return wait }
        guard let posted = rotation.posted, now < start + Self.waitAfterStart,
            wall.millisecondsSinceEpoch - posted.millisecondsSinceEpoch < Int64(Self.startWaitsFor / .milliseconds(1))
        else { return nil }
        return start + Self.waitAfterStart - now
    }
}

extension Error {
    /// True when the other side may have got the message although the transport failed.
    fileprivate var leavesArrivalUnknown: Bool {
        switch self {
        case is CancellationError: true
        case let error as WebError:
            switch error.code {
            case .deadline, .connectionLost, .responseMalformed, .responseTooLarge, .headerTooLarge, .socketClosed,
                .socketSilent, .socketViolation, .serviceStopped:
                true
            default: false
            }
        case let error as FetchError: [.deadline, .truncated, .malformed, .cancelled].contains(error.code)
        default: false
        }
    }
}
