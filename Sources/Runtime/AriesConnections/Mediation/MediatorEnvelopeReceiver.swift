import Aries
import DIDComm
import Vault

/// Processes the envelopes that a mediator delivers; one that fails is stored for a retry or quarantined.
final class MediatorEnvelopeReceiver {
    private let receiver: EnvelopeReceiver
    private let mediator: MediatorDriver
    private let arrivals: UnprocessedEnvelopeStore
    private let observers: AgentObservers

    init(
        receiver: EnvelopeReceiver, mediator: MediatorDriver, arrivals: UnprocessedEnvelopeStore,
        observers: AgentObservers
    ) {
        self.receiver = receiver
        self.mediator = mediator
        self.arrivals = arrivals
        self.observers = observers
    }

    /// Takes an envelope that was fetched.
    ///
    /// - Parameter id: by which it is acknowledged when it is stored; nil for one that is not acknowledged.
    func takeFetched(_ envelope: [UInt8], id: String?) async throws {
        let (isKept, _) = try await take(envelope)
        if isKept, let id { try await mediator.feed(.stored(id: id)) }
    }

    /// Takes an envelope that came unasked, or in the answer to a message to the mediator.
    func takeArrived(_ envelope: [UInt8]) async throws {
        let (_, isOfMediator) = try await take(envelope)
        if !isOfMediator { try await mediator.feed(.envelopeArrived) }
    }

    /// Processes an envelope that a mediator delivered; one that fails is kept for a retry or quarantined.
    ///
    /// - Returns: whether everything of the envelope that has to be kept is stored, and whether the mediator itself
    /// wrote it.
    private func take(_ envelope: [UInt8]) async throws -> (isKept: Bool, isOfMediator: Bool) {
        do {
            let (_, owner) = try await receiver.process(envelope, nil)
            let isOfMediator = owner == mediator.connection.map { .connection($0) }
            if !isOfMediator { try await mediator.feed(.pollSooner) }
            return (true, isOfMediator)
        } catch let error as AriesError {
            observers.passedOver(error, on: nil)
            return (true, false)
        } catch let error as DIDCommError {
            return (try await quarantine(envelope, error), false)
        } catch  where Self.mayPass(error) {
            return (try await keepWaiting(envelope, because: error), false)
        } catch let error as AgentError {
            return (try await quarantine(envelope, error), false)
        }
    }

    /// Returns true when a retry may succeed later.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as AgentError: error.code == .mediatorKeyMissing || error.code == .busy
        case let error as VaultError: error.isConflict
        default: false
        }
    }

    /// Quarantines an envelope; false when there is no room for it.
    private func quarantine(_ bytes: [UInt8], _ error: any Error, waited: Bool = false) async throws -> Bool {
        switch try await arrivals.quarantine(bytes, waited: waited) {
        case .noRoom:
            observers.passedOver(error, on: nil)
            return false
        case .wasThere: return true
        case .isNew:
            mediator.reportQuarantined(error)
            return true
        }
    }

    private func keepWaiting(_ envelope: [UInt8], because error: any Error) async throws -> Bool {
        let (keeping, count) = try await arrivals.keepWaiting(envelope)
        try await mediator.feed(.waitingArrivals(count))
        if keeping == .noRoom { observers.passedOver(error, on: nil) }
        return keeping != .noRoom
    }

    /// Retries stored envelopes, for example after a key became free.
    func resume() async throws {
        let (envelopes, hasMore) = try await arrivals.waiting(limit: MediatorUse.maximumSpareKeys)
        for envelope in envelopes {
            do {
                _ = try await receiver.process(envelope, nil)
                try await arrivals.remove(envelope)
            } catch  where Self.mayPass(error) {
                return try await mediator.feed(.waitingArrivals(mediator.current?.waitingArrivals ?? 0))
            } catch let error as AriesError {
                observers.passedOver(error, on: nil)
                try await arrivals.remove(envelope)
            } catch  where error is DIDCommError || error is AgentError {
                _ = try await quarantine(envelope, error, waited: true)
            }
            try await mediator.feed(.arrivalResumed)
        }
        if !hasMore { try await mediator.feed(.waitingArrivals(0)) }
    }
}
