import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// Asking a mediator for its service.
extension Agent {
    /// Goes on with the mediator that the store names.
    func resumeMediator() async throws {
        guard let stored = try await store.record(MediatorRecord.name, in: AgentCategories.mediators) else { return }
        mediator = MediatorRun(try MediatorRecord(stored))
        mediator?.waitingArrivals = try await store.read { store in
            try store.count(in: AgentCategories.arrivals, tags: [ArrivalRecord.tag(.waiting)])
        }
        try await mediatorConnected()
    }

    /// Begins once the connection with the mediator is complete.
    func mediatorConnected() async throws {
        guard let run = mediator, run.client == nil,
            let connection = try await connectionRecord(run.connection)?.connection
        else { return }
        let random = drawnRandom()
        mediator?.client =
            try run.record.client.map {
                try MediationClient(stored: JSONReader(.object($0)), random: random, policy: configuration.policy)
            } ?? MediationClient(connection, random: random, policy: configuration.policy)
        try await loadSpares()
        guard !isLeftAlone, run.record.stage != .denied else { return mediatorChanged() }
        if mediator?.client?.grant != nil {
            if run.record.stage != .granted { try await enter(.granted) }
        } else if run.record.stage == .connecting {
            try await enter(.asking)
        }
        try await stepMediation(.start)
        if mediator?.record.stage == .granted {
            try await stepMediation(.query)
            try await replenish()
        }
        // Its answer, too, may wait there.
        try await beginPickup()
    }

    /// Whether nothing is to be sent to the mediator.
    var isLeftAlone: Bool { [.offline, .none].contains(configuration.mediatorUse) }

    func mediatorAbandoned(_ error: AriesError) {
        tellMediator(.problem(code: error.code.rawValue, reason: error.reason, retryIn: nil))
    }

    /// Gives an event to the client, stores what it asks to be stored, and then does the rest.
    func stepMediation(_ input: MediationClient.Input) async throws {
        guard var client = mediator?.client else { return }
        var outputs: [MediationClient.Output] = []
        client.handle(input, at: timekeeper.now(), into: &outputs)
        mediator?.client = client
        if outputs.contains(.persist) { try await saveMediator() }
        for output in outputs { try await follow(output) }
        if mediator?.client?.isIdle == true { try await changeMore() }
        mediatorChanged()
    }

    /// Stores the mediator, together with what `alongside` writes.
    func saveMediator(
        _ alongside: @escaping @Sendable (any RecordWriting) throws -> Void = { _ in }
    ) async throws {
        guard var record = mediator?.record else { return }
        record.client = mediator?.client?.state
        let copy = record
        let version = try await store.write { store in
            try alongside(store)
            return try copy.save(in: store)
        }
        // Another process has left the mediator.
        guard let version else { return endMediator() }
        record.storeVersion = version
        mediator?.record = record
    }

    private func enter(_ stage: MediatorSummary.Stage) async throws {
        guard let connection = mediator?.connection else { return }
        mediator?.record.stage = stage
        try await saveMediator()
        tellMediator(.stage(connection: connection, stage))
    }

    private func follow(_ output: MediationClient.Output) async throws {
        switch output {
        case .persist: break
        case .send(let outgoing): sendToMediator(outgoing)
        case .granted:
            mediator?.failures = 0
            mediator?.retryAt = nil
            try await enter(.granted)
            try await replenish()
        case .denied:
            try await enter(.denied)
            endFetching()
        case .added(let key): try await added(key)
        case .removed(let key): mediator?.leaving?.remove(key)
        case .refused(let key, let error): try await refused(key, error)
        case .listed(let keys): try await reconcile(with: keys)
        case .failed(let error): mediationFailed(error)
        case .ignored(let error): tellPassedOver(error, on: mediator?.connection)
        }
    }

    func sendToMediator(_ outgoing: OutgoingMessage) {
        guard let id = mediator?.connection, !isLeftAlone else { return }
        lanes.append(.mediator(outgoing), to: id)
        drive(id)
    }

    /// Tries again later, the longer the more often it failed.
    func mediationFailed(_ error: AriesError) {
        guard let run = mediator else { return }
        let wait = mediatorWait(after: run.failures)
        mediator?.failures += 1
        mediator?.retryAt = timekeeper.now() + wait
        tellMediator(.problem(code: error.code.rawValue, reason: error.reason, retryIn: wait))
    }

    func mediatorWait(after failures: Int) -> Duration {
        let waits = configuration.mediatorRetryAfter
        return failures < waits.count ? waits[failures] : waits.last ?? .seconds(600)
    }

    /// A message of the mediator that is about its service; false for any other.
    func takeFromMediator(_ received: ReceivedMessage, on record: ConnectionRecord) async throws -> Bool {
        guard let run = mediator, run.connection == record.id, run.client != nil else { return false }
        let message = received.message
        if message.type.protocol.isCompatible(with: .mediation10) {
            try await stepMediation(.received(received))
            return true
        }
        if [.pickup10, .pickup20].contains(where: message.type.protocol.isCompatible) {
            try await stepPickup(.received(received))
            return true
        }
        if message.type.protocol.isCompatible(with: .pushWebhook10) {
            stepWake(.received(received))
            return true
        }
        guard ProblemReport(message) != nil else { return false }
        if message.threadID == run.client?.awaitedID {
            try await stepMediation(.received(received))
        } else if message.threadID == run.wake?.awaitedID {
            stepWake(.received(received))
        } else if message.threadID == run.pickup?.awaitedID {
            try await stepPickup(.received(received))
        } else {
            return false
        }
        return true
    }

    /// What is due at `now`.
    func wakeMediator(at now: MonotonicInstant) async throws {
        func isDue(_ deadline: MonotonicInstant?) -> Bool { deadline.map { $0 <= now } ?? false }
        if isDue(mediator?.client?.nextDeadline) { try await stepMediation(.timeReached) }
        if isDue(mediator?.pickup?.nextDeadline) { try await stepPickup(.timeReached) }
        if isDue(mediator?.wake?.nextDeadline) { stepWake(.timeReached) }
        if isDue(mediator?.retryAt) {
            mediator?.retryAt = nil
            try await stepMediation(.start)
            if mediator?.record.stage == .granted { try await replenish() }
        }
        if isDue(mediator?.lineAt) {
            mediator?.lineAt = nil
            openLine()
        }
        if isDue(mediator?.pollAt) {
            mediator?.pollAt = nil
            for id in runs.keys.sorted() { try await catchUp(withConnection: id) }
            try await stepPickup(mediator?.line != nil ? .poke : .start(isLive: false))
        }
    }
}
